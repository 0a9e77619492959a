"""`MessageFacts`: facts whose rows are messages."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from playhead.dota2.sources.combat_log import signed
from playhead.dota2.sources.entities import NAME_FIELD, NAME_TABLE, hero_column
from playhead.dota2.sources.match import Dota2Facts, Dota2Match
from playhead.dota2.sources.roster import HERO_NAME_FIELDS, ROSTER_FIELDS, with_fields
from playhead.errors import LimitExceeded
from playhead.runtime.libraries import pa
from playhead.runtime.records import replace
from playhead.source2.message_rows import (
    CellSource,
    EntityNames,
    MessageAppender,
    MessageForm,
    MessageTable,
    RowPlan,
    field_of_entity,
    own_columns,
)
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.definitions import message_numbers
from playhead.source2.messages.numbers import message_number
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.message_columns import MessageTexts
from playhead.tables.packed import PackedText
from playhead.tables.schema import TableSchema
from playhead.text.json import to_json

if TYPE_CHECKING:
    from playhead.tables.deferred import Built, Packed

_PREFIX = "CHAT_MESSAGE_"
CHAT_EVENT = message_number("dota2", "DOTA_UM_ChatEvent")


class ChatEvent(NamedTuple):
    """One message DOTA_UM_ChatEvent, its type without prefix (``ROSHAN_KILL``). The meaning of the numbers
    depends on the type; None if absent, or for nobody."""

    tick: int
    type: str
    value: int | None
    player_1: int | None
    player_2: int | None


class ChatEvents:
    """Collects the chat events of some types, in order, while a recording is played."""

    def __init__(self, match: Dota2Match, playback: Playback, types: Iterable[str]) -> None:
        self._match = match
        self._types = frozenset(types)
        self.events: list[ChatEvent] = []
        self._match.on_fields(playback, CHAT_EVENT, self._on_event)

    def _on_event(self, tick: int, fields: Mapping[Any, Any]) -> None:
        kind = str(fields.get("type", "")).removeprefix(_PREFIX)
        if kind in self._types:
            players = (signed(fields.get(f"playerid_{i}")) for i in (1, 2))
            first, second = (None if player is None or player < 0 else player for player in players)
            self.events.append(ChatEvent(tick, kind, signed(fields.get("value")), first, second))


# A column that is filled at the end; its collector adds `HERO_FIELDS` to its fields.
_HERO = "hero"
# A column of the other fields as JSON, which is written when it is read.
_DETAILS = "details"
_PACKED = (PackedText, MessageTexts)
_CONTROLLER = "CDOTAPlayerController"
_PLAYER_ID = "m_nPlayerID"
_PAWN = "m_hPawn"

#: Fields that `MessageFacts.player_of_entity`, `MessageFacts.player_of_pawn` and `MessageFacts.entity_name` read.
ENTITY_NAME_FIELDS: Mapping[str, Sequence[str]] = {"*": (NAME_FIELD,), _CONTROLLER: (_PLAYER_ID, _PAWN)}

#: Fields of a collector whose tables have column ``hero``.
HERO_FIELDS = with_fields(ENTITY_NAME_FIELDS, ROSTER_FIELDS, HERO_NAME_FIELDS)


class MessageFacts(Dota2Facts):
    """Appends rows for messages during the playback, and looks up entities at the tick of each message.

    A message that cannot be decoded is a problem; table ``user_messages`` has its bytes.

    Attributes:
        numbers: numbers of the messages.
        forms: table and form of the messages that are one row each, by number; `rows_of` returns the rows of other
            messages.
    """

    numbers: ClassVar[Sequence[int]] = ()
    string_tables = (NAME_TABLE,)
    fields: Mapping[str, Sequence[str]] = ENTITY_NAME_FIELDS
    entities = True

    forms: Mapping[int, tuple[TableSchema, MessageForm]] = MappingProxyType({})

    def attach(self, playback: Playback) -> None:
        self._rows_of: dict[str, list[dict[str, Any]]] = {schema.name: [] for schema in self.schemas}
        self._formed: dict[str, MessageTable] = {}
        self._playback = playback
        self._names = EntityNames(playback.entities)
        if any(_HERO in schema.column_names for schema in self.schemas):
            self._roster = self.match.roster(playback)
        for schema in dict.fromkeys(schema for schema, _ in self.forms.values()):
            types = ["others" if column.name == _DETAILS else column.type for column in own_columns(schema)]
            self._formed[schema.name] = MessageTable(types, playback.room, self._names)
        for number in self.numbers:
            if number in self.forms:
                schema, form = self.forms[number]
                table = self._formed[schema.name]
                disordered = partial(self._on_disordered, number, table)
                plan_of = partial(form.plan, schema)
                playback.on_message(number, MessageAppender(table, plan_of, playback.decoder, disordered))
            else:
                playback.on_message(number, partial(self._on_message, number))

    def _on_disordered(self, number: int, table: MessageTable, plan: RowPlan, tick: int, payload: bytes) -> None:
        """Append a message that has a form, but whose fields are not in order."""
        message = self.match.decode(tick, number, payload)
        if message is None or message.fields is None:
            return
        _, form = self.forms[number]
        if not table.append(plan, tick, form.in_order(message.fields)):
            error = LimitExceeded(f"expected a message of at most 1 MB, found {len(payload)} bytes")
            self._playback.decoder.report(error, number)

    def _on_message(self, number: int, tick: int, payload: bytes) -> None:
        message = self.match.decode(tick, number, payload)
        if message is None or message.fields is None:
            return
        for table, row in self.rows_of(number, message.fields):
            self._add(table, tick, row)

    def _add(self, table: str, tick: int, row: dict[str, Any]) -> None:
        if table in self._formed:
            schema = next(schema for schema, _ in self.forms.values() if schema.name == table)
            self._formed[table].append_row(tick, [row.get(column.name) for column in own_columns(schema)])
        else:
            row["tick"] = tick
            self._rows_of[table].append(row)

    def rows_of(self, number: int, fields: MessageFields) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return the rows of a message without a form, each with the name of its table."""
        raise NotImplementedError(f"message {number} has neither a form nor rows")

    def tables(self) -> Mapping[str, Built]:
        return {schema.name: self._table(schema) for schema in self.schemas}

    def _table(self, schema: TableSchema) -> Built:
        if schema.name not in self._formed:
            rows = self._rows_of[schema.name]
            return self.match.table(
                schema, self._roster.add_heroes(rows) if _HERO in schema.column_names else rows
            )
        return with_packed(schema, *self._ready(schema))

    def _ready(self, schema: TableSchema) -> tuple[pa.Table, dict[str, Packed]]:
        """Return the rows of the messages that have a form, and the columns that they lack: those to be read."""
        ticks, columns = self._kept(schema)
        packed: dict[str, Packed] = {name: each for name, each in columns.items() if isinstance(each, _PACKED)}
        others = {name: column for name, column in columns.items() if name not in packed}
        return self.match.table_of_columns(without(schema, packed), ticks, others), packed

    def _columns(self, schema: TableSchema) -> tuple[pa.Array, dict[str, Any]]:
        """Return ticks and columns of the messages that have a form."""
        ticks, columns = self._kept(schema)
        return ticks, {
            name: column.read() if isinstance(column, _PACKED) else column for name, column in columns.items()
        }

    def _kept(self, schema: TableSchema) -> tuple[pa.Array, dict[str, Any]]:
        """As `_columns`; JSON, and bytes of many messages, wait to be read."""
        formed = self._formed[schema.name]
        ticks = formed.ticks.to_arrow()
        columns = columns_of(formed, schema)
        if _HERO in columns:
            columns[_HERO] = hero_column(columns["player"], self._roster.hero_names())
        return ticks, columns

    # -- values of rows ---------------------------------------------------------------------------------

    def details(self, fields: MessageFields, *shown: str) -> str | None:
        """Return the fields other than these as JSON; None without any."""
        rest = {name: value for name, value in fields.items() if name not in shown}
        return to_json(rest) if rest else None

    def entity_name(self, index: int | None) -> str | None:
        """Return the own name of the entity at an index, otherwise its class; None without an entity."""
        name: str | None = self._names.name(index)
        return name

    def player_of_entity(self, index: int | None) -> int | None:
        """Return the player whose controller is the entity at an index; None if it is no controller."""
        player: int | None = self._names.number(index, _PLAYER_ID)
        return player

    def player_of_pawn(self, handle: int | None) -> int | None:
        """Return the player whose controller has the pawn of that handle; None if no controller has it."""
        for controller in self._playback.entities.find_all_by_class_name(_CONTROLLER):
            if handle is not None and controller.get(_PAWN) == handle:
                return known_player(controller.get(_PLAYER_ID))
        return None


