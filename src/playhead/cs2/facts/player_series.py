"""Tables ``player_series`` and ``positions``: the state of each player at an interval."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import PLACE, ROUND, TABLES, TIME, person
from playhead.cs2.facts.samples import (
    VELOCITIES,
    WEAPON_COLUMNS,
    Flash,
    Loadouts,
    Run,
    SeriesPart,
    SeriesSamples,
    buttons_by_commands,
    of_speeds,
    spans,
    spread,
    velocities_by_places,
)
from playhead.cs2.sources.match import Cs2Facts, Cs2Match
from playhead.cs2.sources.pawn import (
    AREA,
    ARMOR,
    CELL,
    CLIP,
    CONTROLLER,
    EYES,
    HEALTH,
    LIFE_STATE,
    LOADOUT_FIELDS,
    MIDDLE_CELL,
    MOVED_FIELDS,
    PAWN,
    PLACE_FIELDS,
    VELOCITY,
)
from playhead.cs2.sources.people import Who
from playhead.cs2.sources.unfilled import Declared
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import replace
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs, Unjoinable, join_tables
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.sampling import chosen_ticks
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.source2.tables.seldom_columns import SeldomColumns, numbers_as
from playhead.tables.arrow import int32_array, parts_of
from playhead.tables.schema import Column, TableSchema, arrow_type
from playhead.tables.shared import POSITIONS
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words
from playhead.text.names import listed, nearest_names

_FLAGS, _FLASH = "m_fFlags", "m_flFlashDuration"
_DUCK_AMOUNT, _FULLY_DUCKED = "m_pMovementServices.m_flDuckAmount", 1.0
_RELOADS, _STEALTHY = "m_bInReload", "m_bStealthy"
_ON_GROUND = 1

# Field of the pawn, and column.
_OF_PAWN = (
    (HEALTH, word("health")),
    (ARMOR, word("armor")),
    ("m_pItemServices.m_bHasHelmet", word("has_helmet")),
    ("m_pItemServices.m_bHasDefuser", word("has_defuser")),
    ("m_unCurrentEquipmentValue", word("equipment_value")),
    (
        "m_unRoundStartEquipmentValue",
        Column("equipment_value_round_start", "int32", "Value of the equipment when the round started.", "$"),
    ),
    (
        "m_pMovementServices.m_bDucked",
        Column("is_crouched", "bool", "Crouches: m_flDuckAmount is 1 where the next field has no value."),
    ),
    ("m_bIsWalking", Column("is_walking", "bool", "Walks.")),
    ("m_bInBombZone", Column("is_in_bomb_zone", "bool", "Is at a bomb site.")),
    ("m_bInBuyZone", Column("is_in_buy_zone", "bool", "Is in a buy zone.")),
    ("m_bIsScoped", word("is_scoped")),
    ("m_bIsDefusing", Column("is_defusing", "bool", "Defuses the bomb.")),
    (_FLASH, Column("flash_duration_seconds", "float64", "Length of the latest flash, at its start.", "s")),
    (
        "m_pMovementServices.m_nButtonDownMaskPrev",
        word("buttons", "By the tick's last command in `inputs` for a recording without"),
    ),
)
# They change at nearly every tick, or are no numbers of a type that `SeldomColumns` repeats.
_MOVING = frozenset(("is_crouched", "buttons"))
_OF_CONTROLLER = (("m_pInGameMoneyServices.m_iAccount", word("money")),)
_OF_WEAPON = (
    (CLIP, word("ammo")),
    (_RELOADS, Column("is_reloading", "bool", "The weapon in the hands is being reloaded.")),
)


def _columns(group: Iterable[tuple[str, Column]], of: str) -> tuple[Column, ...]:
    return tuple(replace(column, doc=f"{column.doc} {field} of {of}.") for field, column in group)


PLAYER_SERIES = TableSchema.of(
    "player_series",
    "Every player of a side at an interval (option `every`, one second if it is not given) or at some ticks "
    "(option `ticks`). Option `raw` adds fields by name: of the pawn, else of the controller, else of the "
    "weapon in the hands. Null where the recording has no value.",
    *TIME,
    *person(),
    *PLACE,
    *words("pitch yaw velocity_x velocity_y velocity_z speed"),
    Column(
        "velocity_known_by",
        "category",
        "entity, or places: of a recording without m_vecVelocity, the way since the tick before.",
    ),
    word("controls_bot"),
    word("alive", "m_lifeState of the pawn is 0."),
    word("place", "m_szLastPlaceName."),
    *_columns(_OF_PAWN, "the pawn"),
    Column("is_blinded", "bool", "A flash lasts: less than `flash_duration_seconds` has passed since it changed."),
    Column("is_jumping", "bool", "Is not on the ground (m_fFlags)."),
    *_columns(_OF_CONTROLLER, "the controller"),
    Column("active_weapon", "category", "Weapon in the hands."),
    *_columns(_OF_WEAPON, "the weapon"),
    Column(
        "is_silent_reloading",
        "bool",
        "It is being reloaded without a sound (m_bInReload and m_bStealthy); null without that field.",
    ),
    Column("primary_weapon", "category", "Rifle, sniper rifle, submachine gun, shotgun or machine gun."),
    Column("secondary_weapon", "category", "Pistol."),
    Column("has_bomb", "bool", "Carries the bomb."),
    Column("fire_grenades", "int32", "Molotovs and incendiary grenades."),
    Column("smoke_grenades", "int32", "Smoke grenades."),
    Column("he_grenades", "int32", "HE grenades."),
    Column("flashbangs", "int32", "Flashbangs."),
    Column("decoy_grenades", "int32", "Decoy grenades."),
    Column("inventory", "list<string>", "All weapons, in the order of the entity."),
    group="series",
)
CS2_POSITIONS = POSITIONS.extended(*words("z game_seconds"), *ROUND)
#: Fields of the pawn from which columns are computed.
_READ = (
    (("x", "y", "z"), PLACE_FIELDS),
    (("pitch", "yaw"), (EYES,)),
    (VELOCITIES, VELOCITY),
    (("alive",), (LIFE_STATE,)),
    (("place",), (AREA,)),
    (("is_jumping",), (_FLAGS,)),
    (("is_crouched",), (_DUCK_AMOUNT,)),
)
_ALIVE = "alive"
_WEAPON_COLUMNS = frozenset(("ammo", "is_reloading", "is_silent_reloading", *WEAPON_COLUMNS))


def _fields_of(columns: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the fields that these columns are made of, but for the weapons carried, by class."""
    read = dict.fromkeys(
        field for names, fields in _READ for field in fields if not set(names).isdisjoint(columns)
    )
    groups = {PAWN: _OF_PAWN, CONTROLLER: _OF_CONTROLLER, "C*": _OF_WEAPON}
    found = {name: [field for field, column in group if column.name in columns] for name, group in groups.items()}
    if "is_silent_reloading" in columns:
        found["C*"] += [_RELOADS, _STEALTHY]
    found[PAWN] = [*read, *found[PAWN]]
    return {name: tuple(dict.fromkeys(fields)) for name, fields in found.items()}


