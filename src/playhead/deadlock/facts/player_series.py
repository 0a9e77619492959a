"""Tables ``player_series``, ``positions``, ``player_stats``: the players at steps of time and at the end."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate
from math import nan
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.items import HeldItems
from playhead.deadlock.facts.modifiers import TABLE, Barriers
from playhead.deadlock.sources.entities import POSITION_FIELDS, DeclaredNames, names_of
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.names import HEROES
from playhead.deadlock.sources.people import CONTROLLER, PAWN, TEAMS, person_columns
from playhead.deadlock.sources.words import LANES, SIDES
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import replace
from playhead.source2.entities.entity import Entity
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.playback.sampling import DisplayedSampler, Sampler, TickSampler, chosen_ticks
from playhead.source2.tables.entities import EntityQuery
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.source2.tables.seldom_columns import SeldomColumns, component_of
from playhead.tables.arrow import by_chunk, category, int32_array, repeated
from playhead.tables.number_columns import float64_or_null
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import POSITIONS
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word, words
from playhead.text.names import listed

_BUILD = "m_unHeroBuildID"
# Prefix of the columns, struct of the hero's body, subject of the docs.
_TIMERS = (
    ("in_combat", "m_sInCombat", "combat"),
    ("player_damage_dealt", "m_sPlayerDamageDealt", "damage to players"),
    ("player_damage_taken", "m_sPlayerDamageTaken", "damage by players"),
)
_TIMES = (
    ("start", "m_flStartTime", "began"),
    ("end", "m_flEndTime", "ends"),
    ("last", "m_flLastDamageTime", "was last"),
)


def _own(name: str, type_: str, doc: str = "", unit: str = "") -> Column:
    """Return a column without its field; a word has its own type and unit."""
    with suppress(KeyError):
        return word(name, doc)
    if name.endswith("_server_seconds"):
        doc = f"On the server's clock: when {doc}"
    return Column(name, type_, doc, "s" if name.endswith("seconds") else unit)


# Field by column.
_OF_CONTROLLER: dict[Column, str] = {
    _own("max_health", "int32", "With items."): "m_iHealthMax",
    _own("health_regen", "float64", "Health regained.", "hp/s"): "m_flHealthRegen",
    _own("respawn_server_seconds", "float64", "a dead player returns."): "m_flRespawnTime",
    _own("level", "int32"): "m_iLevel",
    _own("net_worth", "int32"): "m_iGoldNetWorth",
    _own("ability_points_earned", "int32", "Ability points so far."): "m_iAPNetWorth",
    _own("souls_creeps", "int32", "Souls by troopers.", "souls"): "m_iCreepGold",
    _own("souls_air_orbs", "int32", "Souls by orbs in the air.", "souls"): "m_iCreepGoldAirOrb",
    _own("souls_ground_orbs", "int32", "Souls by orbs on the ground.", "souls"): "m_iCreepGoldGroundOrb",
    _own("souls_denies", "int32", "Souls by denies.", "souls"): "m_iCreepGoldDeny",
    _own("souls_kills", "int32", "Souls by last hits on troopers.", "souls"): "m_iCreepGoldKill",
    _own("souls_neutrals", "int32", "Souls by neutrals.", "souls"): "m_iCreepGoldNeutral",
    _own("souls_solo_bonus", "int32", "Souls as a bonus alone in a lane.", "souls"): "m_iCreepGoldSoloBonus",
    _own("kills", "int32"): "m_iPlayerKills",
    _own("deaths", "int32"): "m_iDeaths",
    _own("assists", "int32"): "m_iPlayerAssists",
    _own("last_hits", "int32"): "m_iLastHits",
    _own("denies", "int32"): "m_iDenies",
    _own("kill_streak", "int32"): "m_iKillStreak",
    _own("hero_damage", "int32"): "m_iHeroDamage",
    _own("objective_damage", "int32"): "m_iObjectiveDamage",
    _own("hero_healing", "int32"): "m_iHeroHealing",
    _own("self_healing", "int32"): "m_iSelfHealing",
    _own("boon_count", "int32", "Boons so far."): "m_nBoonCount",
    _own("rank", "int32", "As the game packs it; 0 without one."): "m_unPackedRank",
    _own("ultimate_start_server_seconds", "float64", "the ultimate was used."): "m_flUltimateCooldownStart",
    _own("ultimate_end_server_seconds", "float64", "it is ready again."): "m_flUltimateCooldownEnd",
    _own("start_lane_id", "int64", "Assigned at first."): "m_nOriginalLaneAssignment",
    _own("lane_id", "int64", "Of the assigned lane."): "m_nAssignedLane",
}
_OF_PAWN: dict[Column, str] = {
    _own("health", "int32"): "m_iHealth",
    _own("base_max_health", "int32", "Most health without items.", "hp"): "m_iMaxHealth",
    _own("souls", "int32", "In hand."): "m_nCurrencies.0000",
    _own("ability_points", "int32", "Ability points in hand."): "m_nCurrencies.0001",
    _own("spent_souls", "int32", "Souls spent.", "souls"): "m_nSpentCurrencies.0000",
    _own("hero_build_id", "int64", "Number of the hero's build of items."): _BUILD,
    _own("death_server_seconds", "float64", "the hero died last."): "m_flDeathTime",
    _own("spawn_server_seconds", "float64", "the hero came back last."): "m_flLastSpawnTime",
    _own("revealed_by_npc_server_seconds", "float64", "an NPC showed it."): "m_timeRevealedOnMinimapByNPC",
    **{
        _own(f"{column}_{end}_server_seconds", "float64", f"{what} {doc}."): f"{node}.{field}"
        for column, node, what in _TIMERS
        for end, field, doc in _TIMES
    },
    _own("life_state_id", "int64", "0 is alive."): "m_lifeState",
}
_CONTROLLER_FLAGS: dict[Column, str] = {
    _own("alive", "bool"): "m_bAlive",
    _own("has_ultimate_trained", "bool", "The ultimate is learned."): "m_bUltimateTrained",
    _own("has_rejuvenator", "bool", "The player has the rejuvenator."): "m_bHasRejuvenator",
    _own("has_rebirth", "bool", "The player has a rebirth."): "m_bHasRebirth",
}
_PAWN_FLAGS: dict[Column, str] = {
    _own("in_regen_zone", "bool", "The hero is where health returns."): "m_bInRegenerationZone",
    _own("in_item_shop", "bool", "The hero is at a shop."): "m_bInItemShopZone",
}
_HERO, _TEAM = "m_nHeroID", "m_iTeamNum"
_CAMERA, _EYES = "m_angClientCamera", "m_angEyeAngles"
_ANGLES = "CBodyComponent.m_angRotation"
# Columns of table ``player_stats`` that are not words.
_COUNTED = frozenset("objective_damage hero_healing self_healing".split())
# Columns of words, with the column of the number.
_WORDS = {
    "hero": ("hero_id", HEROES),
    "side": ("team", SIDES),
    "lane": ("lane_id", LANES),
    "start_lane": ("start_lane_id", LANES),
}
# Rows after which a part of the table is made.
_PART = 1 << 16


def _with_field(fields: Mapping[Column, str], owner: str) -> Iterator[Column]:
    for column, field in fields.items():
        yield replace(column, doc=f"{column.doc} {field} of {owner}; null where the build lacks it.")


PLAYER_SERIES = TableSchema.of(
    "player_series",
    "Every player on a side at an interval (option `every`, one second if it is not given; with `clock='game'` "
    "when the game's clock shows a multiple of it) or at some ticks (option `ticks`). Option `raw` adds fields of "
    "the hero's body by name. Null without a value.",
    *words("tick! seconds game_seconds"),
    *person_columns(),
    *words("x y z"),
    word("pitch", "Of the camera: m_angClientCamera of the hero's body."),
    word("yaw", "Of the camera, 0 to 360."),
    Column("roll", "float32", "Of the camera, -180 to 180.", "°"),
    Column("eye_pitch", "float32", "Of the eyes: m_angEyeAngles.", "°"),
    Column("eye_yaw", "float32", "Of the eyes, 0 to 360.", "°"),
    Column("body_yaw", "float32", "Of the body: m_angRotation, 0 to 360.", "°"),
    *_with_field(_OF_PAWN, "the hero's body"),
    Column(
        "barrier",
        "float64",
        "What is left of the barrier: modifier_barrier_tracker in ActiveModifiers; null without one.",
        "hp",
    ),
    *_with_field(_OF_CONTROLLER, "the controller"),
    word("start_lane", "Assigned at first."),
    word("lane", "The assigned lane."),
    *_with_field(_CONTROLLER_FLAGS, "the controller"),
    *_with_field(_PAWN_FLAGS, "the hero's body"),
    Column("item_ids", "list<int64>", "Numbers of the items held: m_vecUpgrades of the controller."),
    word("items", "A name that EntityNames lacks is its number."),
    group="series",
)
DEADLOCK_POSITIONS = POSITIONS.extended(*words("z hero team side game_seconds"))
PLAYER_STATS = TableSchema.of(
    "player_stats",
    "One row for each player on a side at the end of the recording, with the last counters.",
    *person_columns(),
    *words("result level kills deaths assists last_hits denies net_worth hero_damage"),
    *(column for column in _with_field(_OF_CONTROLLER, "the controller") if column.name in _COUNTED),
    word("items", "A name that EntityNames lacks is its number."),
)


def undeclared_columns(recording: Recording) -> dict[str, str]:
    """Return the missing field by ``table.column``, for columns of players."""
    declared, found = DeclaredNames(recording).name, {}
    for owner, fields in ((CONTROLLER, _OF_CONTROLLER | _CONTROLLER_FLAGS), (PAWN, _OF_PAWN | _PAWN_FLAGS)):
        for column, field in fields.items():
            if not declared(owner, field):
                found[f"player_series.{column.name}"] = f"the recording does not declare {field} of {owner}"
    return found


class PlayerRows:
    """Collects rows of players: their entities at one tick after another."""

    def __init__(self, match: DeadlockMatch, raw: Sequence[str] = ()) -> None:
        self._match = match
        self._raw = raw
        declared = match.declared.name
        other = {word("hero_id"): _HERO}
        moved = {} if declared(PAWN, _BUILD) else {_own("hero_build_id", "int64"): _BUILD}  # in builds of 2026
        of_pawn = {
            column: at for column, at in (_OF_PAWN | _PAWN_FLAGS | other).items() if at not in moved.values()
        }
        self._controllers, self._pawns = (
            SeldomColumns({column.name: (declared(owner, at), column.type) for column, at in fields.items()})
            for owner, fields in (
                (CONTROLLER, {**_OF_CONTROLLER, **_CONTROLLER_FLAGS, **other, word("team"): _TEAM, **moved}),
                (PAWN, of_pawn),
            )
        )
        self._ticks, self._sizes = array("i"), array("i")
        self._parts: list[dict[str, Any]] = []
        self._made: tuple[int, pa.Table] | None = None
        self._known: int | None = None
        self._held: dict[int, int] = {}
        # Controllers whose items changed since the last row; None for a change of barriers.
        self._news: set[int | None] = set()
        self._item_lists: dict[tuple[int, ...], int] = {}
        self._upgrades = HeldItems(match.declared)
        self.barriers = Barriers(match.game)
        self._playback: Playback | None = None
        self._begin()

    def _begin(self, expected: int = 0) -> None:
        """Begin a part of about as many rows."""
        self._first = len(self._ticks)
        self._known = None
        fields = dict.fromkeys((*POSITION_FIELDS, _CAMERA, _EYES, _ANGLES, *self._raw))
        self._moving = EntityColumns(fields, expected=expected)
        self._players, self._items = array("i"), array("i")
        self._barrier: Any = array("d")

    def attach(self, playback: Playback) -> None:
        """Follow a playback; without it, each row has the present state."""
        self._playback = playback
        news = self._news  # methods of this object would keep it, and its columns, alive in a cycle
        self._upgrades.attach(playback, lambda controller, _before, _now: news.add(controller))
        self.barriers.attach(playback, lambda: news.add(None))
        self._controllers.attach(playback, CONTROLLER)
        self._pawns.attach(playback, PAWN)

    def _items_of(self, controller: Entity) -> int:
        known = self._held.get(controller.index)
        if known is None:
            held = self._upgrades.read(controller)
            known = self._held[controller.index] = self._item_lists.setdefault(held, len(self._item_lists))
        return known

    def append(self, tick: int) -> bool:
        """Add a row for each player on a side; return whether the next may be added by `append_same`."""
        people = self._match.people
        is_new = people.version != self._known
        if is_new:
            self._repeat()
            self._known = people.version
            self._present = list(people.controllers())
            self._bodies = [people.pawn(controller) for controller in self._present]
            self._numbers = array("i", [controller.index - 1 for controller in self._present])
        sample = len(self._ticks) - self._first
        if is_new or self._controllers.changed:
            self._controllers.append(self._present, sample, is_new=is_new)
        if is_new or self._pawns.changed:
            self._pawns.append(self._bodies, sample, is_new=is_new)
        if is_new or self._news:
            self._repeat()
            for changed in self._news:
                if changed is not None:
                    self._held.pop(changed, None)
            self._lists = array("i", [self._items_of(controller) for controller in self._present])
            left = self.barriers.left
            self._left = array("d", [nan if body is None else left.get(body.index, nan) for body in self._bodies])
            self._news.clear()
        return self.append_same(tick)

    def append_same(self, tick: int) -> bool:
        """As `append`, while nothing but moving fields has changed."""
        self._ticks.append(tick)
        self._moving.add_all(self._bodies)
        if self._moving.rows >= _PART and self._playback is not None and self._match.grid.known:
            self._end_part(self._playback)
            return False
        return True

    def _repeat(self) -> None:
        """Append numbers, items and barriers of the players at all ticks since the last change."""
        times = len(self._ticks) - len(self._sizes)
        if times:
            self._players.extend(self._numbers * times)
            self._items.extend(self._lists * times)
            self._barrier.extend(self._left * times)
            self._sizes.extend(array("i", [len(self._numbers)]) * times)

    def _end_part(self, playback: Playback) -> None:
        """Make columns of the rows since the last part, to keep temporary memory small and use it again."""
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
        self._begin(self._moving.rows)

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
        times = self._match.time_columns(int32_array(self._ticks))
        if 0 in self._sizes:  # ticks without players
            kept = array_of([at for at, size in enumerate(self._sizes) if size], pa.int32())
            ends, times = ends.take(kept), {name: values.take(kept) for name, values in times.items()}
        for name, values in times.items():
            columns[name] = repeated(values, ends)
        for name, (number, known) in _WORDS.items():
            codes = partial(pc.index_in, value_set=array_of(list(known), columns[number].type))
            named = by_chunk(columns[number], codes, pa.int32())
            columns[name] = category(named, list(known.values()))
        name_of = self._match.names.name
        lists = [list(items) for items in self._item_lists]
        titles = [[name_of(item) or str(item) for item in items] for items in lists]
        held = columns.pop("held")
        columns["item_ids"] = by_chunk(held, array_of(lists, pa.list_(pa.int64())).take, pa.list_(pa.int64()))
        columns["items"] = by_chunk(held, array_of(titles, pa.list_(pa.string())).take, pa.list_(pa.string()))
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
    jobs: ClassVar = Jobs(15, extra=105)
    options: ClassVar[Sequence[str]] = ("every", "clock", "ticks", "raw")
    string_tables = (TABLE,)

    def __init__(
        self,
        match: DeadlockMatch,
        every: int | float | str = "1s",
        clock: str = "recording",
        ticks: int | Iterable[int] | None = None,
        raw: str | Iterable[str] = (),
    ) -> None:
        super().__init__(match)
        if clock not in ("recording", "game"):
            raise ValueError(f"expected clock='recording' or clock='game', got {clock!r}")
        self._every, self._on_game_clock = match.interval(every), clock == "game"
        self._asked = None if ticks is None else chosen_ticks(ticks)
        raw, recording = tuple(listed(raw)), match.replay.recording
        if raw and recording.send_tables:
            EntityQuery("*", raw).check(recording.class_names.values(), recording.schema.tree)
        key = self._every, clock
        shared = match.series.get(key) if self._asked is None and not raw else None
        self._player_rows = PlayerRows(match, raw) if shared is None else shared
        self._is_shared = shared is not None
        if self._asked is None and not raw:
            match.series[key] = self._player_rows
        self.fields = {
            CONTROLLER: (
                *names_of((*_OF_CONTROLLER.values(), *_CONTROLLER_FLAGS.values(), _BUILD)),
                *HeldItems.fields[CONTROLLER],
            ),
            PAWN: (
                *names_of((*_OF_PAWN.values(), *_PAWN_FLAGS.values())),
                *POSITION_FIELDS,
                *(_CAMERA, _EYES, _ANGLES, *raw),
            ),
        }

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._sampler: Sampler | TickSampler | DisplayedSampler
        if self._on_game_clock and self._asked is None:
            self._sampler = self.match.displayed_sampler(playback, self._every)
        else:
            self._sampler = self.match.series_sampler(playback, self._every, self._asked)
        if not self._is_shared:
            self._player_rows.attach(playback)
            self._sampler.on_sample(self._player_rows.append, self._player_rows.append_same)

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


@TABLES.maker_of(DEADLOCK_POSITIONS)
class DeadlockPositions(DeadlockPlayerSeries):
    """Table ``positions``: the places of living heroes, as in ``player_series``."""

    jobs: ClassVar = Jobs(12, extra=110)
    options: ClassVar[Sequence[str]] = ("every",)

    def __init__(self, match: DeadlockMatch, every: int | float | str = "1s") -> None:
        super().__init__(match, every)

    def tables(self) -> Mapping[str, pa.Table]:
        (series,) = super().tables().values()
        alive = series.filter(
            pc.and_(
                pc.fill_null(series.column("alive"), scalar_of(True, pa.bool_())), pc.is_valid(series.column("x"))
            )
        )
        columns = {name: alive.column(name) for name in DEADLOCK_POSITIONS.column_names}
        return {DEADLOCK_POSITIONS.name: DEADLOCK_POSITIONS.build(columns)}


@TABLES.maker_of(PLAYER_STATS)
class DeadlockPlayerStats(DeadlockPlayerSeries):
    """Table ``player_stats``: the last state of the players, as in ``player_series``."""

    jobs: ClassVar = Jobs(2, extra=70)
    options: ClassVar[Sequence[str]] = ()

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match, ticks=())

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._winner: int | None = None
        self.match.on_fields(playback, "k_EUserMsg_GameOver", self._on_over)

    def _on_over(self, _tick: int, fields: Mapping[Any, Any]) -> None:
        if not fields.get("just_a_test"):
            self._winner = fields.get("winning_team")

    def tables(self) -> Mapping[str, pa.Table]:
        self._sampler.finish()
        rows = self.present(self._playback.tick)
        won = self._winner if self._winner in TEAMS else None
        for row in rows:
            row["result"] = None if won is None else "win" if row["team"] == won else "loss"
        kept = [{name: row[name] for name in PLAYER_STATS.column_names} for row in rows]
        return {PLAYER_STATS.name: PLAYER_STATS.build_rows(kept)}


def _not_zero(numbers: Any) -> Any:
    zero = pc.equal(numbers, scalar_of(0, numbers.type))
    if not pc.any(zero).as_py():
        return numbers
    return pc.if_else(zero, scalar_of(None, numbers.type), numbers)
