"""What is heard and seen: sounds, particles, temporary entities."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, ClassVar

from playhead.dota2.facts.columns import GAME_SECONDS
from playhead.dota2.sources.match import Match
from playhead.dota2.sources.message_rows import DETAILS, MessageRows, index_of, position
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.definitions import message_numbers
from playhead.source2.messages.numbers import Engine
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

# Temporary entities of the engine, and Dota's own: projectiles, animations, blood.
_TEMP_ENTITIES = ("TE_*", "DOTA_UM_TE_*", "DOTA_UM_*Projectile*")

_PLACE = (
    Column("x", "float32", "Where: world coordinates; null if the message has none."),
    Column("y", "float32", "Where: world coordinates; null if the message has none."),
    Column("z", "float32", "Where: world coordinates; null if the message has none."),
)
_ENTITY = (
    Column("entity", "int32", "Index of the entity it belongs to; null without one."),
    Column("entity_name", "string", "That entity's name, otherwise its class; null if there is none."),
)

SOUNDS = TableSchema(
    name="sounds",
    version=1,
    doc="One row for each sound that starts or stops: the messages of sound events (GE_Sos…), svc_Sounds, "
    "svc_StopSound and UM_SendAudio. Sound events are named by a hash; their names are not in recordings.",
    columns=(
        TICK,
        SECONDS,
        GAME_SECONDS,
        Column("kind", "category", "start, stop, parameters, fields (of a sound event); sound, send (others)."),
        Column(
            "guid", "int64", "Number of this sound: what starts and stops with it has the same; null if not known."
        ),
        Column("sound_hash", "int64", "The game's hash of the sound event's name; null if not known."),
        Column("sound", "string", "Name of the sound, where the message has it."),
        *_ENTITY,
        Column("start_time", "float32", "Time of the server's clock at which it starts; null if not known.", "s"),
        Column("parameters", "binary", "Parameters of the sound event as they are packed; null without any."),
        DETAILS,
    ),
)

PARTICLES = TableSchema(
    name="particles",
    version=1,
    doc="One row for each message to a particle system: CUserMsg_ParticleManager.",
    columns=(
        TICK,
        SECONDS,
        GAME_SECONDS,
        Column("kind", "category", "PARTICLE_MESSAGE: CREATE, UPDATE_ENT, DESTROY …; a number without a name."),
        Column("particle", "int64", "Number of the particle system: all messages to it have the same."),
        Column(
            "resource", "uint64", "The game's hash of the particle's resource; null for other kinds than CREATE."
        ),
        *_ENTITY,
        Column("control_point", "int32", "Control point that is set; null without one."),
        *_PLACE,
        DETAILS,
    ),
)

TEMP_ENTITIES = TableSchema(
    name="temp_entities",
    version=1,
    doc="One row for each temporary entity: an effect of the engine (TE_…) or of Dota (projectiles, animations, "
    "blood).",
    columns=(
        TICK,
        SECONDS,
        GAME_SECONDS,
        Column("kind", "category", "Name of the message: TE_EffectDispatchId, DOTA_UM_TE_Projectile …"),
        *_ENTITY,
        Column("target", "int32", "Index of the entity it is aimed at; null without one."),
        Column("target_name", "string", "The target's name, otherwise its class; null if there is none."),
        *_PLACE,
        DETAILS,
    ),
)

_SOUND_KINDS: dict[int, str] = {
    Engine.SOS_START_SOUND: "start",
    Engine.SOS_STOP_SOUND: "stop",
    Engine.SOS_SET_PARAMETERS: "parameters",
    Engine.SOS_SET_STACK_FIELDS: "fields",
    Engine.SOS_STOP_SOUND_HASH: "stop",
    Engine.STOP_SOUND: "stop",
}
_PARTICLE_PREFIX = "GAME_PARTICLE_MANAGER_EVENT_"
# Fields of temporary entities that say whose they are (handles), and where.
_SOURCES = ("source", "entity", "entindex")
_PLACES = ("source_loc", "origin", "start", "target_loc")


class Sounds(MessageRows):
    """Table ``sounds``."""

    schemas: ClassVar = (SOUNDS,)
    numbers: ClassVar = (Engine.SOUNDS, Engine.SEND_AUDIO, *_SOUND_KINDS)

    def rows_of(self, number: int, fields: MessageFields) -> Iterator[tuple[str, dict[str, Any]]]:
        if number == Engine.SOUNDS:
            for sound in fields.get("sounds", ()):
                yield SOUNDS.name, self._sound(sound)
        elif number == Engine.SEND_AUDIO:
            kind = "stop" if fields.get("stop") else "send"
            row = {"kind": kind, "sound": fields.get("soundname")}
            yield SOUNDS.name, row | {"details": self.details(fields, "soundname", "stop")}
        else:
            entity = fields.get("source_entity_index")
            shown = (
                "soundevent_guid",
                "guid",
                "soundevent_hash",
                "source_entity_index",
                "start_time",
                "packed_params",
            )
            yield (
                SOUNDS.name,
                {
                    "kind": _SOUND_KINDS[number],
                    "guid": fields.get("soundevent_guid", fields.get("guid")),
                    "sound_hash": fields.get("soundevent_hash"),
                    "entity": None if entity is None or entity < 0 else entity,
                    "entity_name": self.entity_name(entity),
                    "start_time": fields.get("start_time"),
                    "parameters": fields.get("packed_params"),
                    "details": self.details(fields, *shown),
                },
            )

    def _sound(self, sound: MessageFields) -> dict[str, Any]:
        entity = sound.get("entity_index")
        return {
            "kind": "sound",
            "guid": sound.get("guid"),
            "entity": entity,
            "entity_name": self.entity_name(entity),
            "details": self.details(sound, "guid", "entity_index"),
        }


class Particles(MessageRows):
    """Table ``particles``."""

    schemas: ClassVar = (PARTICLES,)
    numbers: ClassVar = (Engine.PARTICLE_MANAGER,)

    def rows_of(self, number: int, fields: MessageFields) -> Iterator[tuple[str, dict[str, Any]]]:
        # Each message has one of many messages inside, named after its type.
        inside: dict[str | int, Any] = {}
        for name, value in fields.items():
            if isinstance(value, dict):
                inside |= value
            elif name not in ("type", "index"):
                inside[name] = value
        handle = inside.get("entity_handle")
        index = index_of(handle)
        place = next((name for name in ("position", "fallback_position") if name in inside), "")
        shown = ("particle_name_index", "control_point", place, *(("entity_handle",) if index is not None else ()))
        yield (
            PARTICLES.name,
            {
                "kind": str(fields.get("type", 0)).removeprefix(_PARTICLE_PREFIX),
                "particle": fields.get("index"),
                "resource": inside.get("particle_name_index"),
                "entity": index,
                "entity_name": self.entity_name(index),
                "control_point": inside.get("control_point"),
                **position(inside.get(place)),
                "details": self.details(inside, *shown),
            },
        )


class TempEntities(MessageRows):
    """Table ``temp_entities``."""

    schemas: ClassVar = (TEMP_ENTITIES,)
    numbers: ClassVar = tuple(
        number
        for number, entry in message_numbers("dota").items()
        if entry.message is not None and any(fnmatchcase(entry.name, pattern) for pattern in _TEMP_ENTITIES)
    )

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self._names = {number: message_numbers("dota")[number].name for number in self.numbers}

    def rows_of(self, number: int, fields: MessageFields) -> Iterator[tuple[str, dict[str, Any]]]:
        inside: MessageFields = fields.get("effectdata", fields)
        source = next((name for name in _SOURCES if name in inside), "")
        place = next((name for name in _PLACES if name in inside), "")
        entity, target = index_of(inside.get(source)), index_of(inside.get("target"))
        vector = inside.get(place)
        yield (
            TEMP_ENTITIES.name,
            {
                "kind": self._names[number],
                "entity": entity,
                "entity_name": self.entity_name(entity),
                "target": target,
                "target_name": self.entity_name(target),
                **position(vector if isinstance(vector, dict) else None),
                "details": self.details(inside, source, place, "target"),
            },
        )
