"""Tables ``sounds``, ``particles`` and ``temp_entities``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.match import Dota2Match
from playhead.dota2.sources.message_facts import MessageFacts, definition_of
from playhead.source2 import message_rows
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.definitions import message_numbers
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.collector import Jobs
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

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
    """Table ``sounds``."""

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
    """Table ``particles``."""

    jobs: ClassVar = Jobs(11, anew=True, extra=250)
    numbers: ClassVar = (Engine.PARTICLE_MANAGER,)

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match)
        self.forms = _particle_forms()


@TABLES.maker_of(TEMP_ENTITIES)
class TempEntities(MessageFacts):
    """Table ``temp_entities``."""

    jobs: ClassVar = Jobs(18, anew=True, extra=250)
    numbers: ClassVar = tuple(
        number
        for number, entry in message_numbers("dota2").items()
        if entry.message is not None and any(fnmatchcase(entry.name, pattern) for pattern in _TEMP_ENTITIES)
    )

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match)
        self.forms = _temp_entity_forms()
