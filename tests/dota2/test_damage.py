"""Damaged recordings: the part before the damage stays, what is lost is told, only replay errors are raised."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many import many
from tests.samples.source2.dota2 import SampleMessages
from tests.samples.source2.match_demo import match_demo

import playhead
from playhead.dota2.facts import TABLES

pytestmark = pytest.mark.slow_interpreted

FACTS = list(TABLES.own())
# Tables with a row for each thing that happens, which a cut recording has the first of.
EVENTS = (
    "combat_log",
    "unit_deaths",
    "item_events",
    "orders",
    "pings",
    "chat_wheel",
    "map_lines",
    "voice",
    "sounds",
)


@cache
def short_demo() -> bytes:
    """Eight seconds, in which everything of the sample's first messages is."""
    return match_demo(0.14, messages=SampleMessages())[0]


@pytest.mark.long
@pytest.mark.parametrize("part", range(1, 16, 3))
def test_a_cut_recording_has_what_came_before(part: int) -> None:
    data = short_demo()
    whole, cut = playhead.open(data), playhead.open(data[: len(data) * part // 16])
    tables, all_of_it = cut.read_tables(FACTS), whole.read_tables(EVENTS)
    for name in EVENTS:
        rows = tables[name].to_pylist()
        first = all_of_it[name].slice(0, len(rows)).to_pylist()
        assert [row["tick"] for row in rows] == [row["tick"] for row in first]
    assert cut.problems
    assert not whole.problems


def test_a_cut_recording_keeps_most_of_itself() -> None:
    data = short_demo()
    cut = playhead.open(data[: len(data) * 15 // 16])
    assert cut.table("combat_log").num_rows > 4
    assert cut.table("player_stats").num_rows == 10
    assert cut.table("periods").num_rows


@many(0.4)
@given(flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=3))
def test_flipped_bytes_only_ever_raise_replay_errors(flips: list[tuple[float, int]]) -> None:
    data = bytearray(short_demo())
    for place, change in flips:
        data[int(place * len(data))] ^= change
    try:
        replay = playhead.open(bytes(data))
        replay.read_tables([name for name in FACTS if name in replay.tables])
        assert isinstance(replay.problems, tuple)
    except playhead.ReplayError:
        pass
    try:
        strict = playhead.open(bytes(data), strict=True)
        strict.read_tables([name for name in FACTS if name in strict.tables])
    except playhead.ReplayError:
        pass
