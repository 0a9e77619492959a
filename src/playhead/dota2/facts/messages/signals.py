"""Tables ``chat_wheel``, ``pings`` and ``map_lines``: signals between players."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.combat_log_entry import signed
from playhead.dota2.sources.message_facts import HERO_FIELDS, MessageFacts, known_player, position
from playhead.dota2.sources.names import game_names
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.numbers import message_number
from playhead.source2.playback.collector import Jobs
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_CHAT_WHEEL = message_number("dota2", "DOTA_UM_ChatWheel")
_MAP_LINE = message_number("dota2", "DOTA_UM_MapLine")
_LOCATION_PING = message_number("dota2", "DOTA_UM_LocationPing")
_COACH_PING = message_number("dota2", "DOTA_UM_CoachHUDPing")
_ABILITY_PING = message_number("dota2", "DOTA_UM_AbilityPing")
_FACET_PING = message_number("dota2", "DOTA_UM_FacetPing")
_INNATE_PING = message_number("dota2", "DOTA_UM_InnatePing")
_CONFIRMATION = message_number("dota2", "DOTA_UM_PingConfirmation")

CHAT_WHEEL = TableSchema.of(
    "chat_wheel",
    "One row for each phrase of the chat wheel: CDOTAUserMsg_ChatWheel. The words are not in recordings.",
    *words("tick seconds game_seconds player hero"),
    Column("phrase_id", "int64", "The game's number of the phrase."),
    Column("phrase", "string", "Its English words, from the optional package of names; null without it."),
    word("account_id", "The lower half of the Steam id."),
    Column("phrase_hero_id", "int64", "Hero that the phrase names; null without one."),
    Column("emoticon_id", "int64", "The game's number of the emoticon; null without one."),
    word("details"),
    group="messages",
)

PINGS = TableSchema.of(
    "pings",
    "One row for each ping: of a place (CDOTAUserMsg_LocationPing), of an ability or item (AbilityPing), of a "
    "facet or innate ability, of the interface by a coach (CoachHUDPing, in its coordinates), and each answer to "
    "one (PingConfirmation).",
    *words("tick seconds game_seconds player hero"),
    word("kind", "location, ability, facet, innate, coach or confirmation."),
    *words("x y target_entity"),
    word("target_entity_name", "Otherwise its class."),
    Column("ping_type", "category", "The game's type of the ping: a name of DOTA_ABILITY_PING_TYPE, or a number."),
    Column("direct", "bool", "The place or unit itself was pinged, not the minimap; null if unknown."),
    word("ability_id", "Or of the item."),
    word("ability", "Or the item; from the optional package of names."),
    word("details"),
    group="messages",
)

MAP_LINES = TableSchema.of(
    "map_lines",
    "One row for each point of a line drawn on the minimap: CDOTAUserMsg_MapLine.",
    *words("tick seconds game_seconds player hero x y"),
    Column("initial", "bool", "The first point of a line."),
    word("details"),
    group="messages",
)

# Field with the target entity of a ping, by message.
_TARGETS = {_ABILITY_PING: "entity_id", _FACET_PING: "entity_id", _INNATE_PING: "entity_id"}
_KINDS = {_ABILITY_PING: "ability", _FACET_PING: "facet", _INNATE_PING: "innate"}


@TABLES.maker_of(CHAT_WHEEL, PINGS, MAP_LINES)
class Signals(MessageFacts):
    """Tables ``chat_wheel``, ``pings`` and ``map_lines``."""

    jobs: ClassVar = Jobs(extra=15)

    fields = HERO_FIELDS
    numbers: ClassVar = (
        _CHAT_WHEEL,
        _LOCATION_PING,
        _MAP_LINE,
        _COACH_PING,
        _ABILITY_PING,
        _CONFIRMATION,
        _FACET_PING,
        _INNATE_PING,
    )

    def rows_of(self, number: int, fields: MessageFields) -> Iterator[tuple[str, dict[str, Any]]]:
        if number == _CHAT_WHEEL:
            yield CHAT_WHEEL.name, self._chat_wheel(fields)
        elif number == _MAP_LINE:
            line = fields.get("mapline", {})
            yield (
                MAP_LINES.name,
                {
                    "player": known_player(fields.get("player_id")),
                    "x": line.get("x"),
                    "y": line.get("y"),
                    "initial": line.get("initial", False),
                    "details": self.details(fields, "player_id", "mapline"),
                },
            )
        else:
            row = self._ping(number, fields)
            row["target_entity_name"] = self.entity_name(row["target_entity"])
            yield PINGS.name, row

    def _chat_wheel(self, fields: MessageFields) -> dict[str, Any]:
        shown = ("chat_message_id", "player_id", "account_id", "param_hero_id", "emoticon_id")
        return {
            "player": known_player(fields.get("player_id")),
            "phrase_id": fields.get("chat_message_id"),
            "phrase": game_names().phrases.get(fields.get("chat_message_id", -1)),
            "account_id": fields.get("account_id"),
            "phrase_hero_id": fields.get("param_hero_id") or None,
            "emoticon_id": fields.get("emoticon_id") or None,
            "details": self.details(fields, *shown),
        }

    def _ping(self, number: int, fields: MessageFields) -> dict[str, Any]:
        player = known_player(fields.get("player_id"))
        if number == _LOCATION_PING:
            ping = fields.get("location_ping", {})
            return {
                "player": player,
                "kind": "location",
                "x": ping.get("x", 0),
                "y": ping.get("y", 0),
                "target_entity": known_player(ping.get("target")),
                "ping_type": None if "type" not in ping else str(ping["type"]),
                "direct": ping.get("direct_ping"),
                "details": self.details(ping, "x", "y", "target", "type", "direct_ping"),
            }
        if number == _COACH_PING:
            ping = fields.get("hud_ping", {})
            place = {"x": ping.get("x", 0), "y": ping.get("y", 0), "target_entity": None}
            return {"player": player, "kind": "coach", **place, "details": self.details(ping, "x", "y")}
        if number == _CONFIRMATION:
            place = position(fields.get("location"))
            shown = ("player_id_of_original_pinger", "entity_index", "location")
            return {
                "player": known_player(fields.get("player_id_of_original_pinger")),
                "kind": "confirmation",
                "x": place["x"],
                "y": place["y"],
                "target_entity": known_player(signed(fields.get("entity_index"))),
                "details": self.details(fields, *shown),
            }
        return {
            "player": player,
            "kind": _KINDS[number],
            "target_entity": fields.get(_TARGETS[number]),
            "ping_type": None if "type" not in fields else str(fields["type"]).removeprefix("ABILITY_PING_"),
            "ability_id": fields.get("ability_id"),
            "ability": game_names().ability_or_item(fields.get("ability_id")),
            "details": self.details(fields, "player_id", "type", "ability_id", _TARGETS[number]),
        }
