"""The conditions of `Replays.filter` on the facts of a replay, as values wanted of columns."""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from typing import Any

from playhead.runtime.libraries import pa
from playhead.tables.arrow import to_rows
from playhead.text.names import nearest_names, ordered_matchup, unknown_name

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


def check_word(wanted: Mapping[str, Any], column: str, known: Collection[str]) -> None:
    """Check that a condition on a column asks for a word in `known`; patterns and comparisons always pass.

    Raises:
        ValueError: it asks for another word; the message suggests similar ones.
    """
    asked = wanted.get(column)
    for each in asked if isinstance(asked, list | tuple | set | frozenset) else (asked,):
        if isinstance(each, str) and re.fullmatch(r"[\w ]+", each) and each not in known:
            raise ValueError(unknown_name(each, known, column))


def check_values(wanted: Mapping[str, Any], columns: pa.Schema) -> None:
    """Check that the texts of conditions on columns of numbers and times can be compared with these.

    Raises:
        ValueError: one is no number or time, or has two signs of comparison.
    """
    for column, asked in wanted.items():
        kind = columns.field(column).type if column in columns.names else None
        for each in asked if isinstance(asked, list | tuple | set | frozenset) else (asked,):
            sign, text = _parted(each) if isinstance(each, str) else ("", "")
            if sign and re.match("[<>=!]", text):
                raise ValueError(f"{column}: expected a value after {sign}, got {each!r}")
            is_time = kind is not None and pa.types.is_timestamp(kind)
            is_number = kind is not None and (pa.types.is_integer(kind) or pa.types.is_floating(kind))
            if isinstance(each, str) and (is_time or is_number):
                try:
                    _like(datetime.now(UTC) if is_time else 0, text)
                except ValueError:
                    expected = "a time such as 2024-05-01" if is_time else "a number"
                    raise ValueError(f"{column}: expected {expected}, got {each!r}") from None


def _parted(text: str) -> tuple[str, str]:
    """Return the sign of comparison that a text begins with, if any, and the rest."""
    found = re.match(r"(>=|<=|!=|==|>|<|=|)\s*(.*)", text, re.DOTALL)
    assert found is not None
    return found[1], found[2]


def which_fit(rows: Collection[Mapping[str, Any]], wanted: Mapping[str, Any]) -> list[bool]:
    """Return for each row whether it fits. If none does, a warning names the condition that no row fits alone."""
    found = [fits(row, wanted) for row in rows]
    for column, asked in () if any(found) else wanted.items():
        values = sorted({str(row[column]) for row in rows if row[column] is not None})
        if rows and not callable(asked) and not any(fits(row, {column: asked}) for row in rows):
            there_are = ", ".join(values[:_SHOWN]) + (", …" if len(values) > _SHOWN else "")
            near = "" if str(asked).startswith(("<", ">", "=", "!")) else nearest_names(str(asked), values)
            hint = near or f"there are {there_are or 'none'}"
            warnings.warn(f"no replay has {column} {asked!r}; {hint}", stacklevel=3)
    return found


def with_own_facts(
    rows: Iterable[Mapping[str, Any]], wanted: Iterable[str], info: Callable[[], pa.Table]
) -> list[dict[str, Any]]:
    """Return the rows, with the columns of `wanted` that they lack from the table `info` makes, by replay."""
    known = [dict(row) for row in rows]
    own = {*wanted}.difference(*known[:1])
    if not own or not known:
        return known
    table = info()
    held = to_rows(table.select(["replay", *own & {*table.column_names}]))
    of_replay = {row["replay"]: row for row in held}
    return [{**dict.fromkeys(own), **of_replay.get(row["replay"], {}), **row} for row in known]


def fits(row: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether a row fits all conditions; null fits only None or a function."""
    return all(
        (_fits_matchup if column == "matchup" else _fits)(row[column], asked) for column, asked in wanted.items()
    )


def _fits_matchup(value: Any, wanted: Any) -> bool:
    """Return whether a matchup fits in either order: TvP is PvT."""
    if isinstance(wanted, list | tuple | set | frozenset):
        return any(_fits_matchup(value, each) for each in wanted)
    if not isinstance(wanted, str):
        return _fits(value, wanted)
    sign, text = _parted(wanted)
    return _fits(value, sign + ordered_matchup(text)) or (not sign and _fits(value, wanted))


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
    sign, text = _parted(wanted)
    if sign:
        return _COMPARISONS[sign](value, _like(value, text))
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
