"""Tables ``orders``, ``inputs``, ``sounds``, ``particles`` and ``temp_entities``: each row is a message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources import message_facts
from playhead.dota2.sources.match import Dota2Match
from playhead.dota2.sources.message_facts import MessageFacts, definition_of
from playhead.dota2.sources.names import game_names
from playhead.errors import ReplayError
from playhead.runtime.libraries import pa, pc
from playhead.source2 import message_rows
from playhead.source2.container.frames import USER_COMMAND
from playhead.source2.message_rows import MessageForm, axes, called, field_value, name_of, named, not_zero
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.definitions import enumeration, message_numbers
from playhead.source2.messages.numbers import Engine, message_number
from playhead.source2.messages.user_commands import decode_user_command
from playhead.source2.playback.collector import Jobs, join_tables
from playhead.tables.schema import Column, TableSchema, arrow_type
from playhead.tables.shared import INPUTS as SHARED_INPUTS
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words

if TYPE_CHECKING:
    from playhead.tables.deferred import Built, Packed

_CLICK = message_number("dota2", "DOTA_UM_SpectatorPlayerClick")
_ORDERS = message_number("dota2", "DOTA_UM_SpectatorPlayerUnitOrders")
_PREFIX = "DOTA_UNIT_ORDER_"
_TREE_ORDER = "CAST_TARGET_TREE"
_USER_COMMAND = "USER_COMMAND"
_SHOWN = ("legacy_command_number", "client_tick", "viewangles", "mousedx", "mousedy")

_TARGET_NAME = word("target_entity_name", "Otherwise its class; null for trees.")

ORDERS = TableSchema.of(
    "orders",
    "One row for each order: CDOTAUserMsg_SpectatorPlayerUnitOrders, in older recordings "
    "CDOTAUserMsg_SpectatorPlayerClick.",
    *words("tick seconds game_seconds"),
    word("player", "m_nPlayerID of the entity that the message names."),
    word("hero"),
    word("kind", "dotaunitorder_t: MOVE_TO_POSITION, ATTACK_TARGET, CAST_NO_TARGET …; or a number."),
    Column("entities", "list<int32>", "Indices of the entities that receive it; null if the message has none."),
    Column("entity_names", "list<string>", "Their names, otherwise their classes."),
    word("target_entity", "Or number of the tree."),
    _TARGET_NAME,
    word("x", "The place that is meant."),
    *words("y z"),
    word("ability_id", "Or of the item."),
    word("ability", "Or the item; from the optional package of names."),
    word("queued"),
    word("entity", "Of the player who gave it."),
    word("details"),
    group="messages",
)

INPUTS = TableSchema.of(
    "inputs",
    "Actions of players: every row of `orders` with its kind, target and place; and, in a recording that a player "
    "made, a row of kind USER_COMMAND for each command that the client sent to the server.",
    *SHARED_INPUTS.columns,
    *words("game_seconds x y"),
    _TARGET_NAME,
    *words("ability queued"),
    word("command_number", "Null for orders."),
    *words("client_tick pitch yaw mouse_x mouse_y"),
    word("details", "The command's other fields, those without a definition by number; null for orders."),
    group="log",
)


@TABLES.maker_of(ORDERS, INPUTS)
class Orders(message_facts.MessageFacts):
    jobs: ClassVar = Jobs(7, anew=True, extra=15)
    late = ("game_seconds", "hero")
    fields = message_facts.HERO_FIELDS
    numbers: ClassVar = (_CLICK, _ORDERS)

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match)
        prefix = len(_PREFIX)
        kinds: dict[int, str] = {number: name[prefix:] for name, number in enumeration("dotaunitorder_t").items()}
        units, target = field_value("units"), not_zero("target_index")
        columns = {
            "player": message_facts.player_of_entity("entindex"),
            "kind": named("order_type", kinds, absent=kinds.get(0, "0")),
            "entities": units,
            "entity_names": name_of(units),
            "target_entity": target,
            "target_entity_name": name_of(target),
            **axes("position"),
            "ability_id": not_zero("ability_id"),
            "ability": called(lambda number: game_names().ability_or_item(number or None), "ability_id"),
            "entity": field_value("entindex"),
        }
        queued = called(bool, "queue")
        self.forms = {
            _CLICK: (ORDERS, MessageForm(message_facts.definition_of(_CLICK), columns)),
            _ORDERS: (ORDERS, MessageForm(message_facts.definition_of(_ORDERS), columns | {"queued": queued})),
        }

    def tables(self) -> Mapping[str, Built]:
        return self._with_inputs(*self._ready(ORDERS))

    def part(self) -> Mapping[str, Built]:
        return {ORDERS.name: self._table(ORDERS)}

    def joined(self, earlier: Sequence[Mapping[str, pa.Table]]) -> Mapping[str, Built]:
        orders = join_tables([*(part[ORDERS.name] for part in earlier), self._table(ORDERS)])
        return self._with_inputs(self.match.completed(orders, self.late), {})

    def _with_inputs(self, orders: pa.Table, packed: Mapping[str, Packed]) -> Mapping[str, Built]:
        # Trees have separate numbers.
        of_trees = pc.equal(orders["kind"].cast(pa.string()), scalar_of(_TREE_ORDER, pa.string()))
        names = pc.if_else(of_trees, scalar_of(None, pa.string()), orders["target_entity_name"])
        columns = {name: orders[name] for name in orders.column_names} | {"target_entity_name": names}
        orders = message_facts.without(ORDERS, packed).build(columns)
        columns = {name: orders[name] for name in INPUTS.column_names if name in orders.column_names}
        given = {column.name: columns.get(column.name) for column in INPUTS.columns}
        given = {
            column.name: pa.nulls(len(orders), arrow_type(column.type))
            if given[column.name] is None or column.name == "details"
            else given[column.name]
            for column in INPUTS.columns
        }
        inputs = INPUTS.build(given)
        commands = list(self._commands())
        if commands:
            sent = self.match.table(INPUTS, commands)
            inputs = pa.concat_tables([inputs, sent]).unify_dictionaries().combine_chunks()
        shown = message_facts.with_packed(ORDERS, orders, packed)
        return {ORDERS.name: shown, INPUTS.name: _in_time_order(inputs)}

    # -- user commands ----------------------------------------------------------------------------------

    def _commands(self) -> Iterator[dict[str, Any]]:
        """Yield one row per UserCmd frame; call it after the playback, which identifies the recording player."""
        recording, decode = self.match.replay.recording, self._playback.decoder.contents
        players: dict[int | None, int | None] = {}
        for number in recording.frames.numbers_of(USER_COMMAND):
            frame = recording.frames[number]
            try:
                command = decode_user_command(recording.payload(frame), decode=decode)
            except ReplayError as error:
                error.offset = frame.offset
                self.match.problem(error, frame.tick, f"the user command in frame {number}")
                continue
            base = command.base
            angles = base.get("viewangles", {})
            pawn = base.get("pawn_entity_handle")
            if pawn not in players:
                players[pawn] = self.player_of_pawn(pawn)
            yield {
                "tick": frame.tick,
                "player": players[pawn],
                "kind": _USER_COMMAND,
                "command_number": command.number,
                "client_tick": base.get("client_tick"),
                "pitch": angles.get("x", 0.0),
                "yaw": angles.get("y", 0.0),
                "mouse_x": base.get("mousedx", 0),
                "mouse_y": base.get("mousedy", 0),
                "details": self.details({**base, **command.own}, *_SHOWN),
            }


def _in_time_order(table: pa.Table) -> pa.Table:
    """Return the rows sorted by tick; rows of one tick keep their order."""
    return table.take(pc.array_sort_indices(table["tick"].combine_chunks()))


# Temporary entities of the engine, and Dota's own: projectiles, animations, blood.
_TEMP_ENTITIES = ("TE_*", "DOTA_UM_TE_*", "DOTA_UM_*Projectile*")

_TIMES = "tick seconds game_seconds"
_ENTITY = (word("entity", "To which it belongs."), word("entity_name", "Otherwise its class."))

SOUNDS = TableSchema.of(
    "sounds",
    "One row for each sound that starts or stops: the messages of sound events (GE_Sos…), svc_Sounds, "
    "svc_StopSound and UM_SendAudio. Sound events are named by a hash; their names are not in recordings.",
    *words(_TIMES),
    word("kind", "start, stop, parameters, fields (of a sound event); sound, send (others)."),
    Column("guid", "int64", "Number of this sound: its start and stop have the same; null if unknown."),
    *words("sound_hash sound"),
    *_ENTITY,
    Column("start_server_seconds", "float64", "Server's clock at which it starts; null if unknown.", "s"),
    Column("parameters", "binary", "Parameters of the sound event as they are packed; null without any."),
    word("details"),
    group="messages",
)

PARTICLES = TableSchema.of(
    "particles",
    "One row for each message to a particle system: CUserMsg_ParticleManager.",
    *words(_TIMES),
    word("kind", "PARTICLE_MESSAGE: CREATE, UPDATE_ENT, DESTROY …; a number without a name."),
    Column("particle", "int64", "Number of the particle system: all messages to it have the same."),
    Column("resource", "uint64", "The game's hash of the particle's resource; null for other kinds than CREATE."),
    *_ENTITY,
    Column("control_point", "int32", "Control point that is set; null without one."),
    *words("x y z details"),
    group="messages",
)

TEMP_ENTITIES = TableSchema.of(
    "temp_entities",
    "One row for each temporary entity: an effect of the engine (TE_…) or of Dota (projectiles, animations, "
    "blood).",
    *words(_TIMES),
    word("kind", "Name of the message: TE_EffectDispatchId, DOTA_UM_TE_Projectile …"),
    *_ENTITY,
    word("target_entity"),
    word("target_entity_name", "Otherwise its class."),
    *words("x y z details"),
    group="messages",
)

_SOUND_KINDS: dict[int, str] = {
    Engine.SOS_START_SOUND: "start",
    Engine.SOS_STOP_SOUND: "stop",
    Engine.SOS_SET_PARAMETERS: "parameters",
    Engine.SOS_SET_STACK_FIELDS: "fields",
    Engine.SOS_STOP_SOUND_HASH: "stop",
    Engine.STOP_SOUND: "stop",
}
_PARTICLE_KINDS = message_rows.short_names("PARTICLE_MESSAGE", "GAME_PARTICLE_MANAGER_EVENT_")


# The forms, whose plans are the same for all recordings, so they are made once in a process.
_Forms = Mapping[int, tuple[TableSchema, message_rows.MessageForm]]


@cache
def _sound_forms() -> _Forms:
    entity = message_rows.not_negative("source_entity_index")
    columns = {
        "guid": message_rows.field_value("soundevent_guid", "guid"),
        "sound_hash": message_rows.field_value("soundevent_hash"),
        "entity": entity,
        "entity_name": message_rows.name_of(entity),
        "start_server_seconds": message_rows.field_value("start_time"),
        "parameters": message_rows.field_value("packed_params"),
    }
    return {
        number: (SOUNDS, message_rows.MessageForm(definition_of(number), {"kind": kind, **columns}))
        for number, kind in _SOUND_KINDS.items()
    }


@cache
def _particle_forms() -> _Forms:
    entity = message_rows.handle("entity_handle", shown=True)
    columns = {
        "kind": message_rows.named("type", _PARTICLE_KINDS, absent="0", outside=True),
        "particle": message_rows.field_value("index", outside=True),
        "resource": message_rows.field_value("particle_name_index"),
        "entity": entity,
        "entity_name": message_rows.name_of(entity),
        "control_point": message_rows.field_value("control_point"),
        **message_rows.axes("position", "fallback_position"),
    }
    # Each message contains one of many inner messages, named after its type.
    form = message_rows.MessageForm(definition_of(Engine.PARTICLE_MANAGER), columns, flat=True)
    return {Engine.PARTICLE_MANAGER: (PARTICLES, form)}


@cache
def _temp_entity_forms() -> _Forms:
    # Fields with the owner (a handle) and the position.
    entity, target = message_rows.handle("source", "entity", "entindex"), message_rows.handle("target")
    columns = {
        "entity": entity,
        "entity_name": message_rows.name_of(entity),
        "target_entity": target,
        "target_entity_name": message_rows.name_of(target),
        **message_rows.axes("source_loc", "origin", "start", "target_loc"),
    }
    return {
        number: (
            TEMP_ENTITIES,
            message_rows.MessageForm(
                definition_of(number),
                {"kind": message_numbers("dota2")[number].name, **columns},
                inside="effectdata",
            ),
        )
        for number in TempEntities.numbers
    }


@TABLES.maker_of(SOUNDS)
class Sounds(MessageFacts):
    jobs: ClassVar = Jobs(6, anew=True, extra=250)
    numbers: ClassVar = (Engine.SOUNDS, Engine.SEND_AUDIO, *_SOUND_KINDS)

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match)
        self.forms = _sound_forms()

    def rows_of(self, number: int, fields: MessageFields) -> Iterator[tuple[str, dict[str, Any]]]:
        if number == Engine.SOUNDS:
            for sound in fields.get("sounds", ()):
                yield SOUNDS.name, self._sound(sound)
        else:
            kind = "stop" if fields.get("stop") else "send"
            row = {"kind": kind, "sound": fields.get("soundname")}
            yield SOUNDS.name, row | {"details": self.details(fields, "soundname", "stop")}

    def _sound(self, sound: MessageFields) -> dict[str, Any]:
        entity = sound.get("entity_index")
        return {
            "kind": "sound",
            "guid": sound.get("guid"),
            "entity": entity,
            "entity_name": self.entity_name(entity),
            "details": self.details(sound, "guid", "entity_index"),
        }


@TABLES.maker_of(PARTICLES)
class Particles(MessageFacts):
    jobs: ClassVar = Jobs(11, anew=True, extra=250)
    numbers: ClassVar = (Engine.PARTICLE_MANAGER,)

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match)
        self.forms = _particle_forms()


@TABLES.maker_of(TEMP_ENTITIES)
class TempEntities(MessageFacts):
    jobs: ClassVar = Jobs(18, anew=True, extra=250)
    numbers: ClassVar = tuple(
        number
        for number, entry in message_numbers("dota2").items()
        if entry.message is not None and any(fnmatchcase(entry.name, pattern) for pattern in _TEMP_ENTITIES)
    )

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match)
        self.forms = _temp_entity_forms()
