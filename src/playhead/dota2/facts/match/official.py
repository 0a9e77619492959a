"""Table ``official_players``: the game's own report at the end of a match (message 558)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import HERO, PLAYER, TIME
from playhead.dota2.sources.combat_log_entry import signed
from playhead.dota2.sources.match import MatchContext, PlayerFacts
from playhead.dota2.sources.roster import DIRE, RADIANT
from playhead.runtime.libraries import pa
from playhead.source2.messages.numbers import message_number
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

MATCH_DETAILS = message_number("dota2", "DOTA_UM_MatchDetails")

# `player_slot` of Dire's first player.
_DIRE_SLOT = 128
# Numbers of permanent buffs.
_MOONSHARD, _SCEPTER, _SHARD = 1, 2, 12

# Column: field of CMsgDOTAMatch.Player, unit, and meaning.
_FIELDS = {
    "gpm": ("gold_per_min", "gold/min", "Gold a minute"),
    "xpm": ("xp_per_min", "xp/min", "Experience a minute"),
    "hero_damage": ("hero_damage", "", "Damage to heroes"),
    "tower_damage": ("tower_damage", "", "Damage to towers"),
    "healing": ("hero_healing", "", "Health given to allied heroes"),
    "gold": ("gold", "gold", "Gold in hand"),
    "gold_spent": ("gold_spent", "gold", "Gold spent"),
    "net_worth": ("net_worth", "gold", "Gold in hand and what was bought"),
}

OFFICIAL_PLAYERS = TableSchema.of(
    "official_players",
    "One row for each player in the game's own summary of the match: CMsgDOTAMatch (message 558), which a "
    "whole recording of Valve's servers has at its end. No rows without it.",
    *TIME,
    PLAYER,
    HERO,
    *(
        Column(name, "int32", f"{doc}: {field} of the player.", unit)
        for name, (field, unit, doc) in _FIELDS.items()
    ),
    Column("scepter", "bool", "The player has the permanent buff of Aghanim's Scepter (number 2)."),
    Column("shard", "bool", "The player has the permanent buff of Aghanim's Shard (number 12)."),
    Column("moonshard", "bool", "The player has the permanent buff of the Moon Shard (number 1)."),
)


class OfficialResult:
    """The last message 558 of a recording.

    Attributes:
        tick: its tick; None without it.
        fields: its fields; empty without it.
    """

    def __init__(self, match: MatchContext, playback: Playback) -> None:
        self._match = match
        self.tick: int | None = None
        self.fields: Mapping[str | int, Any] = {}
        self._match.on_fields(playback, MATCH_DETAILS, self._on_details)

    def _on_details(self, tick: int, fields: Mapping[Any, Any]) -> None:
        self.tick, self.fields = tick, fields


@TABLES.maker_of(OFFICIAL_PLAYERS)
class OfficialPlayers(PlayerFacts):
    """Table ``official_players``."""

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._official = OfficialResult(self.match, playback)

    def tables(self) -> Mapping[str, pa.Table]:
        players = {(seat.team, seat.slot): seat.player for seat in self._roster.seats}
        for fields in self._official.fields.get("players", ()):
            slot = fields.get("player_slot", 0)
            team, place = (DIRE, slot - _DIRE_SLOT) if slot >= _DIRE_SLOT else (RADIANT, slot)
            buffs = {buff.get("permanent_buff") for buff in fields.get("permanent_buffs", ())}
            self._rows.append(
                {
                    "tick": self._official.tick,
                    "player": players.get((team, place)),
                    **{name: signed(fields.get(field)) for name, (field, *_) in _FIELDS.items()},
                    "scepter": _SCEPTER in buffs,
                    "shard": _SHARD in buffs,
                    "moonshard": _MOONSHARD in buffs,
                }
            )
        return super().tables()
