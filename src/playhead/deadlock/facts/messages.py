"""Tables ``chat``, ``voice``, ``inputs``, ``pings`` and ``structure_alerts``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import index_of
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import person_columns, person_row
from playhead.deadlock.sources.words import SIDES, STRUCTURES
from playhead.source2.facts.inputs import ServerInputs
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.user_commands import VOICE_COLUMNS, UserCommand, account_of, voice_row
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.messages import Chat
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import CHAT, INPUTS
from playhead.tables.vocabulary import word, words

DEADLOCK_CHAT = CHAT.extended(*words("game_seconds"), *person_columns()[1:])
DEADLOCK_INPUTS = INPUTS.extended(
    *words("game_seconds"),
    *person_columns()[1:],
    *words("command_number server_tick client_tick buttons buttons_changed buttons_pressed"),
    *words("buttons_released forward left pitch yaw"),
    *(Column(f"camera_{axis}", "float32", "vec_camera_position.", "map units") for axis in "xyz"),
    *words("mouse_x mouse_y"),
    Column("in_shop", "bool", "The shop is open; false if not sent."),
    Column("aimed_at_hero_id", "int64", "enemy_hero_aimed_at: the game's number; null if not sent."),
    word("is_delta"),
)
VOICE = TableSchema.of(
    "voice",
    "One row for each packet of voice: svc_VoiceData. The speaker is found by Steam id or client.",
    *words("tick! seconds game_seconds"),
    *person_columns(),
    *VOICE_COLUMNS,
)


@TABLES.maker_of(DEADLOCK_CHAT)
class DeadlockChat(DeadlockFacts, Chat):
    jobs: ClassVar = Jobs()

    def __init__(self, match: DeadlockMatch) -> None:
        DeadlockFacts.__init__(self, match)
        Chat.__init__(self, match.replay.recording)
        self._rows = self.rows[CHAT.name]

    def _on_message(self, number: int, tick: int, payload: bytes) -> None:
        known = len(self._rows)
        super()._on_message(number, tick, payload)
        for row in self._rows[known:]:
            row |= person_row(self.match.people.slot(row["player"]))


@TABLES.maker_of(DEADLOCK_INPUTS)
class DeadlockInputs(ServerInputs[DeadlockMatch], DeadlockFacts):
    person_columns: ClassVar = tuple(column.name for column in person_columns())
    own_columns: ClassVar = ("in_shop", "aimed_at_hero_id", "camera_x", "camera_y", "camera_z")

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._people: dict[int, tuple[Any, ...]] = {}
        self._version: int | None = None

    def own_values(self, command: UserCommand) -> tuple[Any, ...]:
        get = command.own.get
        shop, aimed_at, camera = bool(get("in_shop")), get("enemy_hero_aimed_at"), get("vec_camera_position")
        if camera is None:
            return shop, aimed_at, None, None, None
        return shop, aimed_at, camera.get("x", 0.0), camera.get("y", 0.0), camera.get("z", 0.0)

    def person_values(self, slot: int) -> tuple[Any, ...]:
        people = self.match.people
        if people.version != self._version:
            self._version, self._people = people.version, {}
        known = self._people.get(slot)
        if known is None:
            person = people.slot(slot)
            known = (slot, None, None, None, None)
            if person is not None:
                known = (person.player, person.hero, person.hero_id, person.team, SIDES.get(person.team or 0))
            self._people[slot] = known
        return known


@TABLES.maker_of(VOICE)
class DeadlockVoice(DeadlockFacts):
    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, Engine.VOICE_DATA, self._on_voice)

    def _on_voice(self, tick: int, fields: Mapping[Any, Any]) -> None:
        account, people = account_of(fields), self.match.people
        known = () if account is None else people.controllers()
        owner = next((each for each in known if each.get("m_steamID") == account), None)
        person = people.slot(fields.get("client_deprecated")) if owner is None else people.person(owner)
        self._rows.append({"tick": tick, **person_row(person), **voice_row(fields)})


#: The messages of pings: number of the definition's name, and kind.
_PINGS = {"k_EUserMsg_MapPing": "map", "k_EUserMsg_AbilityPing": "ability"}

PINGS = TableSchema.of(
    "pings",
    "One row for each message MapPing or AbilityPing.",
    *words("tick! seconds game_seconds"),
    *person_columns(),
    word("kind", "map or ability: by the message."),
    Column("ping_id", "int64", "ping_message_id of the message: the game's number of the phrase."),
    *words("x y z"),
    word("target_entity", "Null without one."),
    *words("ability ability_id"),
)
STRUCTURE_ALERTS = TableSchema.of(
    "structure_alerts",
    "One row for each warning that a structure is under attack: game event boss_damaged, message BossDamaged, or "
    "both in one packet.",
    *words("tick! seconds game_seconds team side"),
    Column("objective_id", "int64", "objective_id: the game's number of the structure."),
    *words("entity"),
    word("kind", "guardian, walker, barracks, sentry, shrine or patron: by its class."),
    word("known_by", "event, message or both."),
)


@TABLES.maker_of(PINGS, STRUCTURE_ALERTS)
class DeadlockSignals(DeadlockFacts):
    def attach(self, playback: Playback) -> None:
        for name, kind in _PINGS.items():
            self.match.on_fields(playback, name, partial(self._on_ping, kind))
        self.match.on_fields(playback, "k_EUserMsg_BossDamaged", partial(self._add_alert, "message"))
        playback.on_game_event(self._on_event)

    def _on_ping(self, kind: str, tick: int, fields: Mapping[Any, Any]) -> None:
        data = fields.get("ping_data") or {}
        place = data.get("ping_location")
        slot = data.get("sender_player_slot")
        row: dict[str, Any] = {"tick": tick, "player": slot, **person_row(self.match.people.slot(slot))}
        row |= {axis: None if place is None else float(place.get(axis, 0.0)) for axis in "xyz"}
        row["kind"], row["ping_id"] = kind, data.get("ping_message_id")
        row["target_entity"] = index_of(data.get("entity_index"))
        row["ability_id"] = data.get("ability_id") or None
        self.rows[PINGS.name].append(row)

    def _on_event(self, event: GameEvent) -> None:
        if event.name == "boss_damaged":
            self._add_alert("event", event.tick, event.fields)

    def _add_alert(self, source: str, tick: int, fields: Mapping[Any, Any]) -> None:
        index = index_of(fields.get("entity_damaged"))
        entity = self.match.people.entity(index)
        row = {
            "tick": tick,
            "team": fields.get("objective_team"),
            "objective_id": fields.get("objective_id"),
            "entity": index,
            "kind": None if entity is None else STRUCTURES.get(entity.class_name),
        }
        alerts = self.rows[STRUCTURE_ALERTS.name]
        for known in reversed(alerts):
            if known["tick"] != tick:
                break
            if known["known_by"] not in (source, "both") and row.items() <= known.items():
                known["known_by"] = "both"
                return
        alerts.append({**row, "known_by": source})
