"""Table ``player_series``: every player at an interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import PLACE, TIME, person_columns, person_row
from playhead.deadlock.sources.entities import POSITION_FIELDS, names_of, number, real, value
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

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
    "lane": ("int32", "m_nAssignedLane", "Assigned lane: 1 yellow, 3 green, 4 blue, 6 purple", ""),
}
_OF_PAWN: Mapping[str, tuple[str, str, str, str]] = {
    "health": ("int32", "m_iHealth", "Health", "hp"),
    "base_max_health": ("int32", "m_iMaxHealth", "Most health without items", "hp"),
    "souls": ("int32", "m_nCurrencies.0000", "Souls in hand", "souls"),
    "ability_points": ("int32", "m_nCurrencies.0001", "Ability points in hand", ""),
    "spent_souls": ("int32", "m_nSpentCurrencies.0000", "Souls spent", "souls"),
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
_LIFE, _CAMERA, _EYES = "m_lifeState", "m_angClientCamera", "m_angEyeAngles"
_ANGLES = "CBodyComponent.m_angRotation"


def _number_columns(fields: Mapping[str, tuple[str, str, str, str]], owner: str) -> Iterator[Column]:
    for name, (type_, field, doc, unit) in fields.items():
        yield Column(name, type_, f"{doc}: {field} of {owner}; null where the build lacks it.", unit)


PLAYER_SERIES = TableSchema(
    name="player_series",
    version=1,
    doc="Every player on a side at an interval (option `every`, one second if it is not given). Null where the "
    "recording has no value.",
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


@TABLES.add
class DeadlockPlayerSeries(DeadlockFacts):
    """Table ``player_series``."""

    schemas = (PLAYER_SERIES,)
    options = ("every",)
    fields: Mapping[str, Sequence[str]] = {
        CONTROLLER: (
            *names_of(field for _, field, *_ in _OF_CONTROLLER.values()),
            *names_of(field for field, _ in _CONTROLLER_FLAGS.values()),
            *names_of(("m_vecUpgrades", "m_vecUpgrades.????")),
        ),
        PAWN: (
            *names_of(field for _, field, *_ in _OF_PAWN.values()),
            *names_of(field for field, _ in _PAWN_FLAGS.values()),
            *POSITION_FIELDS,
            *(_LIFE, _CAMERA, _EYES, _ANGLES),
        ),
    }

    def __init__(self, match: DeadlockMatch, every: int | float | str = "1s") -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._rows: list[dict[str, Any]] = []

    def attach(self, playback: Playback) -> None:
        self._sampler = self.match.sampler(playback, self._every)
        self._sampler.on_sample(self._take)

    def _take(self, tick: int) -> None:
        self._rows.extend({"tick": tick, **row} for row in self.present())

    def present(self) -> Iterator[dict[str, Any]]:
        """Yield the present state of each player on a side."""
        people = self.match.people
        for controller in people.controllers():
            pawn = people.pawn(controller)
            row = person_row(people.person(controller))
            row.update(zip("xyz", self.match.grid.place(pawn), strict=True))
            row["pitch"], row["yaw"] = _angles(pawn, _CAMERA)
            row["eye_pitch"], row["eye_yaw"] = _angles(pawn, _EYES)
            row["body_yaw"] = _angles(pawn, _ANGLES)[1]
            row["lifestate"] = number(pawn, _LIFE)
            for entity, fields in ((controller, _OF_CONTROLLER), (pawn, _OF_PAWN)):
                for name, (type_, field, *_) in fields.items():
                    row[name] = (real if type_ == "float64" else number)(entity, field)
            for entity, flags in ((controller, _CONTROLLER_FLAGS), (pawn, _PAWN_FLAGS)):
                for name, (field, _) in flags.items():
                    flag = value(entity, field)
                    row[name] = None if flag is None else bool(flag)
            row["upgrade_ids"] = [
                found
                for place in range(min(number(controller, "m_vecUpgrades") or 0, 64))
                if (found := number(controller, f"m_vecUpgrades.{place:04}"))
            ]
            yield row

    def tables(self) -> Mapping[str, pa.Table]:
        self._sampler.finish()
        name = self.match.names.name
        for row in self._rows:
            row["upgrades"] = [name(upgrade) or str(upgrade) for upgrade in row["upgrade_ids"]]
        return {PLAYER_SERIES.name: self.match.table(PLAYER_SERIES, self._rows)}


def _angles(pawn: Any, field: str) -> tuple[float | None, float | None]:
    """Return pitch (-180 to 180) and yaw (0 to 360) of a field of three angles."""
    angles = None if pawn is None else pawn.get(field)
    if not isinstance(angles, tuple) or len(angles) < 2:
        return None, None
    pitch, yaw = angles[0] % 360.0, angles[1] % 360.0
    return (pitch - 360.0 if pitch > 180.0 else pitch), yaw
