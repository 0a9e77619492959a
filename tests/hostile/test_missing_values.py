"""Members of replays, and headers, whose values have other names or types: a problem says so."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from tests.hostile import makers
from tests.samples import teehistorian
from tests.samples.blizzard import EventWriter, write_header
from tests.samples.hots import replay as hots
from tests.samples.sc2 import replay as sc2

import playhead
from playhead.blizzard.protocol.tables import TRACKER, TypePool
from playhead.runtime.records import replace
from playhead.teehistorian.stream.header import encode_header, read_header


@pytest.mark.parametrize("sample", [sc2, hots], ids=["sc2", "hots"])
def test_events_of_the_tracker_that_lack_a_field(sample: Any) -> None:
    write = EventWriter.write

    def shorter(self: EventWriter, *given: Any, **fields: Any) -> None:
        """Write the births of units without their last field."""
        if self._stream != TRACKER or given[2] != "SUnitBornEvent":
            write(self, *given, **fields)
            return
        _, type_ = self._numbers["SUnitBornEvent"]
        pool = TypePool(self._pool.types)
        pool.types[type_] = ["struct", pool.fields(type_)[:-1]]
        with patch.object(self, "_pool", pool):
            write(self, *given, **{name: value for name, value in fields.items() if name != "m_y"})

    with playhead.open(sample.sample_bytes()) as replay:
        replay.table("units")
        assert not replay.problems
    with patch.object(EventWriter, "write", shorter):
        data = sample.sample_bytes()
    with playhead.open(data) as replay:
        assert replay.table("units").num_rows
        assert any("all fields of SUnitBornEvent" in each.what for each in replay.problems)


@pytest.mark.parametrize("loops", [0x7FFFFFF0, 1 << 40])
def test_casters_of_a_game_of_years(loops: int) -> None:
    """The time in which they had energy is counted, not listed; a length beyond 31 bits is none."""
    data = makers._archive_of(makers._sc2_streams(), write_header(replace(sc2.HEADER, loops=loops)))
    with playhead.open(data) as replay:
        (row,) = replay.table("casters").to_pylist()
        assert replay.info.duration_ticks == loops or loops >= 1 << 31
        assert (row["idle_seconds"] > 1e7) == (loops < 1 << 31)


@pytest.mark.parametrize(("key", "value"), [("uuids", None), ("uuids", "zz"), ("config", []), ("map_name", True)])
def test_keys_of_a_header_of_another_type(key: str, value: Any) -> None:
    data = teehistorian.sample_bytes()
    header = read_header(memoryview(data), playhead.Limits())
    changed = encode_header({**header.fields, key: value}) + data[header.size :]
    with playhead.open(changed) as replay:
        assert [each.what for each in replay.problems if f"for key {key}, found" in each.what]