def _seldom_of(columns: Collection[str]) -> dict[str, dict[str, tuple[str, str]]]:
    """Return those of these columns that are read at changes, each with its field and type, by class."""
    found = {
        PAWN: {column.name: (field, column.type) for field, column in _OF_PAWN if column.name not in _MOVING},
        CONTROLLER: {column.name: (field, column.type) for field, column in _OF_CONTROLLER},
    }
    found[PAWN][_ALIVE] = LIFE_STATE, "int32"
    asked = {
        name: {column: field for column, field in fields.items() if column in columns}
        for name, fields in found.items()
    }
    return {name: fields for name, fields in asked.items() if fields}


def column_fields() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the fields that each column is made of, by class, but for the weapons carried."""
    return {f"{PLAYER_SERIES.name}.{name}": _fields_of({name}) for name in PLAYER_SERIES.column_names}


@TABLES.maker_of(PLAYER_SERIES)
class Cs2Series(Cs2Facts):
    jobs: ClassVar = Jobs(37, anew=True, slow_to_join=True, extra=150)
    options: ClassVar[Sequence[str]] = ("every", "ticks", "raw")
    selects: ClassVar = True
    fields: Mapping[str, Sequence[str]] = MappingProxyType(
        {
            name: (*fields, *LOADOUT_FIELDS.get(name, ()))
            for name, fields in _fields_of(PLAYER_SERIES.column_names).items()
        }
    )

    def __init__(
        self,
        match: Cs2Match,
        every: int | float | str = "1s",
        ticks: int | Iterable[int] | None = None,
        raw: str | Iterable[str] = (),
        columns: Iterable[str] | None = None,
    ) -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._asked = None if ticks is None else chosen_ticks(ticks)
        self._raw = self._sources(listed(raw))
        known = frozenset(PLAYER_SERIES.column_names)
        need = self._need = known if columns is None else known.intersection(columns)
        self._weapons = bool(need & _WEAPON_COLUMNS) or any(source == "C*" for _, source in self._raw.values())
        read = _fields_of(need)
        for field, source in self._raw.values():
            read[source] = tuple(dict.fromkeys((*read[source], field)))
        seldom = _seldom_of(need)
        self._seldom = {name: SeldomColumns(fields) for name, fields in seldom.items()}
        asked = {field for field, _ in self._raw.values()}
        at_changes = {field for fields in seldom.values() for field, _ in fields.values()} - asked
        moving = {name: [each for each in fields if each not in at_changes] for name, fields in read.items()}
        self._pawn = EntityColumns(moving[PAWN])
        self._controller, self._weapon = EntityColumns(moving[CONTROLLER]), EntityColumns(moving["C*"])
        carried = LOADOUT_FIELDS if self._weapons else {}
        if "is_blinded" in need:
            read[PAWN] += (_FLASH,)
        self.fields = {name: (*fields, *carried.get(name, ())) for name, fields in read.items()}
        self._ticks = array("i")
        self._runs: list[Run] = []
        self._flashes: list[Flash] = []
        # Up to date with so many changes of players and bodies, and of their weapons.
        self._version = self._held_version = -1
        self._pawns: list[Entity | None] = []
        self._active: list[Entity | None] = []

    def _sources(self, raw: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Return the field of each word and the class or pattern of classes that has it; raise `KeyError` if none
        has it.
        """
        recording, names = self.match.replay.recording, tuple(raw)
        if not recording.send_tables:
            return {name: (name, PAWN) for name in names}
        declared, found = Declared(recording), {}
        for name in names:
            moved = name in MOVED_FIELDS and any(declared.missing(PAWN, (name,)))
            field = MOVED_FIELDS[name] if moved else name
            people = (each for each in (PAWN, CONTROLLER) if not any(declared.missing(each, (field,))))
            found[name] = field, next(people, "C*")
            if found[name][1] == "C*" and not declared.has_together(field, CLIP):
                near = nearest_names(name, {*declared.names(PAWN), *declared.names(CONTROLLER)})
                raise KeyError(
                    f"neither players nor weapons of this recording have a field {name!r}; "
                    f"{near or '`playhead source2 schema` lists them'}"
                )
        return found

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._loadouts = Loadouts(playback) if self._weapons else None
        self._bodies = 0
        both = EntityOp.CREATED | EntityOp.DELETED
        playback.entities.on_entity(self._on_body, PAWN, both)
        for name, seldom in self._seldom.items():
            seldom.attach(playback, name)
        if "is_blinded" in self._need:
            playback.entities.on_entity(FieldWatch((_FLASH,), self._on_flash), PAWN)
        self._sampler = self.match.series_sampler(playback, self._every, self._asked)
        self._sampler.on_sample(self._on_sample, self._repeat)

    def _on_body(self, _pawn: Entity, _op: EntityOp) -> None:
        self._bodies += 1

    def _on_flash(self, pawn: Entity, op: EntityOp) -> None:
        duration, tick, end = pawn.get_float(_FLASH) or 0.0, self._playback.tick, 0.0
        # The start of a flash before the recording is unknown.
        if not op & (EntityOp.CREATED | EntityOp.DELETED) and duration > 0.0:
            end = tick + duration * (self.match.ticks_per_second or 0.0)
        self._flashes.append(Flash(tick, pawn.index, end))

    def _line_up(self) -> None:
        """Look up the players' entities: they stay until a controller or a pawn changes."""
        people = self.match.people
        present = people.playing
        self._pawns = [people.pawn(each) for each in present]
        self._controllers = [each.controller for each in present]
        bodies = [-1 if pawn is None else pawn.index for pawn in self._pawns]
        self._runs.append(Run(len(self._ticks), bodies, array("i")))
        self._held_version = -1

    def _hold(self, loadouts: Loadouts) -> None:
        """Look up the weapons of the players: they stay until one of them changes."""
        self._held_version = loadouts.version
        held = [loadouts.of(pawn) for pawn in self._pawns]
        numbers = array("i", [each.number for each in held])
        if numbers != self._runs[-1].held:
            self._runs.append(Run(len(self._ticks), self._runs[-1].bodies, numbers))
        self._active = [each.active for each in held]

    def _on_sample(self, tick: int) -> bool:
        version = self.match.people.version + self._bodies
        is_new = version != self._version
        if is_new:
            self._version = version
            self._line_up()
        for name, seldom in self._seldom.items():
            if is_new or seldom.changed:
                people = self._pawns if name == PAWN else self._controllers
                seldom.append(people, len(self._ticks), is_new=is_new)
        loadouts = self._loadouts
        if loadouts is not None and loadouts.version != self._held_version:
            self._hold(loadouts)
        return self._repeat(tick)

    def _repeat(self, tick: int) -> bool:
        """As `_on_sample`, while nothing but moving fields has changed."""
        self._ticks.append(tick)
        self._pawn.add_all(self._pawns)
        if self._controller.columns:
            self._controller.add_all(self._controllers)
        if self._weapon.columns:
            self._weapon.add_all(self._active)
        return True

    def begin(self) -> None:
        self._flashes.clear()

    def tables(self) -> Mapping[str, pa.Table]:
        return self._tables([self.part()], self.match)

    def joined(self, earlier: Sequence[SeriesPart]) -> Mapping[str, pa.Table]:
        whole = self.match.replay._played()
        parts = [*earlier, self.part()]
        # Stretches may disagree about the type of a field of several classes.
        types = [{part.columns.schema.field(name).type for part in parts} - {pa.null()} for name in self._raw]
        if whole is None or any(len(each) > 1 for each in types):
            raise Unjoinable
        return self._tables(parts, whole)

    def _tables(self, parts: Sequence[SeriesPart], match: Cs2Match) -> Mapping[str, pa.Table]:
        """Return the tables of some stretches; `match` has seen all of them."""
        need, samples = self._need, SeriesSamples(parts)
        found = join_tables([part.columns for part in parts])
        columns: dict[str, Any] = {name: found[name] for name in found.column_names if name not in self._raw}
        if "is_blinded" in need:
            blinded = samples.blinded(flash for part in parts for flash in part.flashes)
            flags = pa.Array.from_buffers(pa.uint8(), len(blinded), [None, pa.py_buffer(blinded)])
            columns["is_blinded"] = pc.not_equal(flags, scalar_of(0, pa.uint8()))
        numbers, people = samples.people(match.people.lineups)
        columns |= _of_people(numbers, people, need)
        ticks = int32_array(samples.row_ticks())
        columns |= match.time_columns(ticks, need)
        asked = {name for name in (*VELOCITIES, "buttons") if name in need and len(ticks)}
        if silent := {name for name in asked if columns[name].null_count == len(ticks)}:
            players = int32_array(array("i", (people[number][0] for number in numbers)))
            if "buttons" in silent:
                columns["buttons"] = buttons_by_commands(match, ticks, players)
            if silent.intersection(VELOCITIES):
                columns |= velocities_by_places(match, ticks, players, need)
        table = PLAYER_SERIES.build(columns, [name for name in PLAYER_SERIES.column_names if name in need])
        for name in self._raw:
            table = table.append_column(name, found[name])
        return {PLAYER_SERIES.name: table}

    def part(self) -> SeriesPart:
        self._sampler.finish()
        pool = self._playback.entities.pool
        need = self._need
        pawn, weapon = self._pawn.to_arrow(pool), self._weapon.to_arrow(pool)
        controller = self._controller.to_arrow(pool)
        recorded = {PAWN: pawn, CONTROLLER: controller, "C*": weapon}
        joined = pa.concat_tables(
            [
                pa.table(_recorded_columns(_slices(pawn, part), _slices(weapon, part), need))
                for part in parts_of(self._pawn.rows)
            ]
        )
        columns: dict[str, Any] = dict(zip(joined.column_names, joined.columns, strict=True))
        for seldom in self._seldom.values():
            columns |= seldom.to_arrow(pool, len(self._ticks))
        if _ALIVE in need:
            columns[_ALIVE] = pc.equal(columns[_ALIVE], scalar_of(0, pa.int32()))
        if self._loadouts is not None:
            held = array("i")
            for run, end in spans(self._runs, len(self._ticks)):
                held.extend(run.held * (end - run.first))
            columns |= self._loadouts.columns(int32_array(held), need)
        columns |= {name: recorded[source][field] for name, (field, source) in self._raw.items()}
        return SeriesPart(pa.table(columns), self._ticks, self._runs, self._flashes)


