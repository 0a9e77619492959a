"""`PlayedState`: entities and string tables, built from the messages of a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from weakref import ref

from playhead.errors import CorruptReplay, ReplayError
from playhead.model import ProblemHandler
from playhead.runtime.typing import Any
from playhead.source2.container.frames import Frame
from playhead.source2.entities.manager import ENTITY_NAMES, INSTANCE_BASELINE, EntityManager
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.handlers import SEEN_BY_FAST_PATH, Guard, Handlers, StringTableHandler
from playhead.source2.playback.recording import SERVER_INFO_COST, Recording, Schema
from playhead.source2.schema.send_tables import SendTables
from playhead.source2.string_tables.entries import ChangeColumns
from playhead.source2.string_tables.items import StringTableChange
from playhead.source2.string_tables.tables import Dump, StringTables, handle_create, handle_update

# Compared with every message: a name of the module is found faster than an attribute of a class.
_NET_TICK = Engine.NET_TICK
_SERVER_INFO = Engine.SERVER_INFO
_CREATE_STRING_TABLE = Engine.CREATE_STRING_TABLE
_CLEAR_ALL_STRING_TABLES = Engine.CLEAR_ALL_STRING_TABLES
_PACKET_ENTITIES = Engine.PACKET_ENTITIES

#: Number of the message that changes a string table.
UPDATE_STRING_TABLE = Engine.UPDATE_STRING_TABLE
#: Messages that change string tables.
TABLE_MESSAGES = frozenset((_CREATE_STRING_TABLE, UPDATE_STRING_TABLE, _CLEAR_ALL_STRING_TABLES))
_ENTITY_MESSAGES = frozenset((_NET_TICK, _SERVER_INFO, _PACKET_ENTITIES))


class FullPackets:
    """Checks of full packets.

    Attributes:
        dumps: number of full packets whose string tables were applied, since the start of the recording.
        equal_dumps: number of those that equalled the current tables. The first one is not compared, because the
            recorder catches up with the server there (in Dota 2 it has entries and values of no earlier
            message).
        equal_states: number of full packets whose entities equalled the current ones.
        baselines: number of baselines decoded at the end.
    """

    def __init__(self) -> None:
        self.dumps = 0
        self.equal_dumps = 0
        self.equal_states = 0
        self.baselines = 0

    @staticmethod
    def dump(payload: bytes | memoryview, tables: StringTables) -> Dump:
        """Return the followed string tables of a full packet, given its payload."""
        return tables.read_dump(wire.field_bytes(payload, 1) or b"")

    def check_tables(self, tables: StringTables, dump: Dump) -> CorruptReplay | None:
        """Compare a dump with the followed tables. Return the error if they differ."""
        if not self.dumps:
            return None
        differences = list(tables.differences([table for table in dump if tables.follows(table.name)]))
        if differences:
            return CorruptReplay(
                f"expected the string tables of the full packet, found others: {'; '.join(differences)}"
            )
        self.equal_dumps += 1
        return None

    def check_entities(self, entities: EntityManager, other: EntityManager, payload: bytes) -> ReplayError | None:
        """Compare entities with those of a full packet's message, applied to `other`. Return the error if they
        differ.

        `other` is valid afterwards if the message could be decoded.
        """
        try:
            other.apply(payload)
        except ReplayError as error:
            return error
        differences = list(entities.differences(other))
        if not differences:
            self.equal_states += 1
            return None
        index, field, ours, theirs = differences[0]
        entity = entities.find(index) or other.find(index)
        return CorruptReplay(
            f"expected the entities of the full packet, found {len(differences)} fields "
            f"that differ; the first is "
            f"{field} of {entity!r}: {ours!r}, in the full packet {theirs!r}"
        )


class PlayedState:
    """The state of a `Playback`, which documents arguments and attributes."""

    def __init__(
        self,
        recording: Recording,
        entities: bool,
        check: bool,
        schema: Schema | None,
        tables: Iterable[str] | None,
        on_problem: ProblemHandler,
    ) -> None:
        self._recording = recording
        self._limits = recording.limits
        needed: tuple[str, ...] = (INSTANCE_BASELINE,) if entities else ()
        if entities and schema is None:  # without a schema every field is kept, including the indices of names
            needed = (*needed, ENTITY_NAMES)
        self._followed = None if tables is None else frozenset((*tables, *needed))
        self._follows_tables = self._followed is None or bool(self._followed)
        self._with_entities = entities
        self._check = check
        self._on_problem = on_problem
        self._state_messages: frozenset[int] = TABLE_MESSAGES if self._follows_tables else frozenset()
        if entities:
            self._state_messages |= _ENTITY_MESSAGES
        self._handlers = self._new_handlers()
        # Reading the schema takes long, and is unnecessary without entities.
        self._schema = schema or (recording.schema if entities else None)
        self.entities = EntityManager(SendTables({})) if self._schema is None else self._schema.manager()
        # A weak reference avoids a cycle, so the playback is released at once.
        here = ref(self)
        self.guard = Guard(on_problem, lambda: getattr(here(), "tick", None))
        self.entities.tracker.registered, self.entities.tracker.failed = self.guard.own, self.guard.failed
        self._new_tables()
        self.full_packets = FullPackets()
        self.server_info: Mapping[str | int, Any] = {}
        self.server_tick_offset: int | None = None
        self.failures: Counter[str] = Counter()
        self._broken = False
        self._tables_whole = False
        # An error raised by a handler: not damage of the recording, so it is passed on to the caller.
        self._raised: ReplayError | None = None

    def _new_handlers(self) -> Handlers:
        return Handlers(self._recording, self._state_messages, self._state_messages - SEEN_BY_FAST_PATH)

    def _new_tables(self) -> None:
        self.string_tables = StringTables(self._limits, self._followed)
        self.entities.string_tables = self.string_tables

    def _report(self, error: ReplayError, frame: Frame, where: str, cost: str) -> None:
        if error is self._raised:
            raise error
        error.offset = frame.offset
        self._on_problem(error.locate(where=where, tick=frame.tick), cost)

    # -- messages ---------------------------------------------------------------------------------------

    def _apply_message(self, frame: Frame, number: int, payload: bytes) -> None:
        if number == _PACKET_ENTITIES:
            self._apply_entities(frame, payload)
        elif number == _NET_TICK:
            server_tick = wire.first_number(payload)
            if server_tick >= 0:  # an unreadable tick keeps the previous offset
                self.server_tick_offset = server_tick - frame.tick
        elif number == _SERVER_INFO:
            try:
                found = wire.decode("CSVCMsg_ServerInfo", payload)
            except ReplayError as error:
                self._report(error, frame, "ServerInfo", SERVER_INFO_COST)
                return
            self._apply_server_info(frame, found)
        else:
            self._apply_table_message(frame, number, payload)

    def _infer_server_info(self, frame: Frame) -> None:
        """Without ServerInfo in any packet, infer the values that entities need.

        The number of classes is the number of their names (true in all recordings seen); the tick interval comes
        from FileInfo.
        """
        if self.server_info:
            return
        found, names = self._recording.server_info, self._recording.class_names
        if not found and names:
            lost = CorruptReplay(
                "expected ServerInfo, found none; the number of classes is inferred from their names"
            )
            self._report(lost, frame, "ServerInfo", SERVER_INFO_COST)
            rate = self._recording.ticks_per_second
            found = {"max_classes": len(names), **({"tick_interval": 1 / rate} if rate else {})}
        if found:
            self._apply_server_info(frame, found)

    def _apply_server_info(self, frame: Frame, found: Mapping[str | int, Any]) -> None:
        self.server_info = found
        if self._with_entities:
            try:
                self.entities.on_server_info(found)
            except ReplayError as error:
                self._report(error, frame, "ServerInfo", "the entities")

    def _apply_table_message(self, frame: Frame, number: int, payload: bytes) -> None:
        self.string_tables.allow(frame.offset + frame.size)
        try:
            if number == _CREATE_STRING_TABLE:
                message = wire.decode("CSVCMsg_CreateStringTable", payload)
                name = message.get("name", "")
                on_change = self._change_handler(frame.tick, name)
                handle_create(message, self.string_tables, on_change, self._columns(frame.tick, name))
            elif number == UPDATE_STRING_TABLE:
                if self.string_tables.follows_update(payload):
                    message = wire.decode("CSVCMsg_UpdateStringTable", payload)
                    number, tables = message.get("table_id", 0), self.string_tables.by_id
                    name = tables[number].name if 0 <= number < len(tables) else ""
                    on_change = self._change_handler(frame.tick, name)
                    handle_update(message, self.string_tables, on_change, self._columns(frame.tick, name))
            else:
                self.string_tables.clear()
        except ReplayError as error:
            self._tables_whole = False
            self._report(error, frame, "string tables", "the rest of one change of a string table")

    def _columns(self, tick: int, name: str) -> Sequence[ChangeColumns]:
        """Return the columns for changes of the table of that name."""
        columns = self._handlers.table_columns
        for each in columns:
            each.begin(tick, name)
        return columns

    def _change_handler(self, tick: int, name: str) -> Callable[[StringTableChange], None] | None:
        """Return the function to call with each change of the table of that name; None without any."""
        tables = self._handlers.tables
        if not tables:
            return self._update_baseline if name == INSTANCE_BASELINE else None
        called = (*tables.get(name, ()), *tables.get(None, ()))
        if name == INSTANCE_BASELINE:
            return partial(self._on_baseline, tick, called) if called else self._update_baseline
        return partial(self._call, called, tick) if called else None

    def _call(self, handlers: Sequence[StringTableHandler], tick: int, change: StringTableChange) -> None:
        try:
            self.guard.call(handlers, change, tick)
        except ReplayError as error:
            self._raised = error
            raise

    def _on_baseline(self, tick: int, called: Sequence[StringTableHandler], change: StringTableChange) -> None:
        self._call(called, tick, change)
        self._update_baseline(change)

    def _update_baseline(self, change: StringTableChange) -> None:
        if change.sent is not None:
            self.entities.on_baseline_updated(change.key, change.sent)

    def _apply_entities(self, frame: Frame, payload: bytes) -> None:
        manager = self.entities
        skipped = manager.skipped
        try:
            changed = manager.apply(payload)
        except ReplayError as error:
            self._lose_entities(error, frame)
            return
        if self._broken or manager.skipped > skipped:
            self._after_gap(frame, manager.skipped > skipped)
        if changed:
            manager.tracker.dispatch_all(changed)

    def _lose_entities(self, error: ReplayError, frame: Frame) -> None:
        self._broken = True
        self.failures["entities"] += 1
        self._report(error, frame, "entities", "entities up to the next full packet")

    def _after_gap(self, frame: Frame, skipped: bool) -> None:
        """Report an unknown state once, until the state is known again."""
        if skipped and not self._broken:
            self._broken = True
            missing = CorruptReplay("expected a complete state of the entities before the first change of it")
            self._report(missing, frame, "entities", "entities up to the next full packet")
        if self.entities.valid:
            self._broken = False

    def _forget_state(self) -> None:
        """Forget the state: later frames do not build on earlier ones. A SyncTick after the first marks such a
        gap.
        """
        self.entities.forget_state()
        self._tables_whole = False

    # -- full packets -----------------------------------------------------------------------------------

    def _restore_tables(self, dump: Dump) -> None:
        """Apply the string tables of a full packet."""
        self.string_tables.restore(dump)
        if INSTANCE_BASELINE in self.string_tables and self.string_tables.follows(INSTANCE_BASELINE):
            for listed in dump:
                if listed.name == INSTANCE_BASELINE:
                    self.entities.on_baseline_updated()

    def _apply_full_tables(self, frame: Frame, dump: Dump) -> None:
        tables = self.string_tables
        if self._check:
            error = self.full_packets.check_tables(tables, dump)
            if error is not None:
                self.failures["string tables"] += 1
                self._report(error, frame, "string tables", "nothing from here on; entries before it may be wrong")
        self._apply_dump_entries(frame, dump)
        self.full_packets.dumps += 1
        self._tables_whole = True

    def _apply_dump_entries(self, frame: Frame, dump: Dump) -> None:
        """Apply a dump, calling handlers with entries that no message contained."""
        news = list(self.string_tables.news(dump)) if self._handlers.follows_dumps else ()
        for columns in self._handlers.table_columns:
            for change in news:
                columns.begin(frame.tick, change.table)
                columns.add_brought(change.index, change.key, change.sent)
        for name, handler in self._handlers.full_tables:
            for change in news:
                if name in (None, change.table):
                    self._call((handler,), frame.tick, change)
        self._restore_tables(dump)

    def _compare(self, frame: Frame, payload: bytes) -> None:
        """Compare the state of a full packet with the current one."""
        try:
            other = self.another_manager()
        except ReplayError as missing:  # ServerInfo is missing or damaged
            self._report(missing, frame, "entities", "the check of the entities at this full packet")
            return
        error = self.full_packets.check_entities(self.entities, other, payload)
        if error is not None:
            self.failures["full packet"] += 1
            cost = (
                "the state here may be wrong" if other.valid else "the check of the entities at this full packet"
            )
            self._report(error, frame, "entities", cost)

    def another_manager(self) -> EntityManager:
        """Return a manager without entities, with the classes and baselines of the current one."""
        assert self._schema is not None, "there are no entities without a schema"
        other = self._schema.manager()
        other.on_server_info(self.server_info)
        other.on_class_info(self._recording.class_names)
        other.share_baselines(self.entities)
        return other

    def _check_baselines(self) -> None:
        # A new manager: the current one has only the classes that occurred.
        try:
            other = self.another_manager()
        except ReplayError as missing:  # ServerInfo is missing or damaged
            self._on_problem(missing.locate(where="baselines"), "the check of the baselines")
            return
        for _key, error in other.check_baselines():
            self.failures["baseline"] += 1
            self._on_problem(error.locate(where="baselines"), "entities that begin with it")
        self.full_packets.baselines = other.baselines_decoded
