"""Table ``draft``: banned and picked heroes, in order, with their ticks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.entities import NAME_FIELD, npc_name
from playhead.dota2.sources.game_clock import RULES_CLASS
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.names import game_heroes
from playhead.dota2.sources.roster import RESOURCE_CLASS, ROSTER_FIELDS, Seat, with_fields
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldSlots, FieldWatch
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_RULES = "m_pGameRules."
_ACTIVE_TEAM = _RULES + "m_iActiveTeam"
_NEW_BANS = _RULES + "m_vecNewBannedHeroes"
_GAME_MODE = _RULES + "m_iGameMode"
# DOTA_GAMEMODE_ALL_DRAFT of DOTA_GameMode.
_ALL_DRAFT = 22
_BANS = _RULES + "m_BannedHeroes"
# Arrays of the rules, their largest number of entries, and whether they are picks. Captain's modes fill the first
# two; other modes have the bans in the third, and the nominations of the players in the first.
_LISTS = ((_BANS, 28, False), (_RULES + "m_SelectedHeroes", 28, True), (_NEW_BANS, 64, False))
# The same with the names of their entries.
_PLACES = tuple((name, tuple(f"{name}.{i:04}" for i in range(most)), is_pick) for name, most, is_pick in _LISTS)
_NEW_BANS_FIRST = f"{_NEW_BANS}.0000"
# Fields of the rules that `Draft` reads; nearly every packet changes other fields.
_RULES_FIELDS = (_ACTIVE_TEAM, _GAME_MODE, *(place for _, places, _ in _PLACES for place in places))
# Reserve time of Radiant and Dire.
_RESERVES = tuple(f"{_RULES}m_fExtraTimeRemaining.{side:04}" for side in range(2))
_HERO_ID = "m_vecPlayerTeamData.{:04}.m_nSelectedHeroID"

DRAFT = TableSchema.of(
    "draft",
    "One row for each hero banned or picked, in order: as FileInfo lists them (captain's modes), otherwise as "
    "they appear in the game rules and in CDOTA_PlayerResource. What players nominate in All Draft is no ban "
    "until the game bans it.",
    Column("order", "int32", "Place in the draft, from 0."),
    word("action", "pick or ban."),
    word(
        "team",
        "FileInfo, otherwise the team of the player who plays the hero; null for other bans.",
    ),
    word("side"),
    word("player", "Of the hero; null for bans."),
    word("hero", "Of the entity of a hero that was picked, or from the optional package of names."),
    word("hero_id"),
    word(
        "tick",
        "Of the packet with it; null if it was done before the recording, or only FileInfo has it.",
    ),
    *words("seconds game_seconds"),
    Column(
        "active_team",
        "int32",
        "The team whose turn it was until that packet: m_iActiveTeam; null outside of captain's modes.",
    ),
    word("known_by", "file_info, game_rules or player_resource."),
    Column(
        "used_seconds",
        "float64",
        "Time since the step before, on the game's clock; null outside of captain's modes, and if the tick of "
        "either is unknown.",
        "s",
    ),
    *(
        Column(
            f"{side}_reserve_seconds",
            "float64",
            f"Reserve time that {side.title()} had left in that packet: m_fExtraTimeRemaining.",
            "s",
        )
        for side in ("radiant", "dire")
    ),
)


class _Seen(NamedTuple):
    """A hero that appeared in the state; `tick` is None if it was in the first state of the recording."""

    tick: int | None
    is_pick: bool
    hero_id: int
    active_team: int | None
    player: int | None
    known_by: str
    reserves: tuple[float | None, float | None] = (None, None)


@TABLES.maker_of(DRAFT)
class Draft(PlayerFacts):
    """Tracks the lists of the rules and the selected heroes."""

    fields = with_fields(
        ROSTER_FIELDS,
        {
            RULES_CLASS: (
                _ACTIVE_TEAM,
                _GAME_MODE,
                _NEW_BANS,
                *_RESERVES,
                *(f"{name}.????" for name, _, _ in _LISTS),
            ),
            RESOURCE_CLASS: ("m_vecPlayerTeamData.????.m_nSelectedHeroID",),
            "CDOTA_Unit_Hero_*": (NAME_FIELD,),
        },
    )

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._seen: dict[tuple[bool, int], _Seen] = {}
        self._nominated: dict[tuple[bool, int], _Seen] = {}
        self._nominates = False
        self._active_team: int | None = None
        self._first: dict[str, int] = {}
        self._seats: tuple[Seat, ...] = ()
        self._hero_ids = FieldSlots(())
        self._values: list[Any] = []
        known = EntityOp.CREATED | EntityOp.UPDATED
        watch = FieldWatch(_RULES_FIELDS, self._on_rules)
        playback.entities.on_entity(watch, RULES_CLASS, known)
        playback.entities.on_entity(self._on_resource, RESOURCE_CLASS, known)

    def _tick(self, class_name: str) -> int | None:
        """Return the present tick; None in the first packet with the entity."""
        tick = self._playback.tick
        return tick if self._first.setdefault(class_name, tick) != tick else None

    def _on_rules(self, rules: Entity, _op: EntityOp) -> None:
        tick = self._tick(RULES_CLASS)
        reserves = (_number(rules.get(_RESERVES[0])), _number(rules.get(_RESERVES[1])))
        if not self._nominates:
            self._nominates = rules.get(_GAME_MODE) == _ALL_DRAFT or rules.get(_NEW_BANS_FIRST) is not None
        for name, places, is_pick in _PLACES:
            for place in places:
                hero_id = rules.get(place)
                if hero_id is None:
                    break
                if hero_id > 0:
                    seen = _Seen(tick, is_pick, hero_id, self._active_team, None, "game_rules", reserves)
                    steps = self._nominated if name == _BANS else self._seen
                    steps.setdefault((is_pick, hero_id), seen)
        self._active_team = rules.get(_ACTIVE_TEAM) or None

    def _on_resource(self, resource: Entity, _op: EntityOp) -> None:
        tick = self._tick(RESOURCE_CLASS)
        seats = self._roster.seats
        if seats is not self._seats:
            self._seats = seats
            self._hero_ids = FieldSlots(_HERO_ID.format(seat.player) for seat in seats)
            self._values = []
        values = self._hero_ids.values(resource)
        if values == self._values:  # as nearly always
            return
        self._values = values
        for seat, hero_id in zip(seats, values, strict=True):
            if hero_id is None or hero_id <= 0:
                continue
            seen = self._seen.get((True, hero_id))
            if seen is None:
                seen = _Seen(tick, True, hero_id, None, None, "player_resource")
            # Players can swap heroes: the last owner plays the hero.
            self._seen[True, hero_id] = seen._replace(player=seat.player)

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        if not self._nominates:
            for key, seen in self._seen.items():
                self._nominated.setdefault(key, seen)
            self._seen = self._nominated
        names = self._hero_names()
        rows = list(self._listed() if self.match.file_info.get("picks_bans") else self._observed())
        for order, row in enumerate(rows):
            row["order"] = order
            before = rows[order - 1]["tick"] if order else None
            if row["active_team"] is not None and before is not None and row["tick"] is not None:
                row["used_seconds"] = self.match.seconds_between(before, row["tick"])
            row["hero"] = names.get(row["hero_id"]) or game_heroes().get(row["hero_id"])
        return {DRAFT.name: self.match.table(DRAFT, rows)}

    def _hero_names(self) -> dict[int, str]:
        """Return unit names by number, for the heroes in play."""
        found: dict[int, str] = {}
        resource = self._roster.resource
        for seat in self._roster.seats:
            hero = self._roster.hero(seat)
            name = None if hero is None else npc_name(self._playback.entities, hero)
            if resource is not None and name is not None:
                found[resource.get(_HERO_ID.format(seat.player), 0)] = name
        return found

    def _row(self, seen: _Seen, teams: Mapping[int, int]) -> dict[str, Any]:
        # A pick that was not played belongs to nobody.
        player = seen.player if self._plays(seen) else None
        return {
            "action": "pick" if seen.is_pick else "ban",
            "team": None if player is None else teams.get(player),
            "player": player,
            "hero_id": seen.hero_id,
            "tick": seen.tick,
            "active_team": seen.active_team,
            "known_by": seen.known_by,
            "radiant_reserve_seconds": seen.reserves[0],
            "dire_reserve_seconds": seen.reserves[1],
        }

    def _plays(self, seen: _Seen) -> bool:
        resource = self._roster.resource
        if resource is None or seen.player is None:
            return False
        return bool(resource.get(_HERO_ID.format(seen.player)) == seen.hero_id)

    def _observed(self) -> Iterator[dict[str, Any]]:
        """Yield the draft from the state."""
        teams = {seat.player: seat.team for seat in self._roster.seats}
        # Within one packet, bans precede picks.
        order = sorted(
            self._seen.values(), key=lambda seen: (-1 if seen.tick is None else seen.tick, seen.is_pick)
        )
        for seen in order:
            yield self._row(seen, teams)

    def _listed(self) -> Iterator[dict[str, Any]]:
        """Yield the draft as FileInfo lists it, with the tick and player of each step from the state."""
        teams = {seat.player: seat.team for seat in self._roster.seats}
        for entry in self.match.file_info.get("picks_bans", ()):
            is_pick, hero_id = bool(entry.get("is_pick")), entry.get("hero_id", 0)
            seen = self._seen.get((is_pick, hero_id)) or _Seen(None, is_pick, hero_id, None, None, "")
            yield self._row(seen, teams) | {"team": entry.get("team"), "known_by": "file_info"}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