@TABLES.maker_of(CS2_POSITIONS)
class PlayerPositions(Cs2Series):
    """Table ``positions``: the places of living players, as in `player_series`."""

    jobs: ClassVar = Jobs(37, anew=True, slow_to_join=True, extra=23)

    options: ClassVar = ("every",)
    selects: ClassVar = False
    fields = MappingProxyType({PAWN: (*PLACE_FIELDS, LIFE_STATE)})

    def __init__(self, match: Cs2Match, every: int | float | str = "1s") -> None:
        super().__init__(match, every, columns=(*CS2_POSITIONS.column_names, "alive"))

    def _tables(self, parts: Sequence[SeriesPart], match: Cs2Match) -> Mapping[str, pa.Table]:
        (series,) = super()._tables(parts, match).values()
        alive = series.filter(pc.and_(series.column("alive"), pc.is_valid(series.column("x"))))
        columns = {name: alive.column(name) for name in CS2_POSITIONS.column_names}
        return {CS2_POSITIONS.name: CS2_POSITIONS.build(columns)}


def _of_people(who: array[int], people: Sequence[Who], need: Collection[str]) -> dict[str, Any]:
    numbers = int32_array(who)
    types = {"player": pa.int32(), "name": pa.string(), "side": pa.string(), "controls_bot": pa.bool_()}
    return {
        name: spread([each[i] for each in people], type_, numbers)
        for i, (name, type_) in enumerate(types.items())
        if name in need
    }


