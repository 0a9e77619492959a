"""Table ``voice``: voice chat, as packets of the game's codec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources import message_facts
from playhead.dota2.sources.match import Dota2Match
from playhead.dota2.sources.roster import RESOURCE_CLASS, ROSTER_FIELDS, Seat, with_fields
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.watching import FieldSlots
from playhead.source2.message_rows import MessageForm, called, field_value
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.definitions import enumeration
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words

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
    """Table ``voice``."""

    numbers: ClassVar = (Engine.VOICE_INIT, Engine.VOICE_DATA)
    fields = with_fields(
        ROSTER_FIELDS,
        message_facts.ENTITY_NAME_FIELDS,
        {RESOURCE_CLASS: ("m_vecPlayerData.????.m_iPlayerSteamID",)},
    )

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match)
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

    def attach(self, playback: Playback) -> None:
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
