"""The origin of the stored definitions."""

from __future__ import annotations

import importlib.util
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_tool_reproduces_the_stored_definitions() -> None:
    pytest.importorskip("gem", reason="gem-dota carries the descriptors that the definitions are made from")
    spec = importlib.util.spec_from_file_location("tool", ROOT / "tools" / "build_source2_messages.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    kept = zlib.decompress(tool.TARGET.read_bytes()).decode()
    assert kept == tool.packed_text(tool.build())
