"""Table ``player_series``: every player at an interval or at some ticks."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import nan
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import PLACE, TIME, person_columns
from playhead.deadlock.sources.barriers import TABLE, Barriers
from playhead.deadlock.sources.entities import POSITION_FIELDS, names_of
from playhead.deadlock.sources.held_items import HeldItems
from playhead.deadlock.sources.heroes import HEROES
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.entity import Entity
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.sampling import chosen_ticks
from playhead.source2.tables.entities import EntityQuery
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.source2.tables.field_values import component_of
from playhead.source2.tables.seldom_columns import SeldomColumns
from playhead.tables.arrow import by_chunk, int32_array, named, repeated
from playhead.tables.number_columns import float64_or_null
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.text.names import listed

_SERVER, _BUILD = "Time of the server at which ", "m_unHeroBuildID"
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
    "build_id": ("int64", _BUILD, "Number of the hero's build of items", ""),
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
# Rows after which a part of the table is made.
_PART = 1 << 16


def _number_columns(fields: Mapping[str, tuple[str, str, str, str]], owner: str) -> Iterator[Column]:
    for name, (type_, field, doc, unit) in fields.items():
        yield Column(name, type_, f"{doc}: {field} of {owner}; null where the build lacks it.", unit)


PLAYER_SERIES = TableSchema.of(
    "player_series",
    "Every player on a side at an interval (option `every`, one second if it is not given) or at some ticks "
    "(option `ticks`). Option `raw` adds fields of the hero's body by name. Null without a value.",
    *TIME,
    *person_columns(),
    *PLACE,
    Column("pitch", "float64", "Of the camera: m_angClientCamera of the hero's body; positive is down.", "°"),
    Column("yaw", "float64", "Of the camera, counterclockwise from the east, 0 to 360.", "°"),
    Column("roll", "float64", "Of the camera, -180 to 180.", "°"),
    Column("eye_pitch", "float64", "Of the eyes: m_angEyeAngles.", "°"),
    Column("eye_yaw", "float64", "Of the eyes, 0 to 360.", "°"),
    Column("body_yaw", "float64", "Of the body: m_angRotation, 0 to 360.", "°"),
    Column("lifestate", "int32", "m_lifeState of the hero's body: 0 is alive."),
    *_number_columns(_OF_PAWN, "the hero's body"),
    Column(
        "barrier",
        "float64",
        "What is left of the barrier: modifier_barrier_tracker in ActiveModifiers; null without one.",
        "hp",
    ),
    *_number_columns(_OF_CONTROLLER, "the controller"),
    *(Column(name, "bool", doc) for name, (_, doc) in (*_CONTROLLER_FLAGS.items(), *_PAWN_FLAGS.items())),
    Column("upgrade_ids", "list<int64>", "Numbers of the items held: m_vecUpgrades of the controller."),
    Column("upgrades", "list<string>", "Their names; a name that EntityNames lacks is its number."),
    version=3,
)


class PlayerRows:
    """Collects rows of players: their entities at one tick after another.

    Args:
        match: the shared inputs.
        raw: further fields of the hero's body.

    Attributes:
        barriers: the barriers of the heroes.
    """

    def __init__(self, match: DeadlockMatch, raw: Sequence[str] = ()) -> None:
        self._match = match
        self._raw = raw
        declared = match.declared.name
        heroes = {"hero_id": (_HERO, "int32")}
        own = {name: (entry[1], entry[0]) for name, entry in _OF_CONTROLLER.items()} | heroes
        own |= _flags(_CONTROLLER_FLAGS) | {"team": (_TEAM, "int32")}
        moved = {} if declared(PAWN, _BUILD) else {"build_id": (_BUILD, "int64")}  # in builds of 2026
        own |= moved
        self._controllers = SeldomColumns({name: (declared(CONTROLLER, at), to) for name, (at, to) in own.items()})
        own = {name: (entry[1], entry[0]) for name, entry in _OF_PAWN.items()} | heroes
        own = {name: own[name] for name in own if name not in moved}
        own |= _flags(_PAWN_FLAGS) | {"lifestate": (_LIFE, "int32")}
        self._pawns = SeldomColumns({name: (declared(PAWN, at), to) for name, (at, to) in own.items()})
        self._ticks, self._sizes = array("i"), array("i")
        self._parts: list[dict[str, Any]] = []
        self._made: tuple[int, pa.Table] | None = None
        self._known: int | None = None
        self._held: dict[int, int] = {}
        self._item_lists: dict[tuple[int, ...], int] = {}
        self._upgrades = HeldItems(match.declared)
        self.barriers = Barriers(match.game)
        self._playback: Playback | None = None
        self._begin()

    def _begin(self) -> None:
        """Begin a part."""
        self._first = len(self._ticks)
        self._known = None
        self._moving = EntityColumns(dict.fromkeys((*POSITION_FIELDS, _CAMERA, _EYES, _ANGLES, *self._raw)))
        self._players, self._items = array("i"), array("i")
        self._barrier: Any = array("d")

    def attach(self, playback: Playback) -> None:
        """Follow a playback; without it, each row has the present state."""
        self._playback = playback
        self._upgrades.attach(playback, self._on_items)
        self.barriers.attach(playback, self._on_barriers)
        self._controllers.attach(playback, CONTROLLER)
        self._pawns.attach(playback, PAWN)

    def _on_items(self, controller: int, _before: tuple[int, ...], _now: tuple[int, ...]) -> None:
        self._held.pop(controller, None)
        self._have_items_changed = True

    def _on_barriers(self) -> None:
        self._have_items_changed = True

    def _items_of(self, controller: Entity) -> int:
        known = self._held.get(controller.index)
        if known is None:
            held = self._upgrades.read(controller)
            known = self._held[controller.index] = self._item_lists.setdefault(held, len(self._item_lists))
        return known

    def append(self, tick: int) -> None:
        """Add a row for each player on a side."""
        people = self._match.people
        is_new = people.version != self._known
        if is_new:
            self._repeat()
            self._known = people.version
            self._present = list(people.controllers())
            self._bodies = [people.pawn(controller) for controller in self._present]
            self._numbers = array("i", [controller.index - 1 for controller in self._present])
            self._have_items_changed = True
        sample = len(self._ticks) - self._first
        if is_new or self._controllers.changed:
            self._controllers.append(self._present, sample, is_new=is_new)
        if is_new or self._pawns.changed:
            self._pawns.append(self._bodies, sample, is_new=is_new)
        if self._have_items_changed:
            self._repeat()
            self._lists = array("i", [self._items_of(controller) for controller in self._present])
            left = self.barriers.left
            self._left = array("d", [nan if body is None else left.get(body.index, nan) for body in self._bodies])
            self._have_items_changed = False
        self._ticks.append(tick)
        self._moving.add_all(self._bodies)
        if self._moving.rows >= _PART and self._playback is not None and self._match.grid.known:
            self._end_part(self._playback)

    def _repeat(self) -> None:
        """Append numbers, items and barriers of the players at all ticks since the last change."""
        times = len(self._ticks) - len(self._sizes)
        if times:
            self._players.extend(self._numbers * times)
            self._items.extend(self._lists * times)
            self._barrier.extend(self._left * times)
            self._sizes.extend(array("i", [len(self._numbers)]) * times)

    def _end_part(self, playback: Playback) -> None:
        """Make columns of the rows since the last part, so that temporary memory is small and used again."""
        self._repeat()
        pool, samples = playback.entities.pool, len(self._ticks) - self._first
        moving, pawns = self._moving.to_arrow(pool), self._pawns.to_arrow(pool, samples)
        columns = {"player": int32_array(self._players), "held": int32_array(self._items)}
        columns["barrier"] = float64_or_null(self._barrier)
        for name, values in columns.items():
            if self._parts and values.equals(self._parts[-1][name]):
                columns[name] = self._parts[-1][name]
        heroes = _not_zero(pawns.pop("hero_id"))
        columns |= pawns | self._controllers.to_arrow(pool, samples) | self._match.places(moving)
        columns["hero_id"] = _not_zero(columns["hero_id"])
        if columns["hero_id"].null_count:
            columns["hero_id"] = pc.coalesce(columns["hero_id"], heroes)
        for prefix, field in (("", _CAMERA), ("eye_", _EYES)):
            columns[f"{prefix}pitch"] = component_of(moving[field], 0, -180.0)
            columns[f"{prefix}yaw"] = component_of(moving[field], 1, 0.0)
        columns["roll"] = component_of(moving[_CAMERA], 2, -180.0)
        columns["body_yaw"] = component_of(moving[_ANGLES], 1, 0.0)
        self._parts.append(columns | {field: moving[field] for field in self._raw})
        self._begin()

    def table(self, playback: Playback) -> pa.Table:
        """Return the rows so far as table ``player_series``."""
        if self._made is None or self._made[0] != len(self._ticks):
            self._made = len(self._ticks), self._table(playback)
        return self._made[1]

    def _table(self, playback: Playback) -> pa.Table:
        if len(self._ticks) > self._first or not self._parts:
            self._end_part(playback)
        columns = {name: _chunked([part[name] for part in self._parts]) for name in self._parts[0]}
        ends = int32_array(array("i", accumulate(self._sizes)))
        times = self._match.times_of(self._ticks)
        if 0 in self._sizes:  # ticks without players
            kept = array_of([at for at, size in enumerate(self._sizes) if size], pa.int32())
            ends, times = ends.take(kept), {name: values.take(kept) for name, values in times.items()}
        for name, values in times.items():
            columns[name] = repeated(values, ends)
        columns["hero"] = named(columns["hero_id"], HEROES)
        word = self._match.names.name
        lists = [list(items) for items in self._item_lists]
        words = [[word(item) or str(item) for item in items] for items in lists]
        held = columns.pop("held")
        columns["upgrade_ids"] = by_chunk(held, array_of(lists, pa.list_(pa.int64())).take, pa.list_(pa.int64()))
        columns["upgrades"] = by_chunk(held, array_of(words, pa.list_(pa.string())).take, pa.list_(pa.string()))
        raw = {field: columns.pop(field) for field in self._raw}
        table = PLAYER_SERIES.build(columns)
        for field, values in raw.items():
            table = table.append_column(field, values)
        return table


def _chunked(parts: list[pa.Array]) -> pa.ChunkedArray:
    """Return the parts of a column as one; a part without any value has no type of its own."""
    type_ = next((part.type for part in parts if not pa.types.is_null(part.type)), pa.null())
    return pa.chunked_array([part if part.type == type_ else part.cast(type_) for part in parts], type_)


@TABLES.maker_of(PLAYER_SERIES)
class DeadlockPlayerSeries(DeadlockFacts):
    """Table ``player_series``."""

    work = 15
    options: ClassVar[Sequence[str]] = ("every", "ticks", "raw")
    string_tables = (TABLE,)

    def __init__(
        self,
        match: DeadlockMatch,
        every: int | float | str = "1s",
        ticks: int | Iterable[int] | None = None,
        raw: str | Iterable[str] = (),
    ) -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._asked = None if ticks is None else chosen_ticks(ticks)
        raw, recording = tuple(listed(raw)), match.replay.recording
        if raw and recording.send_tables:
            EntityQuery("*", raw).check(recording.class_names.values(), recording.schema.tree)
        shared = match.series.get(self._every) if self._asked is None and not raw else None
        self._player_rows = PlayerRows(match, raw) if shared is None else shared
        self._is_shared = shared is not None
        if self._asked is None and not raw:
            match.series[self._every] = self._player_rows
        self.fields = {
            CONTROLLER: (
                *names_of(field for _, field, *_ in _OF_CONTROLLER.values()),
                *names_of((_BUILD, *(field for field, _ in _CONTROLLER_FLAGS.values()))),
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
        self._sampler = self.match.series_sampler(playback, self._every, self._asked)
        if not self._is_shared:
            self._player_rows.attach(playback)
            self._sampler.on_sample(self._player_rows.append)

    def present(self, tick: int) -> list[dict[str, Any]]:
        """Return the present state of each player on a side, as rows of `tick`; the last packet may be earlier."""
        rows = PlayerRows(self.match)
        rows.barriers = self._player_rows.barriers
        rows.append(tick)
        found: list[dict[str, Any]] = rows.table(self._playback).to_pylist()
        return found

    def tables(self) -> Mapping[str, pa.Table]:
        self._sampler.finish()
        return {PLAYER_SERIES.name: self._player_rows.table(self._playback)}


def _flags(fields: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    return {name: (field, "bool") for name, (field, _) in fields.items()}


def _not_zero(numbers: Any) -> Any:
    zero = pc.equal(numbers, scalar_of(0, pa.int32()))
    if not pc.any(zero).as_py():
        return numbers
    return pc.if_else(zero, scalar_of(None, pa.int32()), numbers)
