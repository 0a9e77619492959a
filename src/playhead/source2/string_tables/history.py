"""The string tables of a recording as it goes on: every change with its tick, and the check at full packets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from playhead.errors import CorruptReplay
from playhead.limits import Limits
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.string_tables.tables import StringTableChange, StringTables

#: Numbers of the inner messages that change string tables.
MESSAGES = frozenset((Engine.CREATE_STRING_TABLE, Engine.UPDATE_STRING_TABLE, Engine.CLEAR_ALL_STRING_TABLES))


class TickedChange(NamedTuple):
    """A change and when it came; `full_packet`: no message told of it, the full packet's dump did."""

    tick: int
    change: StringTableChange
    full_packet: bool


class StringTableHistory:
    """Follows the tables through a recording.

    Attributes:
        tables: their state now.
        changes: every change so far, in file order.
        agreeing, differing: dumps of full packets that were what the messages had led to, and that were not.
    """

    def __init__(self, limits: Limits) -> None:
        self.tables = StringTables(limits)
        self.changes: list[TickedChange] = []
        self._full_packets = 0
        self.agreeing = 0
        self.differing = 0

    def on_message(self, tick: int, number: int, payload: bytes) -> None:
        """One of `MESSAGES`.

        Raises:
            ReplayError: it cannot be decoded; the entries before the damage are applied and kept.
        """
        if number == Engine.CLEAR_ALL_STRING_TABLES:
            self.tables.clear()
            return
        if number == Engine.CREATE_STRING_TABLE:
            changes = self.tables.create(wire.decode("CSVCMsg_CreateStringTable", payload))
        else:
            changes = self.tables.update(wire.decode("CSVCMsg_UpdateStringTable", payload))
        for change in changes:
            self.changes.append(TickedChange(tick, change, False))

    def on_full_packet(self, tick: int, dump: Mapping[str | int, Any]) -> CorruptReplay | None:
        """The dump of a full packet, which the tables are set to.

        Returns the error if it is not what the messages have led to. The first full packet of a recording is not
        checked: there the recorder catches up with the server (in Dota 2 it brings entries and values that no
        message told of). What it brings becomes changes.
        """
        self._full_packets += 1
        differences = list(self.tables.differences(dump)) if self._full_packets > 1 else []
        for change in self._news(dump):
            self.changes.append(TickedChange(tick, change, True))
        self.tables.restore(dump)
        if not differences:
            self.agreeing += self._full_packets > 1
            return None
        self.differing += 1
        return CorruptReplay(
            f"expected the string tables of the full packet, found others: {'; '.join(differences)}", tick=tick
        )

    def _news(self, dump: Mapping[str | int, Any]) -> Iterator[StringTableChange]:
        for listed in dump.get("tables", ()):
            name = listed.get("table_name", "")
            known = self.tables.by_name[name].items if name in self.tables else {}
            for index, item in enumerate(listed.get("items", ())):
                old = known.get(index)
                key, value = item.get("str", ""), item.get("data")
                if old is None or (old.key, old.value or b"") != (key, value or b""):
                    yield StringTableChange(name, index, key, value, old is None)
