"""Changes of what a recording means, not of its bytes: names, types and values.

The oracle counts rows: a table that has fewer than before needs a problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any

import playhead


@cache
def rows_of(data: bytes) -> dict[str, int]:
    """The rows of each table of a sound recording."""
    with playhead.open(data) as replay:
        found = {name: table.num_rows for name, table in replay.read_tables(None).items()}
        assert not replay.problems
        return found


def check(before: bytes, after: bytes, excused: Iterable[str] = ()) -> None:
    """Read a changed recording: tables that are whole, or a problem."""
    with playhead.open(after) as replay:
        tables = replay.read_tables(None)
        lost = {}
        for name, rows in rows_of(before).items():
            tables[name].validate(full=True)
            assert tables[name].column_names == list(replay.tables[name].column_names)
            if tables[name].num_rows < rows and name not in excused:
                lost[name] = (rows, tables[name].num_rows)
        assert not lost or replay.problems, f"rows vanished without a problem: {lost}"
        assert len(list(replay.events())) == tables["events"].num_rows
        assert isinstance(replay.players, tuple)


def other_name(name: str, random: Random) -> str:
    """A name that resembles another, or none at all."""
    return random.choice((f"{name}2", name[:-1], name.swapcase(), "", "=1+1", "\x1b[2J", name + "é" * 300))


def other_value(value: Any, random: Random) -> Any:
    """A JSON value, mostly of another type."""
    deep: Any = []
    for _ in range(random.choice((2, 40, 80))):
        deep = [deep]
    return random.choice(
        (None, True, -1, 0, 1 << 70, 1e308, "", "x" * 2000, "\x1b[31m\u202e", [], [value], {}, {"": value}, deep)
    )


def other_json(tree: dict[str, Any], random: Random) -> dict[str, Any]:
    """A copy of an object with a key or a value changed, at any depth."""
    if not tree:
        return {"": 0}
    key = random.choice(list(tree))
    inner = tree[key]
    if isinstance(inner, dict) and inner and random.random() < 0.7:
        return {**tree, key: other_json(inner, random)}
    match random.randrange(3):
        case 0:
            return {other_name(name, random) if name == key else name: value for name, value in tree.items()}
        case 1:
            return {name: value for name, value in tree.items() if name != key}
        case _:
            return {**tree, key: other_value(inner, random)}
