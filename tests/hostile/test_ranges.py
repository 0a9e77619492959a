"""Quantized floats whose declared range is no range: `report` and tables hold."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest
from tests.samples.patch_day import with_schema
from tests.samples.source2 import dota2

import playhead
from playhead.view.report import report_page

RANGES = {
    "huge": (-1.7e38, 1.7e38),
    "tiny": (0.0, 1e-44),
    "zero": (0.0, 0.0),
    "neg": (1e-40, -1e-40),
    "infinite": (-math.inf, math.inf),
    "nan": (math.nan, math.nan),
}


@cache
def sound() -> bytes:
    data = dota2.sample_demo()[0]
    return data[: len(data) // 4]  # its tables are played ten times


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("name", RANGES)
def test_a_range_that_is_none(name: str) -> None:
    low, high = RANGES[name]

    def change(message: dict[str, Any]) -> None:
        ranged = [field for field in message["fields"] if {"low_value", "high_value"} & field.keys()]
        assert len(ranged) > 5
        for field in ranged:
            field["low_value"], field["high_value"] = low, high

    with playhead.open(with_schema(sound(), change)) as replay:
        assert report_page(replay).startswith(b"<!doctype html>")
        for table in replay.read_tables(["player_series", "positions", "fights"]).values():
            table.validate(full=True)
