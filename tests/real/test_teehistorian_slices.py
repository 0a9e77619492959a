"""Every table of a slice of a real recording equals that of the same ticks of the whole."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from tests.opened import open_as

from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.writing.slice import slice_recording

#: Tables without a tick, which describe the whole file.
OF_THE_WHOLE = frozenset({"info", "players"})
#: Numbers counted from the beginning of a file; they must identify the same things.
COUNTED = ("player", "players", "took_over_player", "target_player", "offset", "event_id")


def cut(replay: TeehistorianReplay, start: int, end: int) -> TeehistorianReplay:
    return open_as(TeehistorianReplay, b"".join(slice_recording(replay._feed(), replay.header, start, end)))


def rows(table: Any, start: int, end: int) -> list[dict[str, Any]]:
    """Return the rows of these ticks, without the messages that a slice adds at its start and end."""
    tick = pc.field("tick")
    found: list[dict[str, Any]] = table.filter((tick >= start) & (tick <= end)).to_pylist()
    return [row for row in found if "bytes" not in row or row.get("message") not in ("tick_skip", "finish")]


def plain(value: Any) -> Any:
    """Return the payload of an event without its session number, which has its own column."""
    return re.sub(r'"session": \d+', "", value) if isinstance(value, str) else value


def assert_same_rows(
    name: str, mine: list[dict[str, Any]], its: list[dict[str, Any]], sessions: dict[Any, Any]
) -> None:
    assert len(mine) == len(its), name
    for one, other in zip(mine, its, strict=True):
        for column in one:
            if column not in COUNTED:
                assert plain(one[column]) == plain(other[column]), (name, column, one, other)
            elif column == "player" and one[column] is not None:
                assert sessions.setdefault(one[column], other[column]) == other[column], (name, one, other)


def assert_slice_equals_whole(replay: TeehistorianReplay, start: int, end: int) -> int:
    """Compare with a slice from the beginning: it must have nothing after `end` either."""
    names = [
        name
        for name, schema in replay.tables.items()
        if name not in OF_THE_WHOLE and "tick" in (column.name for column in schema.columns)
    ]
    before, part = cut(replay, 0, end), cut(replay, start, end)
    whole, found = before.read_tables(names), part.read_tables(names)
    compared = 0
    sessions: dict[Any, Any] = {}
    for name in names:
        expected = rows(whole[name], start, end)
        assert_same_rows(name, expected, rows(found[name], start, end), sessions)
        compared += len(expected)
    assert len(set(sessions.values())) == len(sessions)
    return compared


@pytest.mark.long
def test_slices_of_every_recording(corpus: Path, step: int) -> None:
    """Random ranges, and ranges around rare events: finishes, saves, team changes, logins, commands."""
    dice = random.Random(14)
    compared = 0
    part = 1 if step == 1 else 3
    for number, path in enumerate(sorted((corpus / "teehistorian").glob("*/*.teehistorian"))):
        if path.stat().st_size > 1_000_000:
            continue  # see below
        replay = open_as(TeehistorianReplay, path)
        last = replay.info.duration_ticks or 0
        starts, distant = [dice.randrange(last + 1)], []
        rare = replay.read_tables(
            [n for n in ("runs", "saves", "teams", "auth", "commands") if n in replay.tables]
        )
        for name, table in rare.items():
            ticks = table["tick"].to_pylist()
            starts += dice.sample(ticks, min(len(ticks), 1))
            if name == "runs":  # these depend on the most distant past
                distant = [tick for tick, loaded in zip(ticks, table["loaded"].to_pylist(), strict=True) if loaded]
        for start in [*starts[number % part :: part], *distant]:
            compared += assert_slice_equals_whole(replay, max(0, start - 1), start + dice.choice((1, 40, 300)))
    if not compared:
        pytest.skip("no teehistorian recordings in the corpus")
    assert compared > 1000


@pytest.mark.slow_interpreted
def test_a_slice_of_a_crowd(corpus: Path) -> None:
    found = list((corpus / "teehistorian").glob("head20.1-crowd24-killed/*.teehistorian"))
    if not found:
        pytest.skip("no such recording in the corpus")
    replay = open_as(TeehistorianReplay, found[0])
    assert assert_slice_equals_whole(replay, 4000, 4100) > 1000
