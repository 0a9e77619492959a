"""The page on files from strangers lists every limit with its default."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

import playhead

PAGE = Path(__file__).parents[2] / "docs" / "safety.md"
_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


@pytest.mark.long
def test_every_limit_is_there_with_its_default() -> None:
    found = {}
    _, _, limits = PAGE.read_text("utf-8").partition("\n| `")
    for name, number, unit in re.findall(
        r"^\| `(\w+)` \| ([\d,]+)(?: (\w+))? \|", "| `" + limits.partition("\n\n")[0], re.MULTILINE
    ):
        found[name] = int(number.replace(",", "")) * _UNITS.get(unit, 1)
    assert found == {field.name: field.default for field in dataclasses.fields(playhead.Limits)}
