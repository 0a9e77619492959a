"""Tables ``grenades``, ``grenade_series``, ``smokes``, ``infernos`` and ``flashes``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import END, PLACE, TABLES, TIME, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import PAWN, PLACE_FIELDS, STATE_FIELDS, place, player_state
from playhead.cs2.sources.people import Person, columns_of
from playhead.cs2.sources.words import INFERNO_TYPES, word_of
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_KINDS = {
    "CSmokeGrenadeProjectile": "smokegrenade",
    "CMolotovProjectile": "molotov",
    "CHEGrenadeProjectile": "hegrenade",
    "CFlashbangProjectile": "flashbang",
    "CDecoyProjectile": "decoy",
}
_THROWER, _BOUNCES, _INCENDIARY = "m_hThrower", "m_nBounces", "m_bIsIncGrenade"
_FROM, _SPEED = "m_vInitialPosition", "m_vInitialVelocity"
_EXPLODED, _EXPLODED_AT = "m_nExplodeEffectTickBegin", "m_vecExplodeEffectOrigin"
_SMOKES, _SMOKE_AT = "m_bDidSmokeEffect", "m_vSmokeDetonationPos"
_THROWN = (_THROWER, _BOUNCES, _FROM, _SPEED, _EXPLODED, _EXPLODED_AT)
_OWN = {"smokegrenade": (_SMOKES, _SMOKE_AT), "molotov": (_INCENDIARY,)}
_INFERNO, _OWNER, _TYPE, _FIRES = "CInferno", "m_hOwnerEntity", "m_nInfernoType", "m_fireCount"
_FIRE_AT, _BURNS = "m_firePositions", "m_bFireIsBurning"
_MOST_FIRES = 64

_THROWN_BY = (
    *person("thrower_"),
    word("kind", "smokegrenade, molotov, incgrenade (m_bIsIncGrenade), hegrenade, flashbang, decoy."),
    word("entity"),
)
_THROWN_NAMES = tuple(column.name for column in _THROWN_BY)
_LASTS = (*person("thrower_"), word("entity"), *END, *PLACE)


def _place(name: str, doc: str) -> tuple[Column, ...]:
    return tuple(Column(f"{name}_{axis}", "float32", doc, "map units") for axis in "xyz")


GRENADES = TableSchema.of(
    "grenades",
    "One row for each thrown grenade, from the entity of the projectile, which starts and ends with the row.",
    *TIME,
    *_THROWN_BY,
    *_place("throw", "Where it was thrown (m_vInitialPosition)."),
    *(
        Column(f"throw_velocity_{axis}", "float32", "Velocity of the throw (m_vInitialVelocity).", "map units/s")
        for axis in "xyz"
    ),
    Column(
        "detonation_tick",
        "int32",
        "It exploded, started to smoke, or burst into fire; null if it did not, or the recording ends before.",
        "ticks",
    ),
    *_place("detonation", "Where it did so."),
    *END,
    *words("end_x end_y end_z"),
    Column("bounces", "int32", "Bounces so far at its end (m_nBounces)."),
)
GRENADE_SERIES = TableSchema.of(
    "grenade_series",
    "The way of each thrown grenade: one row for each packet with another place.",
    *TIME,
    *_THROWN_BY,
    *PLACE,
    group="series",
)
SMOKES = TableSchema.of("smokes", "One row for each smoke, to the end of its entity.", *TIME, *_LASTS)
INFERNOS = TableSchema.of(
    "infernos",
    "One row for each fire of a molotov or incendiary grenade, from the entity CInferno.",
    *TIME,
    *_LASTS,
    Column("inferno_type", "category", "fire, incendiary_fire, fireworks (m_nInfernoType)."),
    Column("inferno_type_id", "int64", "m_nInfernoType."),
    Column("fires", "int32", "Number of burning points, the most at a time."),
    *(Column(f"fire_{axis}", "list<float32>", "Points that burned.", "map units") for axis in "xyz"),
)


class _Thrown:
    """A projectile on its way."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.place: tuple[float | None, ...] = (None, None, None)
        self.smoke: dict[str, Any] | None = None