def without(schema: TableSchema, names: Container[str]) -> TableSchema:
    """Return a schema without some columns."""
    return replace(schema, columns=tuple(column for column in schema.columns if column.name not in names))


def with_packed(schema: TableSchema, ready: pa.Table, packed: Mapping[str, Packed]) -> Built:
    """Return a table of these rows, and of columns that are made when they are read."""
    if not packed:
        return ready
    from playhead.tables.deferred import DeferredTable

    return DeferredTable.of_packed(schema.arrow(), ready, packed)


def columns_of(table: MessageTable, schema: TableSchema) -> dict[str, Any]:
    """Return the columns of a table by name; JSON, and bytes of many messages, wait to be read."""
    numbers = table.numbers.to_arrow()
    columns = dict(zip((each.name for each in own_columns(schema)), table.to_arrow(), strict=True))
    if _DETAILS in columns:
        columns[_DETAILS] = MessageTexts(numbers, columns[_DETAILS], table.plans.__getitem__, _never)
    return columns


def _never(number: int, payload: bytes) -> MessageFields:
    raise AssertionError(f"a message of {len(payload)} bytes was read in the playback, but not for its details")


def definition_of(number: int) -> str:
    """Return the name of the definition of a Dota 2 message.

    Raises:
        KeyError: the message has no definition.
    """
    found = message_numbers("dota2")[number].message
    if found is None:
        raise KeyError(f"message {number} has no definition")
    return found


def position(vector: Mapping[str | int, Any] | None) -> dict[str, float | None]:
    """Return a CMsgVector as columns: 0 for a coordinate that was not sent, all null without a vector."""
    return {axis: None if vector is None else float(vector.get(axis, 0.0)) for axis in "xyz"}


def player_of_entity(name: str, *, more: int = 0, outside: bool = False) -> CellSource:
    """For a form: the player whose controller is the entity whose index is a field plus `more`."""
    return field_of_entity(_PLAYER_ID, name, more=more, outside=outside)


def known_player(number: int | None) -> int | None:
    """Return a player's number; None for a number that means nobody."""
    return number if number is not None and number >= 0 else None
