"""Compare two replays: facts, players, and the first differing row of each table."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from playhead.model import Player
from playhead.registry import open_replay
from playhead.replay import Replay
from playhead.runtime.libraries import pa
from playhead.runtime.records import asdict, dataclass
from playhead.text.names import listed


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference.

    Attributes:
        part: ``info``, ``players``, or ``table <name>``.
        what: the differing item: a field, ``rows``, ``columns``, or ``row 17, x``.
        first, second: the values in the first and in the second replay; None if a replay lacks it.
    """

    part: str
    what: str
    first: Any
    second: Any

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def compare(
    first: Replay | str | Path, second: Replay | str | Path, tables: str | Iterable[str] | None = None
) -> Iterator[Difference]:
    """Iterate over all differences; in each table, only over those of the first differing row.

    Args:
        first, second: replays, or paths of files.
        tables: compare these tables only; by default the facts (except the file name), players and all tables.

    Raises:
        KeyError: neither replay has such a table.
        ReplayError: in strict mode, the first problem.
    """
    first, second = (open_replay(each) if isinstance(each, str | Path) else each for each in (first, second))
    if tables is None:
        yield from _compare_facts("info", "", first.info.as_dict(), second.info.as_dict(), skip="source")
        yield from _compare_players(first, second)
    known = list(dict.fromkeys([*first.tables, *second.tables]))
    wanted = known if tables is None else listed(tables)
    for name in wanted:
        if name not in known:
            raise KeyError(f"neither replay has a table {name!r}; they have {', '.join(known)}")
    wanted = [name for name in wanted if tables is not None or name not in ("info", "players")]
    ours = first.read_tables([name for name in wanted if name in first.tables])
    theirs = second.read_tables([name for name in wanted if name in second.tables])
    for name in wanted:
        part = f"table {name}"
        if name in ours and name in theirs:
            yield from _compare_tables(part, ours[name], theirs[name])
        else:
            yield Difference(
                part, "rows", *(side[name].num_rows if name in side else None for side in (ours, theirs))
            )


def _compare_facts(
    part: str, prefix: str, ours: Mapping[str, Any], theirs: Mapping[str, Any], skip: str = ""
) -> Iterator[Difference]:
    for name in dict.fromkeys([*ours, *theirs]):
        left, right = ours.get(name), theirs.get(name)
        if name == skip:
            continue
        if isinstance(left, dict) and isinstance(right, dict):
            yield from _compare_facts(part, f"{prefix}{name}.", left, right)
        elif left != right:
            yield Difference(part, f"{prefix}{name}", left, right)


def _compare_players(first: Replay, second: Replay) -> Iterator[Difference]:
    ours, theirs = _by_label(first), _by_label(second)
    for label in dict.fromkeys([*ours, *theirs]):
        left, right = ours.get(label), theirs.get(label)
        if left is None or right is None:
            yield Difference("players", label, left and left.name, right and right.name)
        else:
            yield from _compare_facts("players", f"{label}, ", left.as_dict(), right.as_dict())


def _by_label(replay: Replay) -> dict[str, Player]:
    """Return players by label: ``player 1``, or kind and position for players without a number: ``observer 1``."""
    found: dict[str, Player] = {}
    others: Counter[str] = Counter()
    for player in sorted(replay.players, key=lambda each: (each.player is None, each.player or 0)):
        if player.player is not None:
            found[f"player {player.player}"] = player
        else:
            kind = player.kind or "participant"
            others[kind] += 1
            found[f"{kind} {others[kind]}"] = player
    return found


def _compare_tables(part: str, ours: pa.Table, theirs: pa.Table) -> Iterator[Difference]:
    if ours.column_names != theirs.column_names:
        yield Difference(part, "columns", ours.column_names, theirs.column_names)
    shared = [name for name in ours.column_names if name in theirs.column_names]
    same_type = []
    for name in shared:
        left, right = ours.schema.field(name).type, theirs.schema.field(name).type
        if left == right:
            same_type.append(name)
        else:
            yield Difference(part, f"type of {name}", str(left), str(right))
    if ours.num_rows != theirs.num_rows:
        yield Difference(part, "rows", ours.num_rows, theirs.num_rows)
    rows = min(ours.num_rows, theirs.num_rows)
    places = {name: _first_difference(ours[name], theirs[name], rows) for name in same_type}
    found = [place for place in places.values() if place is not None]
    for name, place in places.items():
        if place is not None and place == min(found):
            yield Difference(part, f"row {place}, {name}", ours[name][place].as_py(), theirs[name][place].as_py())


def _first_difference(ours: pa.ChunkedArray, theirs: pa.ChunkedArray, rows: int) -> int | None:
    """Return the index of the first differing row, among the first `rows` rows; None if they are equal."""
    left, right = (_comparable(column.slice(0, rows)) for column in (ours, theirs))
    if left.equals(right):
        return None
    # With the number of rows as key, the search by halves finds the shortest beginning that differs.
    return bisect_left(
        range(1, rows), True, key=lambda count: not left.slice(0, count).equals(right.slice(0, count))
    )


def _comparable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column that Arrow compares by value: categories as text, floats as bits (for equal NaN)."""
    if pa.types.is_dictionary(column.type):
        return column.cast(pa.string())
    bits = {pa.float64(): pa.int64(), pa.float32(): pa.int32()}.get(column.type)
    if bits is None:
        return column
    return pa.chunked_array([chunk.view(bits) for chunk in column.chunks], bits)
