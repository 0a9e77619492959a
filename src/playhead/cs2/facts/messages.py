"""Tables ``chat``, ``voice``, ``votes``, ``convars``, ``inputs`` and ``ranks``: messages of the server."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from playhead.cs2.facts import ROUND, TABLES, TIME, person
from playhead.cs2.sources.match import Cs2Facts, Cs2Match
from playhead.cs2.sources.pawn import CONTROLLER
from playhead.cs2.sources.people import columns_of
from playhead.cs2.sources.words import RANK_TYPES, SIDES, VOTE_FAILURES, VOTE_OPTIONS, VOTE_TYPES, word_of
from playhead.runtime.records import replace
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.facts.inputs import ServerInputs
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.user_commands import VOICE_COLUMNS, UserCommand, account_of, voice_row
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.messages import Chat, said
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import CHAT
from playhead.tables.shared import INPUTS as SHARED_INPUTS
from playhead.tables.vocabulary import word, words

_STEPS = {
    "subtick_when": ("list<float32>", "when", "Moment of each subtick step, 0 to 1 within the tick."),
    "subtick_button": ("list<uint64>", "button", "Bit of the button of each step; 0 for none."),
    "subtick_pressed": ("list<bool>", "pressed", "Whether the step presses its button."),
    "subtick_forward": ("list<float32>", "analog_forward_delta", "Change of forward movement of each step."),
    "subtick_left": ("list<float32>", "analog_left_delta", "Change of movement to the left of each step."),
    "subtick_pitch": ("list<float32>", "pitch_delta", "Change of the vertical view of each step."),
    "subtick_yaw": ("list<float32>", "yaw_delta", "Change of the horizontal view of each step."),
}
_ZEROS: Mapping[str, Any] = {"list<float32>": 0.0, "list<uint64>": 0, "list<bool>": False}
_STEP_VALUES = tuple((key, _ZEROS[type_]) for type_, key, _ in _STEPS.values())
_NO_STEPS: tuple[list[Any], ...] = ([],) * len(_STEPS)

CS2_CHAT = CHAT.extended(*words("side game_seconds"), *ROUND)
VOICE = TableSchema.of(
    "voice",
    "One row for each packet of voice: svc_VoiceData.",
    *TIME,
    *person(),
    *VOICE_COLUMNS,
    group="messages",
)
VOTES = TableSchema.of(
    "votes",
    "What happened to votes: messages CS_UM_VoteStart, VotePass, VoteFailed, and event vote_cast.",
    *TIME,
    word("event", "started, cast, passed, failed."),
    *person(),
    Column("vote_side", "category", "Side that may vote: t or ct; null for both."),
    Column("vote_type", "category", "kick, surrender, starttimeout …; null for a cast vote."),
    Column("vote_type_id", "int64", "The game's number of it."),
    Column("subject", "string", "Text of the vote (disp_str): #SFUI_vote_kick_player_other; null for none."),
    Column("subject_details", "string", "What fills the text (details_str); null if not sent."),
    *person("target_"),
    Column("vote_option", "category", "Chosen option of a cast vote: yes, no; null for others."),
    Column("vote_option_id", "int64", "The game's number of it."),
    word("reason", "Of a failure, as vote_create_failed_t calls it; null for others."),
    word("reason_id"),
)
CONVARS = TableSchema.of(
    "convars",
    "One row for each setting of the server in the recording (net_SetConVar): those of the sign-on, and changes.",
    *TIME,
    Column("convar", "string", "Name of the setting: mp_freezetime."),
    Column("convar_value", "string", "Its value as the server sent it."),
    group="messages",
)
INPUTS = replace(
    SHARED_INPUTS,
    doc="One row for each command of a player that the server recorded (svc_UserCmds). Servers since July 2026 "
    "send most as deltas of the player's command before; a row that lacks that one, or comes late, has "
    "numbers only.",
).extended(
    word("game_seconds"),
    *ROUND,
    *person()[1:],
    *words(
        "command_number server_tick client_tick buttons buttons_changed buttons_pressed buttons_released pitch "
        "yaw forward left mouse_x mouse_y"
    ),
    Column("weapon_entity", "int32", "Entity of the selected weapon (weaponselect); null if not sent."),
    *(Column(name, type_, doc) for name, (type_, _, doc) in _STEPS.items()),
    word("is_delta"),
)
_SERVER = "UM_SayText"
_VOTES = {"started": "VoteStart", "passed": "VotePass", "failed": "VoteFailed"}


@TABLES.maker_of(CS2_CHAT)
class Cs2Chat(Cs2Facts):
    """Table ``chat``: SayText2 of players, SayText of the server; lines by person, which the engine's table has by
    slot."""

    entities: ClassVar = False
    events: ClassVar = Chat.events

    def attach(self, playback: Playback) -> None:
        for number in (Engine.SAY_TEXT_2, self.match.number(_SERVER)):
            playback.on_message(number, partial(self._on_line, number), full_packets=True)

    def _on_line(self, number: int, tick: int, payload: bytes) -> None:
        message = self.match.decode(tick, number, payload)
        if message is None:
            return
        fields = message.fields or {}
        if number == Engine.SAY_TEXT_2:
            row = said(fields)
        else:
            slot = fields.get("playerindex", 0) - 1
            row = {"player": slot if slot >= 0 else None, "text": fields.get("text"), "channel": "SayText"}
        speaker = self.match.people.in_slot(row["player"])
        shown = row.get("name") or (None if speaker is None else speaker.name)
        self._rows.append({"tick": tick, **row, "name": shown, "side": None})
        if speaker is not None:
            self._rows[-1] |= {"player": speaker.player, "side": speaker.side}
        elif self.match.people.present:
            self._rows[-1]["player"] = None  # without any controller, `players` has the slots


@TABLES.maker_of(VOICE)
class Cs2Voice(Cs2Facts):
    entities: ClassVar = False

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, Engine.VOICE_DATA, self._on_voice)

    def _on_voice(self, tick: int, fields: Mapping[Any, Any]) -> None:
        account, people = account_of(fields), self.match.people
        speaker = next((each for each in people.present if account and each.account == account), None)
        speaker = speaker or people.in_slot(fields.get("client_deprecated"))
        self._rows.append({"tick": tick, **columns_of(speaker, ""), **voice_row(fields)})


@TABLES.maker_of(VOTES)
class Votes(Cs2Facts):
    entities: ClassVar = False

    def attach(self, playback: Playback) -> None:
        for event, message in _VOTES.items():
            self.match.on_fields(playback, f"CS_UM_{message}", partial(self._on_vote, event))
        self.match.events(playback).on("vote_cast", self._on_cast)

    def _on_vote(self, event: str, tick: int, fields: Mapping[Any, Any]) -> None:
        people, kind, reason = self.match.people, fields.get("vote_type"), fields.get("reason")
        row = {
            "tick": tick,
            "event": event,
            **columns_of(people.in_slot(fields.get("player_slot")), ""),
            "vote_side": SIDES.get(fields.get("team", 0)),
            "vote_type": word_of(VOTE_TYPES, kind, "type"),
            "vote_type_id": kind,
            "subject": fields.get("disp_str"),
            "subject_details": fields.get("details_str"),
            **columns_of(people.in_slot(fields.get("player_slot_target")), "target_"),
            "reason": word_of(VOTE_FAILURES, reason, "reason"),
            "reason_id": reason,
        }
        self._rows.append(row)

    def _on_cast(self, tick: int, event: Mapping[str, Any]) -> None:
        voter, option = self.match.people.in_slot(event.get("userid")), event.get("vote_option")
        row = {"tick": tick, "event": "cast", **columns_of(voter, ""), "vote_option_id": option}
        row["vote_option"] = word_of(VOTE_OPTIONS, option, "option")
        self._rows.append(row | {"vote_side": SIDES.get(event.get("team") or 0)})


@TABLES.maker_of(CONVARS)
class Convars(Cs2Facts):
    entities: ClassVar = False

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, "net_SetConVar", self._on_convars)

    def _on_convars(self, tick: int, fields: Mapping[Any, Any]) -> None:
        for each in (fields.get("convars") or {}).get("cvars", ()):
            self._rows.append({"tick": tick, "convar": each.get("name"), "convar_value": each.get("value")})


@TABLES.maker_of(INPUTS)
class Cs2Inputs(ServerInputs[Cs2Match], Cs2Facts):
    entities: ClassVar = False
    person_columns: ClassVar = tuple(column.name for column in person())
    own_columns: ClassVar = ("weapon_entity", *_STEPS)

    def person_values(self, slot: int) -> tuple[Any, ...]:
        found = self.match.people.in_slot(slot)
        return (None, None, None) if found is None else (found.player, found.name, found.side)

    def own_values(self, command: UserCommand) -> tuple[Any, ...]:
        weapon, steps = command.base.get("weaponselect"), command.base.get("subtick_moves")
        if not steps:
            return weapon, *_NO_STEPS
        return weapon, *[[step.get(key, zero) for step in steps] for key, zero in _STEP_VALUES]


_RANKS = {
    "rank": ("m_iCompetitiveRanking", ""),
    "rank_type_id": ("m_iCompetitiveRankType", ""),
    "wins": ("m_iCompetitiveWins", "Matches won."),
    "rank_if_win": ("m_iCompetitiveRankingPredicted_Win", "Rank after a win."),
    "rank_if_loss": ("m_iCompetitiveRankingPredicted_Loss", "Rank after a loss."),
    "rank_if_tie": ("m_iCompetitiveRankingPredicted_Tie", "Rank after a tie."),
}
_UPDATE = "CS_UM_ServerRankUpdate"

RANKS = TableSchema.of(
    "ranks",
    "One row for each rank that a controller has, at its first value and each change, and for each "
    "CS_UM_ServerRankUpdate.",
    *TIME,
    *person(),
    word("rank", "Or rating; m_iCompetitiveRanking."),
    Column("rank_type", "category", "Kind of the rank: premier, competitive, wingman; null for none."),
    Column("rank_type_id", "int64", "m_iCompetitiveRankType; -1 for none."),
    *(Column(name, "int32", f"{doc} {field}.") for name, (field, doc) in _RANKS.items() if doc),
    Column("rank_old", "int32", "Rank before the match, of the message; null without it."),
    Column("rank_change", "float32", "Change, of the message; null without it."),
)


@TABLES.maker_of(RANKS)
class Ranks(Cs2Facts):
    fields = MappingProxyType({CONTROLLER: tuple(field for field, _ in _RANKS.values())})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._known: dict[int, tuple[Any, ...]] = {}
        watch = FieldWatch([field for field, _ in _RANKS.values()], self._on_controller)
        playback.entities.on_entity(watch, CONTROLLER)
        self.match.on_fields(playback, _UPDATE, self._on_update)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        owner = self.match.people.in_slot(controller.index - 1)
        if op & EntityOp.DELETED or owner is None or owner.is_bot or not owner.account:
            return
        values = tuple(controller.get_int(field) for field, _ in _RANKS.values())
        if any(value is not None for value in values) and self._known.get(owner.player) != values:
            self._known[owner.player] = values
            row = {"tick": self._playback.tick, **columns_of(owner, "")}
            self._rows.append(row | dict(zip(_RANKS, values, strict=True)))

    def _on_update(self, tick: int, fields: Mapping[Any, Any]) -> None:
        for update in fields.get("rank_update") or ():
            number = update.get("account_id")
            found = (each for each in self.match.people if number and each.account & 0xFFFFFFFF == number)
            row = {"tick": tick, **columns_of(next(found, None), ""), "rank": update.get("rank_new")}
            row |= {"rank_old": update.get("rank_old"), "wins": update.get("num_wins")}
            row |= {"rank_change": update.get("rank_change"), "rank_type_id": update.get("rank_type_id")}
            self._rows.append(row)

    def rows(self) -> list[dict[str, Any]]:
        return [row | {"rank_type": word_of(RANK_TYPES, row["rank_type_id"], "type")} for row in self._rows]
