"""The modifiers of the synthetic match, in the string tables ModifierNames and ActiveModifiers."""

from __future__ import annotations

from typing import Any

from tests.samples.source2.constants import TICKS_PER_SECOND
from tests.samples.source2.match import SyntheticMatch

from playhead.source2.messages import wire
from playhead.source2.writing.demo import InnerMessage, StringTableEntry, update_string_table

NAMES = ("modifier_smoke_of_deceit",)


class SampleModifiers:
    """Writes the entries.

    Args:
        table: number of the string table ActiveModifiers.

    Attributes:
        entries: the current entries of the table, by number.
    """

    def __init__(self, table: int) -> None:
        self._table = table
        self.entries: dict[int, StringTableEntry] = {}
        self._places: dict[int, int] = {}
        self._removed: set[int] = set()

    def at(self, tick: int, match: SyntheticMatch) -> list[InnerMessage]:
        """Return the message with the table's new entries at a tick, one per modifier."""
        news: list[StringTableEntry] = []
        for serial, row in enumerate(match.story.modifiers):
            if serial not in self._places:
                self._places[serial] = len(self.entries) + len(news)
                caster = match.handle_of(match.heroes[row["caster_player"]].index)
                news.append(self._entry(serial, row, tick, caster))
            elif "end_tick" in row and serial not in self._removed:
                self._removed.add(serial)
                news.append(self._entry(serial, row, tick, None))
        for entry in news:
            self.entries[entry[0]] = entry
        return [update_string_table(self._table, news)] if news else []

    def _entry(self, serial: int, row: dict[str, Any], tick: int, caster: int | None) -> StringTableEntry:
        place = self._places[serial]
        return (
            place,
            str(place).encode(),
            encode_modifier(row, serial + 1, NAMES.index(row["modifier"]), tick, caster),
        )


def encode_modifier(row: dict[str, Any], serial: int, number: int, tick: int, caster: int | None) -> bytes:
    """Return the value of an entry: a modifier of the story, with its class's `number`, or its end.

    Args:
        row: the modifier.
        serial: serial number of the modifier.
        number: number of its class.
        tick: tick of the entry.
        caster: handle of the caster; None at the modifier's end.
    """
    fields: dict[str, Any] = {
        "entry_type": "DOTA_MODIFIER_ENTRY_TYPE_ACTIVE",
        "parent": row["handle"],
        "index": 0,
        "serial_num": serial,
    }
    if caster is None:
        fields["entry_type"] = "DOTA_MODIFIER_ENTRY_TYPE_REMOVED"
    else:
        fields |= {"modifier_class": number, "caster": caster, "creation_time": tick / TICKS_PER_SECOND}
        if "planned_seconds" in row:
            fields["duration"] = row["planned_seconds"]
    return wire.encode("CDOTAModifierBuffTableEntry", fields)
