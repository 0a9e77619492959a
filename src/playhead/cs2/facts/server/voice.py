"""Tables ``voice`` and ``votes``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.cs2.facts import TABLES
from playhead.cs2.facts.columns import NAME, PLAYER, SIDE, TIME, person_columns
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.people import columns_of
from playhead.cs2.sources.words import SIDES
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.voice import VOICE_COLUMNS, account_of, voice_row
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

VOICE = TableSchema.of(
    "voice", "One row for each packet of voice: svc_VoiceData.", *TIME, PLAYER, NAME, SIDE, *VOICE_COLUMNS
)
VOTES = TableSchema.of(
    "votes",
    "What happened to votes: messages CS_UM_VoteStart, VotePass, VoteFailed, and event vote_cast.",
    *TIME,
    Column("event", "category", "start, cast, pass, fail."),
    PLAYER,
    NAME,
    SIDE,
    Column("vote_side", "category", "Side that may vote: t or ct; null for both."),
    Column("vote_type", "int32", "Number of the subject; null for a cast vote."),
    Column("subject", "string", "Text of the vote (disp_str): #SFUI_vote_kick_player_other; null for none."),
    Column("details", "string", "What fills the text (details_str); null if not sent."),
    *person_columns("target_", "Whom the vote is about"),
    Column("option", "int32", "Chosen option of a cast vote: 0 is yes, 1 no; null for others."),
    Column("reason", "int32", "Number of the reason of a failure; null for others."),
    version=2,
)


@TABLES.maker_of(VOICE)
class Cs2Voice(Cs2Facts):
    """Table ``voice``."""

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, int(Engine.VOICE_DATA), self._on_voice)

    def _on_voice(self, tick: int, fields: Mapping[Any, Any]) -> None:
        account, people = account_of(fields), self.match.people
        person = next((each for each in people.present if account and each.account == account), None)
        person = person or people.in_slot(fields.get("client_deprecated"))
        self._rows.append({"tick": tick, **columns_of(person, ""), **voice_row(fields)})


@TABLES.maker_of(VOTES)
class Votes(Cs2Facts):
    """Table ``votes``."""

    def attach(self, playback: Playback) -> None:
        for event, message in (("start", "VoteStart"), ("pass", "VotePass"), ("fail", "VoteFailed")):
            # A function of its own keeps each word.
            self.match.on_fields(
                playback,
                f"CS_UM_{message}",
                lambda tick, fields, event=event: self._on_vote(event, tick, fields),  # type: ignore[misc]
            )
        self.match.events(playback).on("vote_cast", self._on_cast)

    def _on_vote(self, event: str, tick: int, fields: Mapping[Any, Any]) -> None:
        people = self.match.people
        target = people.in_slot(fields.get("player_slot_target"))
        row = {
            "tick": tick,
            "event": event,
            **columns_of(people.in_slot(fields.get("player_slot")), ""),
            "vote_side": SIDES.get(fields.get("team", 0)),
            "vote_type": fields.get("vote_type"),
            "subject": fields.get("disp_str"),
            "details": fields.get("details_str"),
            **columns_of(target, "target_"),
            "reason": fields.get("reason"),
        }
        self._rows.append(row)

    def _on_cast(self, tick: int, event: Mapping[str, Any]) -> None:
        person = self.match.people.in_slot(event.get("userid"))
        row = {"tick": tick, "event": "cast", **columns_of(person, ""), "option": event.get("vote_option")}
        self._rows.append(row | {"vote_side": SIDES.get(event.get("team") or 0)})
