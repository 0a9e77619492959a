"""Tables ``bosses``, ``objective_events`` and ``runes``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import hypot
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.structures import STRUCTURE_CLASSES, TAKEN_CLASSES, assign_attackers, in_order_of_fall
from playhead.dota2.sources.combat_log import NAMES
from playhead.dota2.sources.entities import NAME_FIELD, NAME_TABLE, POSITION_FIELDS, integer, npc_name, position
from playhead.dota2.sources.game_clock import POST_GAME
from playhead.dota2.sources.hero_lives import HERO_LIFE_FIELDS, HeroLives, LoggedDeath
from playhead.dota2.sources.lives import (
    LIFE_FIELDS,
    SAME_DEATH,
    CombatEntries,
    EntityLife,
    Lives,
    assign_deaths,
    attacker_of,
    attacker_player,
    pair_nearest,
)
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.message_facts import ChatEvent, ChatEvents
from playhead.dota2.sources.roster import OTHER_SIDE, CounterRises, roster_fields, team_fields
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_ROSHAN, _TORMENTOR = "roshan", "tormentor"
_CLASSES = {"CDOTA_Unit_Roshan": _ROSHAN, "CDOTA_Unit_Miniboss": _TORMENTOR}

#: How the names of the bosses in the combat log begin.
BOSS_NAMES = {_ROSHAN: "npc_dota_roshan", _TORMENTOR: "npc_dota_miniboss"}

#: Largest number of ticks between a Roshan's death and the taking of his Aegis, which expires after five minutes.
_AEGIS_STAYS = 300 * 30 + 150

# An Aegis expires so many seconds after it was taken.
_AEGIS_LASTS = 300.0
# What Roshan drops lies near his place within so many ticks after his death.
_DROPPED, _NEAR = 90, 600.0
_ON_GROUND, _ITEM = "CDOTA_Item_Physical", "m_hItem"

# Fate of the Aegis by chat event.
_AEGIS = {"AEGIS": "taken", "AEGIS_STOLEN": "stolen", "DENIED_AEGIS": "denied"}

BOSSES = TableSchema.of(
    "bosses",
    "One row for each life of Roshan and of each Tormentor, from its entity (CDOTA_Unit_Roshan, "
    "CDOTA_Unit_Miniboss).",
    *words("tick seconds game_seconds end_tick end_seconds end_game_seconds"),
    word("boss", "roshan or tormentor."),
    word("number", "Of the life."),
    *words("x y end_x end_y"),
    word("max_health", "When first seen."),
    *words("attacker attacker_player attacker_hero attacker_team attacker_side"),
    Column("aegis_player", "int32", "Player who took the Aegis (chat event AEGIS or AEGIS_STOLEN)."),
    Column("aegis_tick", "int32", "When the Aegis was taken or denied.", "ticks"),
    Column("aegis", "category", "taken, stolen or denied; null if the recording has none of these."),
    Column(
        "aegis_outcome",
        "category",
        "used: the player's hero fell and came back in the 300 seconds after, on the game's clock. expired: it "
        "did not. denied. Null if the match or recording ended before, or nobody took it.",
    ),
    Column("aegis_end_tick", "int32", "When it was used, expired or denied.", "ticks"),
    Column(
        "drops",
        "list<string>",
        "Items that lay near the place of the death, at most three seconds after it (CDOTA_Item_Physical); null "
        "for a Tormentor. Table `item_events` tells who picked them up.",
    ),
)


@TABLES.maker_of(BOSSES)
class Bosses(PlayerFacts):
    jobs: ClassVar = Jobs(1, extra=10)
    entities = True
    string_tables = (NAME_TABLE, NAMES)
    fields = roster_fields(
        HERO_LIFE_FIELDS,
        dict.fromkeys(_CLASSES, LIFE_FIELDS),
        {_ON_GROUND: (_ITEM, *POSITION_FIELDS), "CDOTA_Item*": (NAME_FIELD,)},
    )

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._lying: list[tuple[int, str, float, float]] = []
        self._hero_lives = HeroLives.of(self.match, playback)
        playback.entities.on_entity(self._on_ground, _ON_GROUND, EntityOp.CREATED)
        self._lives = Lives(playback, _CLASSES)
        self._chat = ChatEvents(self.match, playback, _AEGIS)
        self._deaths = CombatEntries(self.match.combat_log(playback), playback, ("DEATH",))

    def _on_ground(self, entity: Entity, _op: EntityOp) -> None:
        entities = self._playback.entities
        item = entities.find_by_handle(integer(entity, _ITEM) or 0)
        name = None if item is None else npc_name(entities, item) or item.class_name
        x, y = position(entity)
        if name is not None and x is not None and y is not None:
            self._lying.append((self._playback.tick, name, x, y))

    def _dropped(self, life: EntityLife) -> list[str] | None:
        """Return the items near the place of a Roshan's death."""
        at_x, at_y = life.died_at
        if life.died is None or at_x is None or at_y is None:
            return None
        return [
            name
            for tick, name, x, y in self._lying
            if 0 <= tick - life.died <= _DROPPED and hypot(x - at_x, y - at_y) <= _NEAR
        ]

    def _revivals(self) -> list[tuple[int, int]]:
        """Return tick and player of each fall of a hero that the game does not count as a death."""
        named = [
            LoggedDeath(player, entry.tick, bool(entry.will_reincarnate))
            for entry in self._deaths.entries
            if entry.target_is_hero
            and not entry.target_is_illusion
            and (player := self._roster.player_named(self._deaths.name(entry.target))) is not None
        ]
        counted = self._hero_lives.counted(named)
        return [(each.tick, each.player) for each, counts in zip(named, counted, strict=True) if not counts]

    def _fate(self, tick: int, player: int | None, revivals: list[tuple[int, int]]) -> dict[str, Any]:
        """Return how an Aegis ended that a player took."""
        clock = self.match.clock
        begin = clock.game_seconds_at((tick,))[0]
        if player is None or begin is None:
            return {}
        for then, who in revivals:
            if who == player and then >= tick and self.match.seconds_between(tick, then) <= _AEGIS_LASTS:
                return {"aegis_outcome": "used", "aegis_end_tick": then}
        end = clock.tick_at(begin + _AEGIS_LASTS)
        over = next((began for began, state in clock.states if state == POST_GAME), self._playback.tick)
        return {} if end is None or end > over else {"aegis_outcome": "expired", "aegis_end_tick": end}

    def tables(self) -> Mapping[str, pa.Table]:
        self.match.finish()
        lives = self._lives.all()
        assign_deaths(lives, self._deaths, _fits)
        return {BOSSES.name: self.match.table(BOSSES, list(self._rows_of(lives)))}

    def _rows_of(self, lives: list[EntityLife]) -> Iterator[dict[str, Any]]:
        numbers = {_ROSHAN: 0, _TORMENTOR: 0}
        aegis, heroes = list(self._chat.events), self._roster.hero_names()
        revivals = self._revivals() if aegis else []
        for life in lives:
            numbers[life.kind] += 1
            attacker, attacker_team = attacker_of(life, self._deaths)
            player = attacker_player(life.death, self._deaths, self._roster)
            row = {
                "tick": life.born,
                "boss": life.kind,
                "number": numbers[life.kind],
                "x": life.position[0],
                "y": life.position[1],
                "max_health": life.max_health,
                "end_tick": life.died,
                "end_x": life.died_at[0],
                "end_y": life.died_at[1],
                "attacker": attacker,
                "attacker_player": player,
                "attacker_hero": heroes.get(-1 if player is None else player),
                "attacker_team": attacker_team,
                "drops": self._dropped(life) if life.kind == _ROSHAN else None,
            }
            for event in aegis if life.kind == _ROSHAN else ():
                if life.died is not None and -SAME_DEATH <= event.tick - life.died <= _AEGIS_STAYS:
                    row |= {"aegis_player": event.player_1, "aegis_tick": event.tick, "aegis": _AEGIS[event.type]}
                    if event.type == "DENIED_AEGIS":
                        row |= {"aegis_outcome": "denied", "aegis_end_tick": event.tick}
                    else:
                        row |= self._fate(event.tick, event.player_1, revivals)
                    aegis.remove(event)
                    break
            yield row


