"""Entries of string tables as full packets list them: taken over, and compared with those that are known."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

# stub: from collections.abc import Iterable, Mapping
# stub: from playhead.source2.string_tables.tables import StringTableItem

# An entry is listed by its fields: its name, and its data.
_NAME, _DATA = "str", "data"


# stub: def items_of(listed: Iterable[Mapping[str | int, Any]], known: Mapping[int, StringTableItem],
#     item: type[StringTableItem]) -> dict[int, StringTableItem]: ...


def items_of(listed: Any, known: dict, item: Any) -> dict:
    """Return the entries listed, by index; those that are as they were known are the same objects.

    Args:
        known: entries by index.
        item: their type.
    """
    found: dict = {}
    index: cython.Py_ssize_t
    each: dict
    for index, each in enumerate(listed):
        key = each.get(_NAME, "")
        value = each.get(_DATA)
        old = known.get(index)
        if old is None or old[1] != key or (old[2] is None) != (value is None) or old[2] != value:
            old = tuple.__new__(item, (index, key, value))
        found[index] = old
    return found


# stub: def news_of(listed: Iterable[Mapping[str | int, Any]], known: Mapping[int, StringTableItem]) ->
#     list[tuple[int, str, bytes | None, bool]]: ...


def news_of(listed: Any, known: Any) -> list:
    """Return index, name and data of the entries listed that are not known, or have another name or other data;
    and whether the entry is new. No data and empty data are the same.
    """
    found: list = []
    index: cython.Py_ssize_t
    each: dict
    for index, each in enumerate(listed):
        key = each.get(_NAME, "")
        value = each.get(_DATA)
        old = known.get(index)
        if old is None or old[1] != key or (old[2] or b"") != (value or b""):
            found.append((index, key, value, old is None))
    return found


# stub: def places_that_differ(listed: Iterable[Mapping[str | int, Any]], items: Iterable[StringTableItem]) ->
#     list[int]: ...


def places_that_differ(listed: Any, items: Any) -> list:
    """Return the places at which as many entries listed and entries differ in name or data."""
    found: list = []
    place: cython.Py_ssize_t
    each: dict
    for place, (each, ours) in enumerate(zip(listed, items, strict=True)):
        if ours[1] != each.get(_NAME, "") or (ours[2] or b"") != (each.get(_DATA) or b""):
            found.append(place)
    return found
