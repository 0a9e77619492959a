"""Answers about a lake as JSON and files: the replays that fit conditions, a match, rows of a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playhead.ask.processes import check_size
from playhead.corpus.facts import info_of_inputs, problems_of
from playhead.export import to_bytes
from playhead.runtime.libraries import pc
from playhead.tables.arrow import to_rows, with_exact_numbers
from playhead.tables.shared import EVENTS
from playhead.text.json import MOST_EXACT, to_json
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    from playhead.corpus import Lake
    from playhead.runtime.libraries import pa

#: Tables in the JSON of a match, as far as its game has them.
OF_MATCH = ("match", "players", "player_stats")
_NO_EVENTS = (
    "a lake leaves out table events: POST /replays?tables=events answers the replay with its events as sentences; "
    "GET /tables lists the tables"
)


class NotThere(KeyError):
    """There is no replay or table of that name."""


def match(lake: Lake, tables: Sequence[str], rows: int, answer: int) -> dict[str, Any]:
    """Return the one replay of a lake: its facts, players, statistics, and rows of more tables.

    Args:
        tables: names of tables whose rows are wanted; those that it has not are `missing`.
        rows: limit of the rows of a table.
        answer: bytes of the answer; it omits rows beyond them.
    """
    [row] = lake.inputs.to_pylist()
    [facts] = to_rows(lake.info())
    counts: dict[str, int] = json.loads(row["rows"])
    found: dict[str, Any] = {
        "replay": row["replay"],
        "file": row["file"],
        "status": row["status"],
        "problems": [each.as_dict() for each in problems_of(row)],
        "info": _known(facts),
        "rows": counts,
        "left_out": {},
        "missing": [each for each in dict.fromkeys(tables) if each not in lake.tables],
        "tables": {},
    }
    for name in dict.fromkeys(each for each in (*OF_MATCH, *tables) if each in lake.tables):
        whole = _table(lake, name, ())
        shown = whole.drop_columns(["replay", "file"]).slice(0, rows)
        answer -= shown.nbytes * 2
        found["tables"][name] = _rows(shown) if answer > 0 else []
        if left := whole.num_rows - len(found["tables"][name]):
            found["left_out"][name] = left
    return found


def listing(lake: Lake, offset: int, limit: int) -> dict[str, Any]:
    """Return facts of the replays of a lake, in the order of their arrival (of the last change of each file)."""
    inputs = lake.inputs
    info = info_of_inputs(inputs.take(pc.sort_indices(inputs, [("changed", "ascending")])))
    return {
        "total": info.num_rows,
        "offset": offset,
        "left_out": max(0, info.num_rows - offset - limit),
        "replays": [_known(row) for row in to_rows(info.slice(offset, limit))],
    }


def columns(lake: Lake) -> dict[str, list[str]]:
    """Return the tables of a lake with their columns."""
    return {name: lake.schema(name).names for name in lake.tables}


def table(
    lake: Lake,
    name: str,
    form: str,
    columns: Iterable[str],
    offset: int,
    limit: int | None,
    answer: int,
    *,
    of_one: bool = False,
) -> bytes:
    """Return rows of a table: as JSON, or in a form of `to_bytes`.

    Args:
        answer: bytes that the table, and its rows, may have.
        of_one: the lake has one replay, which the JSON names.

    Raises:
        NotThere: there is no such table.
        KeyError: there is no such column.
        TooLarge: it has more bytes.
    """
    whole = _table(lake, name, tuple(columns), answer)
    rows = whole.slice(offset, limit)
    check_size(rows.nbytes, answer)
    if form != "json":
        return to_bytes(rows, form)
    [own] = lake.inputs.select(["replay", "file"]).to_pylist() if of_one else [{}]
    facts = {"table": name, **own, "total": whole.num_rows, "offset": offset}
    facts["left_out"] = max(0, whole.num_rows - offset - rows.num_rows)
    return to_json({**facts, "rows": _rows(rows)}).encode()


def _table(lake: Lake, name: str, columns: Sequence[str], most: int | None = None) -> pa.Table:
    if name not in lake.tables:
        raise NotThere(_NO_EVENTS if name == EVENTS.name else unknown_name(name, lake.tables, "table"))
    if most is not None:
        check_size(sum(file.size for file in lake.data_files(name)), most)
    return lake.table(name, columns=columns or None)


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the known facts of a replay; a damaged file may claim a build that JavaScript would round."""
    unknown = {name for name, value in row.items() if isinstance(value, int) and abs(value) > MOST_EXACT}
    return {name: value for name, value in row.items() if value is not None and name not in unknown}


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    return to_rows(with_exact_numbers(table))