@TABLES.maker_of(GRENADES, GRENADE_SERIES, SMOKES, INFERNOS)
class Grenades(Cs2Facts):
    jobs: ClassVar = Jobs(75, extra=130)
    fields = MappingProxyType(
        {
            **{name: (*PLACE_FIELDS, *_THROWN, *_OWN.get(kind, ())) for name, kind in _KINDS.items()},
            _INFERNO: (*PLACE_FIELDS, _OWNER, _TYPE, _FIRES, f"{_FIRE_AT}.????", f"{_BURNS}.????"),
        }
    )

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._rows_of: dict[str, list[dict[str, Any]]] = {schema.name: [] for schema in self.schemas}
        self._thrown: dict[int, _Thrown] = {}
        self._burning: dict[int, dict[str, Any]] = {}
        self._points: dict[int, dict[int, tuple[float, ...]]] = {}
        for name in _KINDS:
            playback.entities.on_entity(self._on_projectile, name)
        playback.entities.on_entity(self._on_inferno, _INFERNO)

    # -- projectiles ------------------------------------------------------------------------------------

    def _on_projectile(self, projectile: Entity, op: EntityOp) -> None:
        tick, index = self._playback.tick, projectile.index
        if op & EntityOp.DELETED:
            gone = self._thrown.pop(index, None)
            if gone is not None:
                self._end(gone, tick)
            return
        thrown = self._thrown.get(index)
        if thrown is None or op & EntityOp.CREATED:
            thrown = self._thrown[index] = _Thrown(self._throw(projectile, tick))
            self._rows_of["grenades"].append(thrown.row)
        row = thrown.row
        now = place(projectile)
        if now != thrown.place:
            thrown.place = now
            moved = {name: row[name] for name in _THROWN_NAMES} | dict(zip("xyz", now, strict=True))
            self._rows_of["grenade_series"].append({**moved, "tick": tick})
        row["bounces"] = projectile.get_int(_BOUNCES)
        if row["detonation_tick"] is not None:
            return
        if projectile.get(_SMOKES):
            self._detonate(row, tick, projectile.get(_SMOKE_AT) or now)
            smoke = {name: row[name] for name in _THROWN_NAMES if name != "kind"}
            places = {axis: row[f"detonation_{axis}"] for axis in "xyz"}
            thrown.smoke = {**smoke, **places, "tick": tick}
            self._rows_of["smokes"].append(thrown.smoke)
        elif (projectile.get_int(_EXPLODED) or 0) > 0:
            self._detonate(row, tick, projectile.get(_EXPLODED_AT) or now)

    def _throw(self, projectile: Entity, tick: int) -> dict[str, Any]:
        kind = _KINDS.get(projectile.class_name)
        if kind == "molotov" and projectile.get(_INCENDIARY):
            kind = "incgrenade"
        thrower = self.match.people.of_pawn(projectile.get(_THROWER))
        row: dict[str, Any] = {
            "tick": tick,
            **columns_of(thrower, "thrower_"),
            "kind": kind,
            "entity": projectile.index,
            "detonation_tick": None,
            "end_tick": None,
        }
        for name, field in (("throw_", _FROM), ("throw_velocity_", _SPEED)):
            row |= _axes(name, projectile.get(field))
        return row

    @staticmethod
    def _detonate(row: dict[str, Any], tick: int, where: tuple[float | None, ...]) -> None:
        row["detonation_tick"] = tick
        row |= _axes("detonation_", where)

    def _end(self, thrown: _Thrown, tick: int) -> None:
        row = thrown.row
        row["end_tick"] = tick
        row |= _axes("end_", thrown.place)
        if thrown.smoke is not None:
            thrown.smoke["end_tick"] = tick
        elif row["detonation_tick"] is None and row["kind"] in ("molotov", "incgrenade"):
            self._detonate(row, tick, thrown.place)  # the fire is an entity of its own

    # -- fires ------------------------------------------------------------------------------------------

    def _on_inferno(self, inferno: Entity, op: EntityOp) -> None:
        tick, index = self._playback.tick, inferno.index
        row = self._burning.get(index)
        if op & EntityOp.DELETED:
            if row is not None:
                row["end_tick"] = tick
                del self._burning[index]
            return
        if row is None or op & EntityOp.CREATED:
            thrower, kind = self.match.people.of_pawn(inferno.get(_OWNER)), inferno.get_int(_TYPE)
            where = dict(zip("xyz", place(inferno), strict=True))
            row = {"tick": tick, **columns_of(thrower, "thrower_"), "entity": index, "end_tick": None, **where}
            row |= {"inferno_type": word_of(INFERNO_TYPES, kind, "type"), "inferno_type_id": kind, "fires": 0}
            self._burning[index] = row
            self._points[index] = {}
            self._rows_of["infernos"].append(row)
        count = min(inferno.get_int(_FIRES) or 0, _MOST_FIRES)
        points = self._points[index]
        burning = 0
        for number in range(count):
            at = inferno.get(f"{_FIRE_AT}.{number:04}")
            if inferno.get(f"{_BURNS}.{number:04}") and isinstance(at, tuple):
                burning += 1
                points[number] = at
        row["fires"] = max(row["fires"], burning)
        for i, axis in enumerate("xyz"):
            row[f"fire_{axis}"] = [points[number][i] for number in sorted(points)]

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of table ``grenades``."""
        return self._rows_of["grenades"]

    def tables(self) -> Mapping[str, pa.Table]:
        return {schema.name: self.match.table(schema, self._rows_of[schema.name]) for schema in self.schemas}


def _axes(prefix: str, values: object) -> dict[str, Any]:
    """Return the columns of a place or speed; null without one."""
    known = values if isinstance(values, tuple) and len(values) == 3 else (None, None, None)
    return {f"{prefix}{axis}": value for axis, value in zip("xyz", known, strict=True)}


_DURATION, _ALPHA = "m_flFlashDuration", "m_flFlashMaxAlpha"
_FLASHBANG = "CFlashbangProjectile"

FLASHES = TableSchema.of(
    "flashes",
    "One row for each blinded player: m_flFlashDuration of the pawn changed. The attacker threw the "
    "flashbang that burst in the same packet; null if several players' flashbangs did.",
    *TIME,
    *person("attacker_", state=True),
    *person("victim_", state=True),
    word("duration_seconds", "m_flFlashDuration."),
    Column("max_alpha", "float32", "How white the screen is, up to 255 (m_flFlashMaxAlpha)."),
)


@TABLES.maker_of(FLASHES)
class Flashes(Cs2Facts):
    jobs: ClassVar = Jobs(extra=8)

    fields = MappingProxyType({PAWN: (*STATE_FIELDS, _DURATION, _ALPHA), _FLASHBANG: (_THROWER, _EXPLODED)})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._durations: dict[int, float] = {}
        #: Those whose flashbangs burst in this packet, and the pawns that it blinds.
        self._bursts: dict[int, Person] = {}
        self._blinded: list[Entity] = []
        self._throwers: dict[int, tuple[Person | None, bool]] = {}
        playback.entities.on_entity(FieldWatch((_DURATION,), self._on_pawn), PAWN)
        playback.entities.on_entity(self._on_flashbang, _FLASHBANG)
        playback.after_packet(self._after)

    def _on_flashbang(self, flashbang: Entity, op: EntityOp) -> None:
        thrower, burst = self._throwers.get(flashbang.index, (None, False))
        if op & EntityOp.DELETED:
            self._throwers.pop(flashbang.index, None)
            ends = True
        else:
            thrower = self.match.people.of_pawn(flashbang.get(_THROWER)) or thrower
            ends = (flashbang.get_int(_EXPLODED) or 0) > 0
            self._throwers[flashbang.index] = (thrower, burst or ends)
        if ends and not burst and thrower is not None:
            self._bursts[thrower.player] = thrower

    def _on_pawn(self, pawn: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._durations.pop(pawn.index, None)
            return
        duration = pawn.get_float(_DURATION) or 0.0
        before = self._durations.get(pawn.index)
        self._durations[pawn.index] = duration
        if before is not None and duration != before and duration > 0.0:
            self._blinded.append(pawn)

    def _after(self, tick: int) -> None:
        if self._blinded:
            people = self.match.people
            thrower = next(iter(self._bursts.values())) if len(self._bursts) == 1 else None
            attacker = columns_of(thrower, "attacker_") | player_state(people.pawn(thrower), "attacker_")
            for pawn in self._blinded:
                row = {"tick": tick, **attacker, **columns_of(people.of_pawn(pawn.handle), "victim_")}
                row |= player_state(pawn, "victim_")
                row |= {"duration_seconds": pawn.get_float(_DURATION), "max_alpha": pawn.get_float(_ALPHA)}
                self._rows.append(row)
            self._blinded.clear()
        self._bursts.clear()
