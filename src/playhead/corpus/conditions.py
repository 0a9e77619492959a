"""The conditions of `Corpus.filter` on the facts of a replay."""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from typing import Any

from playhead.registry import list_formats
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.tables.arrow import to_rows
from playhead.text.names import nearest_names, unknown_name

#: Greatest number of values that a warning lists.
_SHOWN = 20

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of the value of one column."""

    column: str
    wanted: Any


def conditions(facts: Mapping[str, Any], columns: Collection[str]) -> tuple[Condition, ...]:
    """Return the conditions given as keyword arguments.

    Raises:
        KeyError: there is no such column.
        ValueError: playhead reads no such format.
    """
    for name in facts:
        if name not in columns:
            raise KeyError(unknown_name(name, columns, "column"))
    chosen = tuple(Condition(name, wanted) for name, wanted in facts.items())
    check_word(chosen, "format", [each.name for each in list_formats()])
    return chosen


def check_word(chosen: Iterable[Condition], column: str, known: Collection[str | None]) -> None:
    """Check that a condition on a column asks for a word in `known`; patterns and comparisons always pass.

    Raises:
        ValueError: it asks for another word; the message suggests similar ones.
    """
    for each in chosen:
        asked = each.wanted
        if (
            each.column == column
            and isinstance(asked, str)
            and re.fullmatch(r"[\w ]+", asked)
            and asked not in known
        ):
            raise ValueError(unknown_name(asked, [word for word in known if word], column))


def which_fit(rows: Collection[Mapping[str, Any]], wanted: Collection[Condition]) -> list[bool]:
    """Return for each row whether it fits. If none does, a warning names the condition that no row fits alone."""
    found = [fits(row, wanted) for row in rows]
    for each in () if any(found) else wanted:
        values = sorted({str(row[each.column]) for row in rows if row[each.column] is not None})
        if rows and not callable(each.wanted) and not any(fits(row, [each]) for row in rows):
            there_are = ", ".join(values[:_SHOWN]) + (", …" if len(values) > _SHOWN else "")
            asked = str(each.wanted)
            near = "" if asked.startswith(("<", ">", "=", "!")) else nearest_names(asked, values)
            hint = near or f"there are {there_are or 'none'}"
            warnings.warn(f"no replay has {each.column} {each.wanted!r}; {hint}", stacklevel=3)
    return found


def with_own_facts(
    rows: Iterable[Mapping[str, Any]], wanted: Iterable[Condition], info: Callable[[], pa.Table]
) -> list[dict[str, Any]]:
    """Return the rows, with the columns of `wanted` that they lack from the table `info` makes, by replay."""
    known = [dict(row) for row in rows]
    own = {each.column for each in wanted}.difference(*known[:1])
    if not own or not known:
        return known
    table = info()
    held = to_rows(table.select(["replay", *own & {*table.column_names}]))
    of_replay = {row["replay"]: row for row in held}
    return [{**dict.fromkeys(own), **of_replay.get(row["replay"], {}), **row} for row in known]


def fits(row: Mapping[str, Any], wanted: Collection[Condition]) -> bool:
    """Return whether a row fits all conditions; null fits only None or a function."""
    return all(_fits(row[each.column], each.wanted) for each in wanted)


def _fits(value: Any, wanted: Any) -> bool:
    if callable(wanted):
        return bool(wanted(value))
    if wanted is None:
        return value is None
    if isinstance(wanted, list | tuple | set | frozenset):
        return any(_fits(value, each) for each in wanted)
    if value is None:
        return False
    if not isinstance(wanted, str):
        return bool(_like(value, wanted) == value)
    comparison = re.match(r"(>=|<=|!=|==|>|<|=)\s*(.*)", wanted, re.DOTALL)
    if comparison:
        return _COMPARISONS[comparison[1]](value, _like(value, comparison[2]))
    if isinstance(value, str):
        return value == wanted or fnmatchcase(value, wanted)
    return bool(_like(value, wanted) == value)


def _like(value: Any, text: Any) -> Any:
    """Convert a user's text to the type of a value, for comparison.

    Raises:
        ValueError: it cannot be converted.
    """
    if isinstance(value, bool):
        return text if isinstance(text, bool) else str(text).lower() in ("true", "yes", "1")
    if isinstance(value, datetime):
        moment = text
        if isinstance(text, str):
            moment = datetime.fromisoformat(text)
        elif isinstance(text, date) and not isinstance(text, datetime):
            moment = datetime(text.year, text.month, text.day)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if isinstance(value, int | float) and isinstance(text, str):
        try:
            return float(text) if re.search(r"[.eE]", text) else int(text)
        except ValueError:
            raise ValueError(f"expected a number to compare with {value}, got {text!r}") from None
    return text
