"""Entries of string tables and their changes, as handlers and callers see them."""

from __future__ import annotations

from playhead.runtime.records import NamedTuple


class StringTableItem(NamedTuple):
    """One entry: its number, its name, and its data (None if it never had any)."""

    index: int  # type: ignore[assignment]  # also a method of tuples
    key: str
    value: bytes | None


class StringTableChange(NamedTuple):
    """A change of one entry by a create or update message.

    `sent` is the value in the message; None if it has none and the entry keeps its value.
    """

    table: str
    index: int  # type: ignore[assignment]  # also a method of tuples
    key: str
    sent: bytes | None
    created: bool
