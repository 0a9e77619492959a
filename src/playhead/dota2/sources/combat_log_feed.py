"""`CombatLogFeed`: passes the entries of the combat log to handlers during playback."""

from __future__ import annotations

from struct import Struct

from playhead.dota2.sources.combat_log import (
    BULK_MESSAGE,
    ENTRY_DEFINITION,
    ENTRY_FIELDS,
    ENTRY_MESSAGE,
    LEGACY_EVENT,
    TYPE_PREFIX,
    Entry,
    entry_of,
    from_legacy_event,
)
from playhead.runtime import cython
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.message_rows.table import MessageTable, RowPlan
from playhead.source2.messages.definitions import decoder, enumeration
from playhead.source2.messages.field_reader import FieldReader
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.wire_decoder import FieldPlan
from playhead.source2.playback.fast_path import MessageSink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from playhead.source2.playback.playback import Playback

if cython.compiled:
    from cython.cimports.playhead.source2.message_rows.table import MessageTable
    from cython.cimports.playhead.source2.playback.fast_path import MessageSink
else:
    # First byte of an entry's payload: the key of its first field, the type.
    TYPE_KEY = 0x08

# Slot of the inflictor in `CombatLogFeed`.
_INFLICTOR = cython.declare(cython.int, ENTRY_FIELDS.index("inflictor_name") + 1)


