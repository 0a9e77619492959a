"""`Modifiers`: the string table ActiveModifiers of the written match."""

from __future__ import annotations

from typing import Any

from tests.samples.source2.deadlock.field import server_seconds

from playhead.source2.messages import wire
from playhead.source2.writing.demo import InnerMessage, StringTableEntry, update_string_table


class Modifiers:
    """Writes the entries.

    Args:
        table: number of the string table.

    Attributes:
        entries: the current entries, by number.
    """

    def __init__(self, table: int) -> None:
        self._table = table
        self.entries: dict[int, StringTableEntry] = {}
        self._news: list[StringTableEntry] = []
        self._places: dict[int, int] = {}
        self._serial = 0

    def _write(self, place: int, fields: dict[str, Any]) -> None:
        entry = place, str(place).encode(), wire.encode("CModifierTableEntry", fields, "deadlock")
        self.entries[place] = entry
        self._news = sorted([*(old for old in self._news if old[0] != place), entry])

    def apply(self, tick: int, **fields: Any) -> int:
        """Add a modifier; return its serial number."""
        self._serial += 1
        self._places[self._serial] = place = len(self.entries)
        now = server_seconds(tick)
        begun = {"serial_number": self._serial, "last_applied_time": now, "creation_time": now}
        self._write(place, {"entry_type": 1, **begun, **fields})
        return self._serial

    def change(self, serial: int, **fields: Any) -> None:
        """Change fields of a modifier; only these are sent."""
        self._write(self._places[serial], {"entry_type": 1, "serial_number": serial, **fields})

    def remove(self, serial: int, parent: int) -> None:
        """End a modifier: another entry says so, and the old one stays."""
        self._write(len(self.entries), {"entry_type": 2, "serial_number": serial, "parent": parent})

    def take(self) -> list[InnerMessage]:
        """Return the message with the new entries."""
        news, self._news = self._news, []
        return [update_string_table(self._table, news)] if news else []