def _fits(life: EntityLife, target: str, _exact: bool) -> bool:
    """Return whether a name in the combat log may be the name of a boss."""
    return target.startswith(BOSS_NAMES[life.kind])


OBJECTIVE_EVENTS = TableSchema.of(
    "objective_events",
    "One row for each thing that changes the course of the match, in order.",
    *words("tick seconds game_seconds"),
    word(
        "event",
        "structure_destroyed, boss_killed, aegis_taken, aegis_stolen, aegis_denied, glyph_used, scan_used, "
        "courier_killed, first_blood, mega_creeps_started, watcher_taken, outpost_taken, banner_planted.",
    ),
    word("team", "That did it, also if it destroyed its own structure."),
    word("side"),
    word("owner_team", "Of the structure or courier; null for other events."),
    word("owner_side"),
    word("player", "That did it; a creep or a tower is no player."),
    word("hero"),
    word("boss", "roshan or tormentor; null for other events."),
    word("entity_name", "Of the structure."),
    word("value", "Of the chat event; null for other sources."),
    word("entity", "Of a watcher, outpost or banner; null for others."),
    *words("x y"),
    word("known_by", "entity, or chat (message DOTA_UM_ChatEvent)."),
)

_TEAM, _OWNER, _WATCHERS = "m_iTeamNum", "m_hOwnerEntity", "m_iWatchersTaken"
_TAKEN = tuple(name for name, kind in TAKEN_CLASSES.items() if kind in ("watcher", "outpost"))
_BANNER = "CDOTA_Unit_Roshans_Banner"
# Largest distance, in ticks, between a watcher's new side and the player's count.
_SAME_TAKING = 15