@cython.final
@cython.cclass
class CombatLogFeed(MessageSink):
    """Passes entries to handlers. Entries of unrequested types are not decoded."""

    def __init__(self, playback: Playback) -> None:
        self._decoder = playback.decoder
        self._legacy = False
        self._of_all = []
        self._by_type = {}
        self._short_names = {
            number: name[len(TYPE_PREFIX) :] for name, number in enumeration("DOTA_COMBATLOG_TYPES").items()
        }
        self._by_number = {}
        self._plan = FieldPlan(decoder(ENTRY_DEFINITION), False)
        self._plan.store("type", 0)
        for slot, field in enumerate(ENTRY_FIELDS, 1):
            self._plan.store(field, slot)
        self._reader = FieldReader(None)
        self._pack = Struct("<q").pack
        self._unpack = Struct("<d").unpack
        playback.on_message(ENTRY_MESSAGE, self)
        playback.on_message(BULK_MESSAGE, self._on_bulk)
        playback.on_message(Engine.GAME_EVENT_LIST, self._on_event_list)
        playback.on_message(Engine.GAME_EVENT, self._on_event)

    @cython.nonecheck(True)
    def listen_to_all(
        self,
        handler: Callable[[int, str, Mapping[str | int, Any]], None],
        table: MessageTable,
        plan: RowPlan,
        types: Iterable[str] | None = None,
    ) -> None:
        """Call `handler` with every entry, except those that become rows of `table`.

        With `types`, entries that begin with another type are skipped; of the others any type may come. A second
        call with the same `handler` adds its types, and replaces table and plan.

        Args:
            handler: called with the tick of an entry, the form in which the recording has it (entry, bulk or
                event), and its fields.
            table: gets entries that are messages of their own, if their fields are in order.
            plan: how an entry becomes a row.
            types: short names of types (such as ``DEATH``); None is all.
        """
        known = enumeration("DOTA_COMBATLOG_TYPES")
        numbers = None if types is None else frozenset([known[TYPE_PREFIX + each] for each in types])
        for place, (known_handler, _table, _plan, others) in enumerate(self._of_all):
            if known_handler == handler:
                numbers = None if numbers is None or others is None else numbers | others
                self._of_all[place] = (handler, table, plan, numbers)
                return
        self._of_all.append((handler, table, plan, numbers))

    @cython.nonecheck(True)
    def listen(self, entries: list[Entry], types: Iterable[str], others: set[int] | None = None) -> None:
        """Append every entry of these types (short names such as ``DEATH``) to `entries`.

        Those whose inflictor is in `others`, to which the caller may add, may be missing.
        """
        numbers = enumeration("DOTA_COMBATLOG_TYPES")
        for name in [TYPE_PREFIX + each for each in types]:
            self._by_type.setdefault(name, []).append((entries, others))
            if name in numbers:
                self._by_number[numbers[name]] = self._by_type[name]

    @cython.nonecheck(True)
    def _hand_out(self, tick: Any, form: str, fields: Any) -> None:
        for handler, _table, _plan, _numbers in self._of_all:
            handler(tick, form, fields)
        self._keep(tick, fields)

    @cython.nonecheck(True)
    def _keep(self, tick: Any, fields: Any) -> None:
        lists = self._by_type.get(fields.get("type", ""))
        if lists:
            entry = entry_of(tick, fields)
            for entries, _others in lists:
                entries.append(entry)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
    def accept(self, tick: cython.int, message: cython.longlong, payload: bytes) -> cython.int:
        """Take an entry that is a message of its own."""
        left: list = []
        unknown: cython.int = 0
        number: cython.int = -1
        appended: cython.bint = False
        if len(payload) > 1 and payload[0] == TYPE_KEY and payload[1] < 0x80:
            number = payload[1]
        for handler, filled, plan, numbers in self._of_all:
            table: MessageTable = filled
            if numbers is None or number < 0 or number in numbers:
                if table.append(plan, tick, payload):
                    appended = True
                    unknown = table.unknown
                else:
                    left.append(handler)
        lists: list = self._by_number.get(number)
        if not left and number >= 0:
            if lists is None:
                if appended:
                    self._decoder.read(message, payload)
                if unknown:
                    self._decoder.note_unknown(tick, message, payload)
                return 0
            if self._reader.read(self._plan, payload):
                self._decoder.read(message, payload)
                if self._reader.unknown:
                    self._decoder.note_unknown(tick, message, payload)
                self._hand_over(tick, number, lists)
                return 0
        decoded: Any = self._decoder.for_facts(tick, message, payload)
        if decoded is not None:
            for handler in left:
                handler(tick, "entry", decoded.fields)
            self._keep(tick, decoded.fields)
        return 0

    def _hand_over(self, tick: object, number: cython.int, lists: list) -> cython.int:
        """Append the entry that was read last, of a type of that number, where it is wanted."""
        reader: FieldReader = self._reader
        inflictor: object = reader.cells[_INFLICTOR] if reader.there[_INFLICTOR] else None
        entry: object = None
        found: list
        for entries, others in lists:
            if others is None or inflictor is None or inflictor not in others:
                if entry is None:
                    entry = self._entry(tick, self._short_names[number])
                found = entries
                found.append(entry)
        return 0

    def _entry(self, tick: object, kind: str) -> object:
        """The entry that was read last, of that type."""
        reader: FieldReader = self._reader
        slot: cython.int
        values: list = [tick, kind]
        for slot in range(1, len(ENTRY_FIELDS) + 1):
            values.append(reader.cells[slot] if reader.there[slot] else None)
        if values[-1] is not None:  # the last field is a float, whose bits the cell has
            values[-1] = self._unpack(self._pack(values[-1]))[0]
        return tuple.__new__(Entry, values)

    @cython.nonecheck(True)
    def _on_bulk(self, tick: Any, payload: bytes) -> None:
        message = self._decoder.for_facts(tick, BULK_MESSAGE, payload)
        if message is not None and message.fields is not None:
            for entry in message.fields.get("combat_entries", ()):
                self._hand_out(tick, "bulk", entry)

    @cython.nonecheck(True)
    def _on_event_list(self, _tick: Any, payload: bytes) -> None:
        self._legacy = LEGACY_EVENT in self._decoder.event_list(payload).names.values()

    @cython.nonecheck(True)
    def _on_event(self, tick: Any, payload: bytes) -> None:
        event = self._decoder.event(tick, payload) if self._legacy else None
        if event is not None and event.name == LEGACY_EVENT:
            self._hand_out(tick, "event", from_legacy_event(event.fields))
