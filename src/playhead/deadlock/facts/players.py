"""Table ``player_series``: every player at an interval or at some ticks."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import PLACE, TIME, person_columns
from playhead.deadlock.sources.entities import POSITION_FIELDS, names_of
from playhead.deadlock.sources.held_items import HeldItems
from playhead.deadlock.sources.heroes import HEROES
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.source2.tables.field_values import component_of, numbers_as
from playhead.tables.arrow import int32_array, named
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of

if TYPE_CHECKING:
    from playhead.source2.entities.entity import Entity
    from playhead.source2.entities.pool import EntityPool
    from playhead.source2.playback.playback import Playback

_SERVER = "Time of the server at which "
# Prefix of the columns, struct of the hero's body, subject of the docs.
_TIMERS = (
    ("in_combat", "m_sInCombat", "combat"),
    ("player_damage_dealt", "m_sPlayerDamageDealt", "damage to players"),
    ("player_damage_taken", "m_sPlayerDamageTaken", "damage by players"),
)
_TIMES = (
    ("start", "m_flStartTime", "began"),
    ("end", "m_flEndTime", "ends"),
    ("last_damage", "m_flLastDamageTime", "was last"),
)
# Column: type, field, doc, unit.
_OF_CONTROLLER: Mapping[str, tuple[str, str, str, str]] = {
    "max_health": ("int32", "m_iHealthMax", "Most health, with items", "hp"),
    "health_regen": ("float64", "m_flHealthRegen", "Health regained", "hp/s"),
    "respawn_time": ("float64", "m_flRespawnTime", "Time of the server at which a dead player returns", "s"),
    "level": ("int32", "m_iLevel", "Level", ""),
    "gold_net_worth": ("int32", "m_iGoldNetWorth", "Net worth in souls", "souls"),
    "ap_net_worth": ("int32", "m_iAPNetWorth", "Ability points earned", ""),
    "souls_creeps": ("int32", "m_iCreepGold", "Souls by troopers", "souls"),
    "souls_air_orbs": ("int32", "m_iCreepGoldAirOrb", "Souls by orbs in the air", "souls"),
    "souls_ground_orbs": ("int32", "m_iCreepGoldGroundOrb", "Souls by orbs on the ground", "souls"),
    "souls_denies": ("int32", "m_iCreepGoldDeny", "Souls by denies", "souls"),
    "souls_kills": ("int32", "m_iCreepGoldKill", "Souls by last hits on troopers", "souls"),
    "souls_neutrals": ("int32", "m_iCreepGoldNeutral", "Souls by neutrals", "souls"),
    "souls_solo_bonus": ("int32", "m_iCreepGoldSoloBonus", "Souls as a bonus alone in a lane", "souls"),
    "kills": ("int32", "m_iPlayerKills", "Heroes killed so far", ""),
    "deaths": ("int32", "m_iDeaths", "Deaths so far", ""),
    "assists": ("int32", "m_iPlayerAssists", "Assists so far", ""),
    "last_hits": ("int32", "m_iLastHits", "Last hits so far", ""),
    "denies": ("int32", "m_iDenies", "Denies so far", ""),
    "kill_streak": ("int32", "m_iKillStreak", "Kills without dying", ""),
    "hero_damage": ("int32", "m_iHeroDamage", "Damage to heroes so far", ""),
    "objective_damage": ("int32", "m_iObjectiveDamage", "Damage to objectives so far", ""),
    "hero_healing": ("int32", "m_iHeroHealing", "Healing of heroes so far", ""),
    "self_healing": ("int32", "m_iSelfHealing", "Healing of oneself so far", ""),
    "boon_count": ("int32", "m_nBoonCount", "Boons so far", ""),
    "rank": ("int32", "m_unPackedRank", "Rank as the game packs it; 0 without one", ""),
    "ultimate_cooldown_start": ("float64", "m_flUltimateCooldownStart", _SERVER + "the ultimate was used", "s"),
    "ultimate_cooldown_end": ("float64", "m_flUltimateCooldownEnd", _SERVER + "it is ready again", "s"),
    "start_lane": ("int32", "m_nOriginalLaneAssignment", "Lane assigned at first", ""),
    "lane": ("int32", "m_nAssignedLane", "Assigned lane: 1 yellow, 3 green, 4 blue, 6 purple", ""),
}
_OF_PAWN: Mapping[str, tuple[str, str, str, str]] = {
    "health": ("int32", "m_iHealth", "Health", "hp"),
    "base_max_health": ("int32", "m_iMaxHealth", "Most health without items", "hp"),
    "souls": ("int32", "m_nCurrencies.0000", "Souls in hand", "souls"),
    "ability_points": ("int32", "m_nCurrencies.0001", "Ability points in hand", ""),
    "spent_souls": ("int32", "m_nSpentCurrencies.0000", "Souls spent", "souls"),
    "build_id": ("int64", "m_unHeroBuildID", "Number of the hero's build of items", ""),
    "death_time": ("float64", "m_flDeathTime", _SERVER + "the hero died last", "s"),
    "last_spawn_time": ("float64", "m_flLastSpawnTime", _SERVER + "the hero came back last", "s"),
    "time_revealed_by_npc": ("float64", "m_timeRevealedOnMinimapByNPC", _SERVER + "an NPC showed it", "s"),
    **{
        f"{column}_{end}_time": ("float64", f"{node}.{field}", f"{_SERVER}{what} {doc}", "s")
        for column, node, what in _TIMERS
        for end, field, doc in _TIMES
    },
}
_CONTROLLER_FLAGS = {
    "alive": ("m_bAlive", "m_bAlive of the controller."),
    "has_ultimate_trained": ("m_bUltimateTrained", "m_bUltimateTrained of the controller."),
    "has_rejuvenator": ("m_bHasRejuvenator", "m_bHasRejuvenator of the controller."),
    "has_rebirth": ("m_bHasRebirth", "m_bHasRebirth of the controller."),
}
_PAWN_FLAGS = {
    "in_regen_zone": ("m_bInRegenerationZone", "m_bInRegenerationZone of the hero's body."),
    "in_item_shop": ("m_bInItemShopZone", "m_bInItemShopZone of the hero's body."),
}
_HERO, _TEAM = "m_nHeroID", "m_iTeamNum"
_LIFE, _CAMERA, _EYES = "m_lifeState", "m_angClientCamera", "m_angEyeAngles"
_ANGLES = "CBodyComponent.m_angRotation"


def _number_columns(fields: Mapping[str, tuple[str, str, str, str]], owner: str) -> Iterator[Column]:
    for name, (type_, field, doc, unit) in fields.items():
        yield Column(name, type_, f"{doc}: {field} of {owner}; null where the build lacks it.", unit)


PLAYER_SERIES = TableSchema(
    name="player_series",
    version=2,
    doc="Every player on a side at an interval (option `every`, one second if it is not given) or at some ticks "
    "(option `ticks`). Option `raw` adds fields of the hero's body by name. Null without a value.",
    columns=(
        *TIME,
        *person_columns(),
        *PLACE,
        Column("pitch", "float64", "Of the camera: m_angClientCamera of the hero's body; positive is down.", "°"),
        Column("yaw", "float64", "Of the camera, counterclockwise from the east, 0 to 360.", "°"),
        Column("eye_pitch", "float64", "Of the eyes: m_angEyeAngles.", "°"),
        Column("eye_yaw", "float64", "Of the eyes, 0 to 360.", "°"),
        Column("body_yaw", "float64", "Of the body: m_angRotation, 0 to 360.", "°"),
        Column("lifestate", "int32", "m_lifeState of the hero's body: 0 is alive."),
        *_number_columns(_OF_PAWN, "the hero's body"),
        *_number_columns(_OF_CONTROLLER, "the controller"),
        *(Column(name, "bool", doc) for name, (_, doc) in (*_CONTROLLER_FLAGS.items(), *_PAWN_FLAGS.items())),
        Column("upgrade_ids", "list<int64>", "Numbers of the items held: m_vecUpgrades of the controller."),
        Column("upgrades", "list<string>", "Their names; a name that EntityNames lacks is its number."),
    ),
)


class _Seldom:
    """Fields of one entity of each player that seldom change: read only at a change, and repeated in the rows.

    Args:
        names: the fields; None is no field.
    """

    def __init__(self, names: Iterable[str | None]) -> None:
        self._names = tuple(dict.fromkeys(filter(None, names)))
        self._columns = EntityColumns(self._names)
        self._changed: set[int] = set()
        self._rows, self._now = array("i"), array("i")
        self._times = 0

    def attach(self, playback: Playback, class_name: str) -> None:
        """Follow the entities of a class."""
        playback.entities.on_entity(FieldWatch(self._names, self._on_change), class_name)

    def _on_change(self, entity: Entity, _op: EntityOp) -> None:
        self._changed.add(entity.index)

    def take(self, entities: list[Any], *, is_new: bool) -> None:
        """Add a row for each entity; `is_new` says that the list is another one than the last time."""
        if is_new:
            self._repeat()
            first = self._columns.rows
            self._columns.add_all(entities)
            self._now = array("i", range(first, first + len(entities)))
            self._changed.clear()
        elif self._changed:
            self._repeat()
            for place, entity in enumerate(entities):
                if entity is not None and entity.index in self._changed:
                    self._now[place] = self._columns.rows
                    self._columns.add(entity)
            self._changed.clear()
        self._times += 1

    def _repeat(self) -> None:
        """Append the rows of all times since the last change."""
        self._rows.extend(self._now * self._times)
        self._times = 0

    def to_arrow(self, pool: EntityPool) -> dict[str, Any]:
        """Return the columns by field."""
        self._repeat()
        rows = int32_array(self._rows)
        return {name: values.take(rows) for name, values in self._columns.to_arrow(pool).items()}


class PlayerRows:
    """Collects rows of players: their entities at one tick after another.

    Args:
        match: the shared inputs.
        raw: further fields of the hero's body.
    """

    def __init__(self, match: DeadlockMatch, raw: Sequence[str] = ()) -> None:
        self._match = match
        self._raw = raw
        own = {name: entry[1] for name, entry in _OF_PAWN.items()} | _flags(_PAWN_FLAGS)
        self._of_pawn = {name: match.declared.name(PAWN, field) for name, field in own.items()}
        own = {name: entry[1] for name, entry in _OF_CONTROLLER.items()} | _flags(_CONTROLLER_FLAGS)
        self._of_controller = {name: match.declared.name(CONTROLLER, field) for name, field in own.items()}
        self._heroes = match.declared.name(CONTROLLER, _HERO), match.declared.name(PAWN, _HERO)
        self._moving = EntityColumns(dict.fromkeys((*POSITION_FIELDS, _CAMERA, _EYES, _ANGLES, *raw)))
        self._controllers = _Seldom((*self._of_controller.values(), self._heroes[0], _TEAM))
        self._pawns = _Seldom((_LIFE, *self._of_pawn.values(), self._heroes[1]))
        self._ticks, self._sizes = array("i"), array("i")
        self._players, self._items = array("i"), array("i")
        self._numbers, self._lists = array("i"), array("i")
        self._known: int | None = None
        self._held: dict[int, int] = {}
        self._item_lists: dict[tuple[int, ...], int] = {}
        self._upgrades = HeldItems(match.declared)

    def attach(self, playback: Playback) -> None:
        """Follow a playback; without it, each row has the present state."""
        self._upgrades.attach(playback, self._on_items)
        self._controllers.attach(playback, CONTROLLER)
        self._pawns.attach(playback, PAWN)

    def _on_items(self, controller: int, _before: tuple[int, ...], _now: tuple[int, ...]) -> None:
        self._held.pop(controller, None)
        self._known = None

    def _items_of(self, controller: Entity) -> int:
        known = self._held.get(controller.index)
        if known is None:
            held = self._upgrades.read(controller)
            known = self._held[controller.index] = self._item_lists.setdefault(held, len(self._item_lists))
        return known

    def take(self, tick: int) -> None:
        """Add a row for each player on a side."""
        people = self._match.people
        is_new = people.version != self._known
        if is_new:
            self._repeat()
            self._known = people.version
            self._present = list(people.controllers())
            self._bodies = [people.pawn(controller) for controller in self._present]
            self._numbers = array("i", [controller.index - 1 for controller in self._present])
            self._lists = array("i", [self._items_of(controller) for controller in self._present])
        self._ticks.append(tick)
        self._controllers.take(self._present, is_new=is_new)
        self._pawns.take(self._bodies, is_new=is_new)
        self._moving.add_all(self._bodies)

    def _repeat(self) -> None:
        """Append numbers and items of the players at all ticks since the last change."""
        times = len(self._ticks) - len(self._sizes)
        self._players.extend(self._numbers * times)
        self._items.extend(self._lists * times)
        self._sizes.extend(array("i", [len(self._numbers)]) * times)

    def _row_ticks(self) -> pa.Array:
        """Return the tick of each row."""
        ends = int32_array(array("i", accumulate(self._sizes)))
        kept = [at for at, size in enumerate(self._sizes) if size]
        ticks = int32_array(self._ticks)
        if len(kept) < len(self._ticks):  # ticks without players
            places = array_of(kept, pa.int32())
            ends, ticks = ends.take(places), ticks.take(places)
        return pc.run_end_decode(pa.RunEndEncodedArray.from_arrays(ends, ticks))

    def table(self, playback: Playback) -> pa.Table:
        """Return the rows so far as table ``player_series``."""
        pool = playback.entities.pool
        pawns, controllers = self._pawns.to_arrow(pool), self._controllers.to_arrow(pool)
        moving = self._moving.to_arrow(pool)
        self._repeat()
        rows = len(self._players)
        integer = pa.int32()
        columns: dict[str, Any] = {"player": int32_array(self._players)}
        columns |= self._match.time_columns(self._row_ticks()) | self._match.places(moving)
        types = {column.name: column.type for column in PLAYER_SERIES.columns}
        for fields, found in ((self._of_pawn, pawns), (self._of_controller, controllers)):
            for name, field in fields.items():
                type_ = pa.bool_() if types[name] == "bool" else getattr(pa, types[name])()
                columns[name] = pa.nulls(rows, type_) if field is None else numbers_as(found[field], type_)
        heroes = [
            pa.nulls(rows, integer) if name is None else _not_zero(numbers_as(found[name], integer))
            for name, found in zip(self._heroes, (controllers, pawns), strict=True)
        ]
        columns["hero_id"] = pc.coalesce(*heroes)
        columns["hero"] = named(columns["hero_id"], HEROES)
        columns["team"] = numbers_as(controllers[_TEAM], integer)
        columns["lifestate"] = numbers_as(pawns[_LIFE], integer)
        for prefix, field in (("", _CAMERA), ("eye_", _EYES)):
            pitch, turn = component_of(moving[field], 0), scalar_of(360.0, pa.float64())
            high = pc.greater(pitch, scalar_of(180.0, pa.float64()))
            columns[f"{prefix}pitch"] = pc.if_else(high, pc.subtract(pitch, turn), pitch)
            columns[f"{prefix}yaw"] = _to_360(component_of(moving[field], 1))
        columns["body_yaw"] = _to_360(component_of(moving[_ANGLES], 1))
        held = int32_array(self._items)
        word = self._match.names.name
        lists = [list(items) for items in self._item_lists]
        words = [[word(item) or str(item) for item in items] for items in lists]
        columns["upgrade_ids"] = array_of(lists, pa.list_(pa.int64())).take(held)
        columns["upgrades"] = array_of(words, pa.list_(pa.string())).take(held)
        table = PLAYER_SERIES.build(columns)
        for field in self._raw:
            table = table.append_column(field, moving[field])
        return table


@TABLES.add
class DeadlockPlayerSeries(DeadlockFacts):
    """Table ``player_series``."""

    schemas: ClassVar[Sequence[TableSchema]] = (PLAYER_SERIES,)
    options: ClassVar[Sequence[str]] = ("every", "ticks", "raw")

    def __init__(
        self,
        match: DeadlockMatch,
        every: int | float | str = "1s",
        ticks: Iterable[int] | None = None,
        raw: Iterable[str] = (),
    ) -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._asked = None if ticks is None else sorted({int(tick) for tick in ticks})
        raw = tuple(raw)
        self._rows = PlayerRows(match, raw)
        self.fields = {
            CONTROLLER: (
                *names_of(field for _, field, *_ in _OF_CONTROLLER.values()),
                *names_of(field for field, _ in _CONTROLLER_FLAGS.values()),
                *HeldItems.fields[CONTROLLER],
            ),
            PAWN: (
                *names_of(field for _, field, *_ in _OF_PAWN.values()),
                *names_of(field for field, _ in _PAWN_FLAGS.values()),
                *POSITION_FIELDS,
                *(_LIFE, _CAMERA, _EYES, _ANGLES, *raw),
            ),
        }

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._rows.attach(playback)
        self._taken = -1
        if self._asked is None:
            self._sampler = self.match.sampler(playback, self._every)
            self._sampler.on_sample(self._rows.take)
        else:
            for tick in self._asked:
                # A function of its own keeps each tick.
                playback.call_after(tick, lambda _later, tick=tick: self._take(tick))  # type: ignore[misc]

    def _take(self, tick: int) -> None:
        if self._playback.entities.valid:
            self._rows.take(tick)
            self._taken = tick

    def present(self) -> list[dict[str, Any]]:
        """Return the present state of each player on a side."""
        rows = PlayerRows(self.match)
        rows.take(self._playback.tick)
        found: list[dict[str, Any]] = rows.table(self._playback).to_pylist()
        return found

    def tables(self) -> Mapping[str, pa.Table]:
        if self._asked is None:
            self._sampler.finish()
        elif self._asked and self._taken < self._asked[-1] == self._playback.tick:
            self._take(self._asked[-1])  # the recording ended before a later frame
        return {PLAYER_SERIES.name: self._rows.table(self._playback)}


def _flags(fields: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    return {name: field for name, (field, _) in fields.items()}


def _not_zero(numbers: Any) -> Any:
    zero = pc.equal(numbers, scalar_of(0, pa.int32()))
    return pc.if_else(zero, scalar_of(None, pa.int32()), numbers)


def _to_360(angles: Any) -> Any:
    """Return angles as 0 to 360."""
    turn = scalar_of(360.0, pa.float64())
    low = pc.if_else(pc.less(angles, scalar_of(0.0, pa.float64())), pc.add(angles, turn), angles)
    return pc.if_else(pc.greater_equal(low, turn), pc.subtract(low, turn), low)