# Chat event: its name in the table, the field with the team, and the field with the player.
_CHAT = {
    "AEGIS": ("aegis_taken", "", "player_1"),
    "AEGIS_STOLEN": ("aegis_stolen", "", "player_1"),
    "DENIED_AEGIS": ("aegis_denied", "", "player_1"),
    "ROSHAN_KILL": ("boss_killed", "player_1", ""),
    "MINIBOSS_KILL": ("boss_killed", "value", "player_1"),
    "GLYPH_USED": ("glyph_used", "player_1", ""),
    "SCAN_USED": ("scan_used", "value", ""),
    "COURIER_LOST": ("courier_killed", "player_2", "player_1"),
    "FIRSTBLOOD": ("first_blood", "", "player_1"),
    "SUPER_CREEPS": ("mega_creeps_started", "", ""),
}
_BOSSES = {"ROSHAN_KILL": "roshan", "MINIBOSS_KILL": "tormentor"}


@TABLES.maker_of(OBJECTIVE_EVENTS)
class ObjectiveEvents(PlayerFacts):
    jobs: ClassVar = Jobs(2, extra=15)
    string_tables = (NAME_TABLE, NAMES)
    fields = roster_fields(
        dict.fromkeys(STRUCTURE_CLASSES, LIFE_FIELDS),
        dict.fromkeys(_TAKEN, (_TEAM, NAME_FIELD, *POSITION_FIELDS)),
        {_BANNER: (_TEAM, _OWNER, NAME_FIELD, *POSITION_FIELDS)},
        team_fields((_WATCHERS,)),
    )

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._chat = ChatEvents(self.match, playback, _CHAT)
        self._lives = Lives(playback, STRUCTURE_CLASSES)
        self._deaths = CombatEntries(self.match.combat_log(playback), playback, ("DEATH",))
        self._sides: dict[int, int | None] = {}
        self._taken: list[dict[str, Any]] = []
        self._watchers = CounterRises(playback, _WATCHERS)
        watch = FieldWatch((_TEAM,), self._on_taken)
        for name in _TAKEN:
            playback.entities.on_entity(watch, name, EntityOp.CREATED | EntityOp.UPDATED)
        playback.entities.on_entity(self._on_banner, _BANNER, EntityOp.CREATED)

    def _on_taken(self, entity: Entity, _op: EntityOp) -> None:
        """Add a row if another side took a watcher or an outpost."""
        team = integer(entity, _TEAM)
        known, before = entity.handle in self._sides, self._sides.get(entity.handle)
        self._sides[entity.handle] = team
        if known and team != before and team in OTHER_SIDE:
            self._taken.append(self._at(entity, f"{TAKEN_CLASSES[entity.class_name]}_taken", team))

    def _on_banner(self, entity: Entity, _op: EntityOp) -> None:
        row = self._at(entity, "banner_planted", integer(entity, _TEAM))
        row["player"] = self._roster.player_of(integer(entity, _OWNER))
        self._taken.append(row)

    def _at(self, entity: Entity, event: str, team: int | None) -> dict[str, Any]:
        x, y = position(entity)
        return {
            "tick": max(0, self._playback.tick),
            "event": event,
            "team": team,
            "entity_name": npc_name(self._playback.entities, entity),
            "entity": entity.index,
            "x": x,
            "y": y,
            "known_by": "entity",
        }

    def _taken_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of taken buildings, with the player whose count of watchers rose."""
        players = {(seat.team, seat.row): seat.player for seat in self._roster.seats}
        for row in self._taken:
            if row["event"] == "watcher_taken":
                rise = self._watchers.near(row["tick"], _SAME_TAKING, self._roster)
                if rise is not None and rise.team == row["team"]:
                    row["player"] = players[rise.team, rise.row]
            yield row

    def tables(self) -> Mapping[str, pa.Table]:
        rows = [*self._fallen(self._lives.all()), *self._taken_rows(), *map(self._row, self._chat.events)]
        rows.sort(key=lambda row: int(row["tick"]))
        return {OBJECTIVE_EVENTS.name: self.match.table(OBJECTIVE_EVENTS, self._roster.add_heroes(rows))}

    def _fallen(self, buildings: list[EntityLife]) -> Iterator[dict[str, Any]]:
        assign_attackers(buildings, self._deaths)
        for life in in_order_of_fall(buildings):
            if life.died is not None:
                yield {
                    "tick": life.died,
                    "event": "structure_destroyed",
                    "team": attacker_of(life, self._deaths)[1],
                    "owner_team": life.team,
                    "player": attacker_player(life.death, self._deaths, self._roster),
                    "entity_name": life.name,
                    "known_by": "entity",
                }

    def _row(self, event: ChatEvent) -> dict[str, Any]:
        name, team_field, player_field = _CHAT[event.type]
        values = event._asdict()
        player = values.get(player_field)
        boss = _BOSSES.get(event.type)
        team = values.get(team_field)
        if not team_field and player is not None:
            team = next((seat.team for seat in self._roster.seats if seat.player == player), None)
        owner = team if event.type == "COURIER_LOST" else None
        if owner is not None:  # the event has the side of the courier
            team = OTHER_SIDE.get(owner)
        if boss is not None and player is None:
            near = (each for each in self._deaths.entries if abs(each.tick - event.tick) <= SAME_DEATH)
            fell = (each for each in near if (self._deaths.name(each.target) or "").startswith(BOSS_NAMES[boss]))
            player = attacker_player(next(fell, None), self._deaths, self._roster)
        return {
            "tick": event.tick,
            "event": name,
            "boss": boss,
            "team": team if team in OTHER_SIDE else None,
            "owner_team": owner if owner in OTHER_SIDE else None,
            "player": player,
            "value": event.value,
            "known_by": "chat",
        }


_CLASS = "CDOTA_Item_Rune"
_TYPE = "m_iRuneType"

# Valve's DOTA_RUNES, by number.
_TYPES = "double_damage haste illusion invisibility regeneration bounty arcane water wisdom shield".split()
_OUTCOMES = {"RUNE_PICKUP": "taken", "RUNE_BOTTLE": "bottled", "RUNE_DENY": "denied"}

#: Largest distance, in ticks, between the end of a rune and the chat event that reports it.
_SAME_RUNE = 60

RUNES = TableSchema.of(
    "runes",
    "One row for each rune on the map, from its entity (CDOTA_Item_Rune); its taker from the chat event "
    "that the game sends for it, the nearest of the rune's type within two seconds.",
    *words("tick seconds game_seconds end_tick end_seconds end_game_seconds"),
    Column("rune", "category", "Kind of the rune; null for a number without a name."),
    Column("rune_id", "int64", "The game's number of the kind: m_iRuneType."),
    *words("x y"),
    word("outcome", "taken, bottled, denied, or gone (how is unknown)."),
    word("player", "That took, bottled or denied it."),
    *words("hero entity"),
)


@TABLES.maker_of(RUNES)
class Runes(PlayerFacts):
    jobs: ClassVar = Jobs(extra=15)

    fields = roster_fields({_CLASS: (_TYPE, *POSITION_FIELDS)})

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._there: dict[int, dict[str, Any]] = {}
        self._chat = ChatEvents(self.match, playback, _OUTCOMES)
        playback.entities.on_entity(self._on_rune, _CLASS)

    def _on_rune(self, entity: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            gone = self._there.pop(entity.index, {})
            gone |= {"end_tick": self._playback.tick, "outcome": "gone"}
        elif entity.index not in self._there:
            kind, (x, y) = integer(entity, _TYPE), position(entity)
            row = self._there[entity.index] = {
                "tick": self._playback.tick,
                "rune": _TYPES[kind] if kind is not None and 0 <= kind < len(_TYPES) else None,
                "rune_id": kind,
                "x": x,
                "y": y,
                "entity": entity.index,
            }
            self._rows.append(row)

    def tables(self) -> Mapping[str, pa.Table]:
        for kind in {row["rune_id"] for row in self._rows}:
            gone = [row for row in self._rows if row["rune_id"] == kind and "end_tick" in row]
            reports = [event for event in self._chat.events if event.value == kind]
            pairs = pair_nearest([row["end_tick"] for row in gone], [event.tick for event in reports], _SAME_RUNE)
            for at, place in pairs.items():
                gone[at] |= {"outcome": _OUTCOMES[reports[place].type], "player": reports[place].player_1}
        return super().tables()
