"""Fixtures of what is told in docs/ and examples/."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

import playhead

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def tool() -> Callable[[str], ModuleType]:
    """A script of tools/ as a module, by name."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, ROOT / f"tools/{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The sample replay of each format, by name of the format."""
    folder = tmp_path_factory.mktemp("samples")
    return {known.name: known.write_sample(folder) for known in playhead.list_formats()}