def _slices(columns: dict[str, Any], part: tuple[int, int]) -> dict[str, Any]:
    return {name: values.slice(*part) for name, values in columns.items()}


def _recorded_columns(pawn: dict[str, Any], weapon: dict[str, Any], need: frozenset[str]) -> dict[str, Any]:
    """Return the columns that come from fields read at each sample, of some rows."""
    columns: dict[str, Any] = {}
    for group, found in ((_OF_PAWN, pawn), (_OF_WEAPON, weapon)):
        for field, column in group:
            if column.name in need and (group is _OF_WEAPON or column.name in _MOVING):
                columns[column.name] = numbers_as(found[field], arrow_type(column.type))
    if "is_crouched" in need:
        ducked = pc.greater_equal(
            numbers_as(pawn[_DUCK_AMOUNT], pa.float64()), scalar_of(_FULLY_DUCKED, pa.float64())
        )
        columns["is_crouched"] = pc.coalesce(columns["is_crouched"], ducked)
    if "is_silent_reloading" in need:
        flags = [numbers_as(weapon[name], pa.bool_()) for name in (_RELOADS, _STEALTHY)]
        columns["is_silent_reloading"] = pc.and_(*flags)
    columns |= _places(pawn, need) | _velocities(pawn, need)
    for i, name in enumerate(("pitch", "yaw")):
        if name in need:
            angles = pawn[EYES]
            listed = pa.types.is_fixed_size_list(angles.type)
            angle = pc.list_element(angles, scalar_of(i, pa.int32())) if listed else angles
            columns[name] = angle.cast(pa.float32())
    if "is_jumping" in need:
        ground = pc.bit_wise_and(numbers_as(pawn[_FLAGS], pa.int64()), scalar_of(_ON_GROUND, pa.int64()))
        columns["is_jumping"] = pc.equal(ground, scalar_of(0, pa.int64()))
    if "place" in need:
        text = pa.types.is_string(pawn[AREA].type)
        place = pawn[AREA] if text else pa.nulls(len(pawn[AREA]), pa.string())
        unknown = pc.equal(place, scalar_of("", pa.string()))
        columns["place"] = pc.if_else(unknown, scalar_of(None, pa.string()), place)
    return columns


def _places(pawn: dict[str, Any], need: frozenset[str]) -> dict[str, Any]:
    number = pa.float64()
    found = {}
    for axis, cell, offset in zip("xyz", PLACE_FIELDS[::2], PLACE_FIELDS[1::2], strict=True):
        if axis in need:
            cells = pc.subtract(numbers_as(pawn[cell], number), scalar_of(float(MIDDLE_CELL), number))
            place = pc.add(pc.multiply(cells, scalar_of(float(CELL), number)), numbers_as(pawn[offset], number))
            found[axis] = place.cast(pa.float32())
    return found


def _velocities(pawn: dict[str, Any], need: frozenset[str]) -> dict[str, Any]:
    if not need.intersection(VELOCITIES):
        return {}
    return of_speeds([numbers_as(pawn[field], pa.float64()) for field in VELOCITY], "entity", need)
