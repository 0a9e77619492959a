"""Buildings, Roshan and the Aegis, Tormentors, glyphs, scans, couriers lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playhead.dota2.facts.columns import GAME_SECONDS
from playhead.dota2.sources.chat_events import ChatEvent, ChatEvents
from playhead.dota2.sources.combat_entries import ENTRY_TABLES, CombatEntries, Entry
from playhead.dota2.sources.combat_log_entry import signed
from playhead.dota2.sources.entity_values import integer
from playhead.dota2.sources.map_position import POSITION_FIELDS, X, Y, position
from playhead.dota2.sources.npc_names import NAME_FIELD, NAME_TABLE, npc_name
from playhead.dota2.sources.roster import DIRE, RADIANT, ROSTER_FIELDS, with_fields
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.op import EntityOp
from playhead.source2.playback.collector import Collector
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.dota2.sources.match import Match

_HEALTH, _MOST_HEALTH, _LIFE, _TEAM = "m_iHealth", "m_iMaxHealth", "m_lifeState", "m_iTeamNum"

# Class: kind of building.
_BUILDINGS = {
    "CDOTA_BaseNPC_Tower": "tower",
    "CDOTA_BaseNPC_Barracks": "barracks",
    "CDOTA_BaseNPC_Fort": "ancient",
    "CDOTA_BaseNPC_Filler": "filler",
    "CDOTA_BaseNPC_Building": "building",
    "CDOTA_BaseNPC_Effigy_Statue": "effigy",
    "CDOTA_BaseNPC_Healer": "shrine",
}
_ROSHAN = "CDOTA_Unit_Roshan"
_TORMENTOR = "CDOTA_Unit_Miniboss"
_BOSSES = {_ROSHAN: "roshan", _TORMENTOR: "tormentor"}

#: A death in the combat log belongs to a building's or boss's entity that died within so many ticks of it.
_SAME_DEATH = 60
#: An Aegis taken within so many ticks of a Roshan's death is of him: it stays for five minutes.
_AEGIS_STAYS = 300 * 30 + 150

_KILLER = Column(
    "killer",
    "category",
    "Who dealt the last blow: attacker of the combat log's DEATH entry; null if it has none.",
)
_KILLER_TEAM = Column("killer_team", "int32", "attacker_team of that entry: 2 is Radiant, 3 is Dire, 4 neutral.")

BUILDINGS = TableSchema(
    name="buildings",
    version=1,
    doc="One row for each tower, barracks, ancient and other building, from its entity.",
    columns=(
        Column("tick", TICK.type, "When it fell: m_lifeState left 0, or its entity was gone; or null.", TICK.unit),
        SECONDS,
        GAME_SECONDS,
        Column("kind", "category", "tower, barracks, ancient, filler, shrine, effigy or building, by its class."),
        Column("name", "string", "The game's name of its entity (dota_goodguys_tower1_mid); null if it has none."),
        Column("team", "int32", "Whose it is: m_iTeamNum; 2 is Radiant, 3 is Dire."),
        Column("tier", "int32", "Of towers: 1 to 4, from the name; null if it does not tell."),
        Column("lane", "category", "top, mid or bot, from the name; null if it does not tell."),
        X,
        Y,
        Column("max_health", "int32", "m_iMaxHealth when first seen.", "hp"),
        Column("health", "int32", "m_iHealth at the end of the recording; 0 once it fell.", "hp"),
        _KILLER,
        _KILLER_TEAM,
        Column(
            "denied", "bool", "It fell by its own team, by `killer_team`; null while it stands or that is null."
        ),
        Column("entity", "int32", "Index of its entity."),
    ),
)

BOSSES = TableSchema(
    name="bosses",
    version=1,
    doc="One row for each life of Roshan and of each Tormentor, from its entity (CDOTA_Unit_Roshan, "
    "CDOTA_Unit_Miniboss).",
    columns=(
        Column("tick", TICK.type, "When it was there first.", TICK.unit),
        SECONDS,
        GAME_SECONDS,
        Column("boss", "category", "roshan or tormentor."),
        Column("number", "int32", "Which life of that kind, from 1."),
        X,
        Y,
        Column("max_health", "int32", "m_iMaxHealth when first seen.", "hp"),
        Column("died_tick", "int32", "When it died; null if it did not in the recording.", "ticks"),
        Column("died_game_seconds", "float64", "The same on the game's clock.", "s"),
        Column("died_x", "float64", "Where it died.", "world units"),
        Column("died_y", "float64", "Where it died.", "world units"),
        _KILLER,
        _KILLER_TEAM,
        Column("aegis_player", "int32", "Who took the Aegis (chat event AEGIS or AEGIS_STOLEN); null if nobody."),
        Column("aegis_tick", "int32", "When the Aegis was taken or denied.", "ticks"),
        Column("aegis", "category", "taken, stolen or denied; null if the recording tells of none."),
    ),
)

OBJECTIVES = TableSchema(
    name="objectives",
    version=1,
    doc="One row for each thing that changes the course of the match, in order.",
    columns=(
        TICK,
        SECONDS,
        GAME_SECONDS,
        Column(
            "event",
            "category",
            "building_destroyed, roshan_killed, aegis_taken, aegis_stolen, aegis_denied, tormentor_killed, "
            "glyph_used, scan_used, courier_lost, first_blood, mega_creeps.",
        ),
        Column("team", "int32", "Who gained by it or did it: 2 is Radiant, 3 is Dire; null if not told."),
        Column("player", "int32", "Who did it, as in `players`; null if not told."),
        Column("name", "string", "The building's name, or that of who dealt the last blow; null if none."),
        Column("value", "int32", "`value` of the chat event as it is; null for other sources."),
        Column("source", "category", "What tells it: entity, or chat (message DOTA_UM_ChatEvent)."),
    ),
)

# Chat event: what it is called here, and which of its fields has the team and which the player.
_CHAT = {
    "AEGIS": ("aegis_taken", "", "player_1"),
    "AEGIS_STOLEN": ("aegis_stolen", "", "player_1"),
    "DENIED_AEGIS": ("aegis_denied", "", "player_1"),
    "ROSHAN_KILL": ("roshan_killed", "player_1", ""),
    "MINIBOSS_KILL": ("tormentor_killed", "value", "player_1"),
    "GLYPH_USED": ("glyph_used", "player_1", ""),
    "SCAN_USED": ("scan_used", "value", ""),
    "COURIER_LOST": ("courier_lost", "player_2", "player_1"),
    "FIRSTBLOOD": ("first_blood", "", "player_1"),
    "SUPER_CREEPS": ("mega_creeps", "", ""),
}
_AEGIS = {"AEGIS": "taken", "AEGIS_STOLEN": "stolen", "DENIED_AEGIS": "denied"}


@dataclass(slots=True)
class _Life:
    """A building or boss, from its first sight to its end."""

    entity: int
    class_name: str
    name: str | None
    team: int | None
    born: int
    place: tuple[float | None, float | None]
    max_health: int | None
    health: int | None
    died: int | None = None
    died_at: tuple[float | None, float | None] = (None, None)
    death: Entry | None = None


class Objectives(Collector):
    """Tables ``buildings``, ``bosses`` and ``objectives``."""

    schemas = (BUILDINGS, BOSSES, OBJECTIVES)
    entities = True
    string_tables = (NAME_TABLE, *ENTRY_TABLES)
    fields = with_fields(
        ROSTER_FIELDS,
        dict.fromkeys(
            (*_BUILDINGS, *_BOSSES), (NAME_FIELD, _HEALTH, _MOST_HEALTH, _LIFE, _TEAM, *POSITION_FIELDS)
        ),
    )

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self._lives: dict[int, _Life] = {}
        self._over: list[_Life] = []

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._manager = playback.entities
        self._roster = self.match.roster(playback)
        self._chat = ChatEvents(self.match, playback, _CHAT)
        self._deaths = CombatEntries(self.match, playback, ("DEATH",))
        for name in (*_BUILDINGS, *_BOSSES):
            playback.entities.on_entity(self._on_entity, name)

    def _on_entity(self, entity: Entity, op: EntityOp) -> None:
        life = self._lives.get(entity.index)
        tick = self._playback.tick
        if op & EntityOp.DELETED:
            if life is not None:
                self._end(life, entity, tick)
            return
        alive = not integer(entity, _LIFE)
        if life is None:
            if alive:
                self._lives[entity.index] = _Life(
                    entity.index,
                    entity.class_name,
                    npc_name(self._manager, entity),
                    integer(entity, _TEAM),
                    tick,
                    position(entity),
                    integer(entity, _MOST_HEALTH),
                    integer(entity, _HEALTH),
                )
            return
        life.health = integer(entity, _HEALTH)
        if not alive:
            self._end(life, entity, tick)

    def _end(self, life: _Life, entity: Entity, tick: int) -> None:
        life.died, life.health, life.died_at = tick, 0, position(entity)
        del self._lives[life.entity]
        self._over.append(life)

    # -- tables -----------------------------------------------------------------------------------------

    def _find_deaths(self, lives: list[_Life]) -> None:
        """Give each that died its entry of the combat log: the first not taken of its name, else of its kind."""
        free = {}
        for number, entry in enumerate(self._deaths.entries):
            target = self._deaths.name(entry.fields.get("target_name")) or ""
            if _kind_of(target) is not None:
                free[number] = (entry, target)
        for exact in (True, False):
            for life in lives:
                if life.died is None or life.death is not None:
                    continue
                for number, (entry, target) in free.items():
                    if abs(entry.tick - life.died) <= _SAME_DEATH and _fits(life, target, exact):
                        life.death = entry
                        del free[number]
                        break

    def _killer(self, life: _Life) -> tuple[str | None, int | None]:
        if life.death is None:
            return None, None
        fields = life.death.fields
        return self._deaths.name(fields.get("attacker_name")), signed(fields.get("attacker_team"))

    def tables(self) -> Mapping[str, pa.Table]:
        lives = sorted([*self._over, *self._lives.values()], key=lambda life: (life.born, life.entity))
        self._find_deaths(lives)
        buildings = [life for life in lives if life.class_name in _BUILDINGS]
        buildings.sort(key=lambda life: (life.died is None, life.died or 0, life.entity))
        rows = [self._building(life) for life in buildings]
        fallen = [row for row in rows if row["tick"] is not None]
        self.match.rows(fallen)
        objectives = sorted(
            [*self._fallen(fallen), *map(self._told, self._chat.events)], key=lambda row: int(row["tick"])
        )
        bosses = self.match.rows(list(self._bosses(lives)))
        return {
            BUILDINGS.name: BUILDINGS.build_rows(rows),
            BOSSES.name: BOSSES.build_rows(bosses),
            OBJECTIVES.name: OBJECTIVES.build_rows(self.match.rows(objectives)),
        }

    def _building(self, life: _Life) -> dict[str, Any]:
        tier, lane = _place(life.name or "")
        killer, killer_team = self._killer(life)
        return {
            "tick": life.died,
            "kind": _BUILDINGS[life.class_name],
            "name": life.name,
            "team": life.team,
            "tier": tier,
            "lane": lane,
            "x": life.place[0],
            "y": life.place[1],
            "max_health": life.max_health,
            "health": life.health,
            "killer": killer,
            "killer_team": killer_team,
            "denied": None if killer_team is None else killer_team == life.team,
            "entity": life.entity,
        }

    @staticmethod
    def _fallen(buildings: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in buildings:
            gains = {RADIANT: DIRE, DIRE: RADIANT}.get(row["team"])
            yield {
                "tick": row["tick"],
                "event": "building_destroyed",
                "team": gains,
                "name": row["name"],
                "source": "entity",
            }

    def _told(self, event: ChatEvent) -> dict[str, Any]:
        name, team_field, player_field = _CHAT[event.type]
        told = event._asdict()
        player = told.get(player_field)
        team = told.get(team_field)
        if not team_field and player is not None:
            team = next((seat.team for seat in self._roster.seats if seat.player == player), None)
        elif event.type == "COURIER_LOST":
            team = {RADIANT: DIRE, DIRE: RADIANT}.get(team or 0)  # it tells whose courier it was
        return {
            "tick": event.tick,
            "event": name,
            "team": team if team in (RADIANT, DIRE) else None,
            "player": player,
            "value": event.value,
            "source": "chat",
        }

    def _bosses(self, lives: list[_Life]) -> Iterator[dict[str, Any]]:
        numbers = dict.fromkeys(_BOSSES, 0)
        aegis = [event for event in self._chat.events if event.type in _AEGIS]
        for life in lives:
            if life.class_name not in _BOSSES:
                continue
            numbers[life.class_name] += 1
            killer, killer_team = self._killer(life)
            row = {
                "tick": life.born,
                "boss": _BOSSES[life.class_name],
                "number": numbers[life.class_name],
                "x": life.place[0],
                "y": life.place[1],
                "max_health": life.max_health,
                "died_tick": life.died,
                "died_game_seconds": None if life.died is None else self.match.game_seconds(life.died),
                "died_x": life.died_at[0],
                "died_y": life.died_at[1],
                "killer": killer,
                "killer_team": killer_team,
            }
            for event in aegis if life.class_name == _ROSHAN else ():
                if life.died is not None and -_SAME_DEATH <= event.tick - life.died <= _AEGIS_STAYS:
                    row |= {
                        "aegis_player": event.player_1,
                        "aegis_tick": event.tick,
                        "aegis": _AEGIS[event.type],
                    }
                    aegis.remove(event)
                    break
            yield row


def _kind_of(target: str) -> str | None:
    """Kind of building or boss by the name that the combat log calls it."""
    if "_tower" in target:
        return "tower"
    if "_rax" in target:
        return "barracks"
    if target.endswith("_fort"):
        return "ancient"
    if "fillers" in target:
        return "filler"
    if "healer" in target:
        return "shrine"
    if target.startswith("npc_dota_roshan"):
        return "roshan"
    return "tormentor" if target.startswith("npc_dota_miniboss") else None


def _fits(life: _Life, target: str, exact: bool) -> bool:
    """Whether a name of the combat log may be that of a building or boss. The log says
    ``npc_dota_goodguys_melee_rax_mid`` where the entity is called ``good_rax_melee_mid``, and of towers of tier 4
    not which.
    """
    kind = _BUILDINGS.get(life.class_name) or _BOSSES[life.class_name]
    if kind != _kind_of(target):
        return False
    if exact and kind in ("tower", "barracks"):
        return _identity(target) == _identity(life.name or "")
    if life.name and _place(target)[0] not in (None, _place(life.name)[0]):
        return False
    side = RADIANT if "goodguys" in target else DIRE if "badguys" in target else None
    return side is None or side == life.team


def _identity(name: str) -> tuple[bool, bool, tuple[int | None, str | None]]:
    """What the name of a tower or barracks tells, however it is put."""
    return "good" in name, "melee" in name, _place(name)


def _place(name: str) -> tuple[int | None, str | None]:
    """Tier and lane of a building by its name (``dota_goodguys_tower1_mid``, ``good_rax_melee_top``)."""
    tier = re.search(r"tower(\d)", name)
    lane = re.search(r"_(top|mid|bot)\b", name)
    return int(tier[1]) if tier else None, lane[1] if lane else None
