"""Tables ``chat``, ``connections``, ``neutral_finds``, ``chat_wheel``, ``pings``, ``map_lines`` and ``voice``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources import message_facts
from playhead.dota2.sources.combat_log import signed
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.message_facts import HERO_FIELDS, ChatEvents, MessageFacts, known_player, position
from playhead.dota2.sources.names import game_names, item_named
from playhead.dota2.sources.roster import RESOURCE_CLASS, ROSTER_FIELDS, Seat, with_fields
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.watching import FieldSlots
from playhead.source2.message_rows import MessageForm, called, field_value
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.definitions import enumeration
from playhead.source2.messages.numbers import Engine, message_number
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.messages import Chat
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import CHAT
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words

DOTA2_CHAT = CHAT.extended(*words("game_seconds hero team side"))


@TABLES.maker_of(DOTA2_CHAT)
class Dota2Chat(PlayerFacts, Chat):
    jobs: ClassVar = Jobs(extra=10)

    late = ("game_seconds", "hero")

    def __init__(self, match: Dota2Match) -> None:
        Chat.__init__(self, match.replay.recording)
        PlayerFacts.__init__(self, match)

    def attach(self, playback: Playback) -> None:
        PlayerFacts.attach(self, playback)
        Chat.attach(self, playback)

    def tables(self) -> Mapping[str, pa.Table]:
        teams = {seat.player: seat.team for seat in self._roster.seats}
        for row in self._rows:
            row["team"] = teams.get(row["player"])
        return super().tables()


FOUND_NEUTRAL_ITEM = message_number("dota2", "DOTA_UM_FoundNeutralItem")

# Chat event: its name in the table.
_CONNECTIONS = {
    "CONNECT": "connected",
    "DISCONNECT": "disconnected",
    "DISCONNECT_WAIT_FOR_RECONNECT": "disconnected",
    "RECONNECT": "reconnected",
    "PLAYER_ABANDONED": "abandoned",
    "PLAYER_ABANDONED_AFK": "abandoned",
    "PLAYER_ABANDONED_DISCONNECTED_TOO_LONG": "abandoned",
    "PLAYER_LEFT_DISCONNECTED_TOO_LONG": "abandoned",
}

CONNECTIONS = TableSchema.of(
    "connections",
    "One row for each time that a player left the game or came back: chat events (message 466).",
    *words("tick seconds game_seconds player hero"),
    word("event", "connected, disconnected, reconnected or abandoned."),
)

NEUTRAL_FINDS = TableSchema.of(
    "neutral_finds",
    "One row for each neutral item that a player found or made: message 593.",
    *words("tick seconds game_seconds player hero"),
    word("item", "By `item_id`, in playhead's list of names."),
    *words("item_id tier"),
    Column("enhancement", "category", "Enhancement of the item; null if the message has none."),
)


@TABLES.maker_of(CONNECTIONS)
class Connections(PlayerFacts):
    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._chat = ChatEvents(self.match, playback, _CONNECTIONS)

    def tables(self) -> Mapping[str, pa.Table]:
        self._rows = [
            {"tick": event.tick, "player": event.player_1, "event": _CONNECTIONS[event.type]}
            for event in self._chat.events
        ]
        return super().tables()


@TABLES.maker_of(NEUTRAL_FINDS)
class NeutralFinds(PlayerFacts):
    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self.match.on_fields(playback, FOUND_NEUTRAL_ITEM, self._on_find)

    def _on_find(self, tick: int, fields: Mapping[Any, Any]) -> None:
        number = signed(fields.get("item_ability_id"))
        enhancement = signed(fields.get("enhancement_ability_id"))
        self._rows.append(
            {
                "tick": tick,
                "player": signed(fields.get("player_id")),
                "item_id": number,
                "item": item_named(number),
                "tier": signed(fields.get("item_tier")),
                "enhancement": item_named(enhancement) or (None if not enhancement else f"#{enhancement}"),
            }
        )


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


_STEAM_ID = "m_vecPlayerData.{:04}.m_iPlayerSteamID"

VOICE = TableSchema.of(
    "voice",
    "One row for each packet of voice: svc_VoiceData. Few recordings have any.",
    *words("tick seconds game_seconds"),
    word("player", "Of that Steam id, or of that entity."),
    word("account", "Null if the message has none."),
    Column("by_caster", "bool", "A caster spoke; null if the message has none."),
    word("entity", "Of the speaker."),
    word("client", "Only in older recordings."),
    Column("codec", "category", "Codec of the recording: svc_VoiceInit; null without it."),
    word("encoding", "VoiceDataFormat_t: VOICEDATA_FORMAT_STEAM, ENGINE or OPUS."),
    *words("data sample_rate section"),
    Column("packets", "int64", "Number of frames in the packet; null if unknown."),
    Column("packet_offsets", "list<int64>", "End of each frame; null if unknown.", "bytes"),
    *words("loudness server_tick details"),
    group="messages",
)


# Columns after those of the table, from which the player is derived at the end.
_OF_ENTITY = Column("player_of_entity", "int32", "Whose the entity is.")
_OF_CLIENT = Column("player_of_client", "int32", "Whose the entity of the client is.")
_TAKEN = VOICE.extended(_OF_ENTITY, _OF_CLIENT)
_MOST_64 = (1 << 64) - 1


@TABLES.maker_of(VOICE)
class Voice(message_facts.MessageFacts):
    numbers: ClassVar = (Engine.VOICE_INIT, Engine.VOICE_DATA)
    fields = with_fields(
        ROSTER_FIELDS,
        message_facts.ENTITY_NAME_FIELDS,
        {RESOURCE_CLASS: ("m_vecPlayerData.????.m_iPlayerSteamID",)},
    )

    def attach(self, playback: Playback) -> None:
        self._codec: str | None = None
        self._steam_ids = FieldSlots(())
        self._seats: tuple[Seat, ...] | None = None
        self._changes = -1
        self._by_account: dict[object, int] = {}
        formats = {number: name for name, number in enumeration("VoiceDataFormat_t").items()}
        columns = {
            "player": called(self._player_of_account, "xuid", outside=True, steady=False),
            "account": called(lambda number: str(number & _MOST_64) if number else None, "xuid", outside=True),
            "by_caster": field_value("caster", outside=True),
            "entity": field_value("entity", outside=True),
            "client": field_value("client_deprecated", outside=True),
            "codec": called(lambda _: self._codec, "xuid", outside=True, steady=False),
            "encoding": called(
                lambda number: None if number is None else formats.get(number, str(number)), "format"
            ),
            "data": field_value("voice_data"),
            "sample_rate": field_value("sample_rate"),
            "section": field_value("section_number"),
            "packets": field_value("num_packets"),
            "packet_offsets": field_value("packet_offsets"),
            "loudness": field_value("voice_level"),
            "server_tick": field_value("tick", outside=True),
            _OF_ENTITY.name: message_facts.player_of_entity("entity", outside=True),
            _OF_CLIENT.name: message_facts.player_of_entity("client_deprecated", more=1, outside=True),
        }
        form = MessageForm(message_facts.definition_of(Engine.VOICE_DATA), columns, inside="audio")
        self.forms = {Engine.VOICE_DATA: (_TAKEN, form)}
        super().attach(playback)
        self._roster = self.match.roster(playback)

    def _player_of_account(self, account: int | None) -> int | None:
        """Return the player with a Steam id, which may have been read as a negative number."""
        resource = self._roster.resource
        if not account or resource is None:
            return None
        if self._changes != self._roster.changes:
            self._changes = self._roster.changes
            self._read_accounts(resource)
        return self._by_account.get(account & _MOST_64)

    def _read_accounts(self, resource: Entity) -> None:
        seats = self._roster.seats
        if seats is not self._seats:
            self._seats = seats
            # The first of several players with one account counts.
            self._steam_ids = FieldSlots(_STEAM_ID.format(seat.player) for seat in reversed(seats))
        players = (seat.player for seat in reversed(seats))
        self._by_account = dict(zip(self._steam_ids.values(resource), players, strict=True))

    def rows_of(self, number: int, fields: MessageFields) -> Iterator[tuple[str, dict[str, Any]]]:
        self._codec = fields.get("codec")
        return iter(())

    def tables(self) -> Mapping[str, pa.Table]:
        ticks, columns = self._columns(_TAKEN)
        self.forms = {}  # they have methods of this collector: a cycle
        of_entity, of_client = columns.pop(_OF_ENTITY.name), columns.pop(_OF_CLIENT.name)
        otherwise = pc.if_else(pc.is_null(columns["entity"]), of_client, of_entity)
        columns["player"] = pc.coalesce(columns["player"], otherwise)
        columns["data"] = pc.fill_null(columns["data"], scalar_of(b"", pa.binary()))
        return {VOICE.name: self.match.table_of_columns(VOICE, ticks, columns)}
