"""Tables ``shots`` and ``bullet_impacts``: bullets as they are fired, and the places where they hit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import TIME, name_columns, person_columns, person_row
from playhead.deadlock.sources.entities import index_of
from playhead.deadlock.sources.kinds import kind_of
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.runtime.libraries import pa
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

_SHOOTER = (
    *person_columns("", "the shooter"),
    Column("shooter_entity", "int32", "Index of the shooter's entity; null without one."),
    Column("shooter_kind", "category", "hero, trooper, objective …: by the class of that entity."),
    *name_columns("weapon", "the weapon (weapon_subclass_id)"),
)


def _vector(prefix: str, field: str, unit: str = "world units") -> tuple[Column, ...]:
    return tuple(Column(prefix + axis, "float64", f"{field}.{axis} of the message.", unit) for axis in "xyz")


SHOTS = TableSchema.of(
    "shots",
    "One row for each message CMsgFireBullets: a shot, which may have several bullets.",
    *TIME,
    *_SHOOTER,
    *_vector("", "origin"),
    Column("pitch", "float64", "angles.x of the message; positive is down.", "°"),
    Column("yaw", "float64", "angles.y of the message, counterclockwise from the east.", "°"),
    Column("spread", "float64", "spread of the message."),
    Column("shot", "int64", "shot_number of the message: counts the shots of a weapon."),
    Column("shot_id", "int64", "shot_id of the message; null if not sent."),
)
BULLET_IMPACTS = TableSchema.of(
    "bullet_impacts",
    "One row for each message CMsgBulletImpact: a bullet hit something.",
    *TIME,
    *_SHOOTER,
    *_vector("", "impact_origin"),
    *_vector("start_", "trace_start"),
    *person_columns("victim_", "the hit hero"),
    Column("victim_entity", "int32", "Index of the hit entity; null for the world."),
    Column("victim_kind", "category", "hero, trooper, objective …: by the class of that entity."),
    Column("damage", "int32", "damage of the message."),
)


@TABLES.maker_of(SHOTS, BULLET_IMPACTS)
class DeadlockShots(DeadlockFacts):
    """Tables ``shots`` and ``bullet_impacts``."""

    work = 3

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._shots: list[dict[str, Any]] = []
        self._impacts: list[dict[str, Any]] = []

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, "GE_FireBullets", self._on_fired)
        self.match.on_fields(playback, "GE_BulletImpact", self._on_hit)

    def _entity(self, index: int | None, prefix: str, person_prefix: str) -> dict[str, Any]:
        if index is None or index < 0:
            return {}
        entity = self.match.people.entity(index)
        return {
            **person_row(self.match.people.at(index), person_prefix),
            f"{prefix}_entity": index,
            f"{prefix}_kind": None if entity is None else kind_of(entity.class_name),
        }

    def _on_fired(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get = fields.get
        angles = get("angles") or get("angles_original") or {}
        self._shots.append(
            {
                "tick": tick,
                **self._entity(get("shooter_entity"), "shooter", ""),
                "weapon_id": get("weapon_subclass_id") or None,
                **_coordinates("", get("origin")),
                "pitch": angles.get("x", 0.0) if angles else None,
                "yaw": angles.get("y", 0.0) if angles else None,
                "spread": get("spread"),
                "shot": get("shot_number"),
                "shot_id": get("shot_id"),
            }
        )

    def _on_hit(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get = fields.get
        self._impacts.append(
            {
                "tick": tick,
                **self._entity(index_of(get("shooter_ehandle")), "shooter", ""),
                "weapon_id": get("weapon_subclass_id") or None,
                **_coordinates("", get("impact_origin")),
                **_coordinates("start_", get("trace_start")),
                **self._entity(index_of(get("impacted_ehandle")) or None, "victim", "victim_"),
                "damage": get("damage"),
            }
        )

    def tables(self) -> Mapping[str, pa.Table]:
        for row in (*self._shots, *self._impacts):
            row["weapon"] = self.match.names.name(row["weapon_id"])
        return {
            SHOTS.name: self.match.table(SHOTS, self._shots),
            BULLET_IMPACTS.name: self.match.table(BULLET_IMPACTS, self._impacts),
        }


def _coordinates(prefix: str, vector: Mapping[str | int, Any] | None) -> dict[str, float | None]:
    return {prefix + axis: None if vector is None else float(vector.get(axis, 0.0)) for axis in "xyz"}
