"""Tables ``shots`` and ``bullet_impacts``: shots fired, and the places that bullets hit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import index_of
from playhead.deadlock.sources.match import DeadlockFacts
from playhead.deadlock.sources.people import person_columns, person_row
from playhead.deadlock.sources.words import kind_of
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_KIND = "hero, trooper, structure …: by the class of its entity."
_SHOOTER = (
    *words("tick! seconds game_seconds"),
    *person_columns(),
    word("entity", "That of the shooter."),
    word("kind", _KIND),
    word("weapon", "By weapon_subclass_id."),
    *words("weapon_id"),
)

SHOTS = TableSchema.of(
    "shots",
    "One row for each message CMsgFireBullets: a shot from its place, which may have several bullets.",
    *_SHOOTER,
    *words("x y z pitch yaw"),
    Column("spread", "float64", "spread of the message."),
    Column("shot_number", "int64", "Counts the shots of a weapon."),
    Column("shot_id", "int64", "shot_id of the message; null if not sent."),
)
BULLET_IMPACTS = TableSchema.of(
    "bullet_impacts",
    "One row for each message CMsgBulletImpact: a bullet hit something, at a place (impact_origin) on its path "
    "from the start (trace_start).",
    *_SHOOTER,
    *words("x y z start_x start_y start_z"),
    *person_columns("victim_"),
    word("victim_entity", "Null for the world."),
    word("victim_kind", _KIND),
    *words("damage"),
)


@TABLES.maker_of(SHOTS, BULLET_IMPACTS)
class DeadlockShots(DeadlockFacts):
    """Tables ``shots`` and ``bullet_impacts``."""

    jobs: ClassVar = Jobs(3, extra=15)

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, "GE_FireBullets", self._on_fired)
        self.match.on_fields(playback, "GE_BulletImpact", self._on_hit)

    def _entity(self, index: int | None, role: str) -> dict[str, Any]:
        if index is None or index < 0:
            return {}
        entity = self.match.people.entity(index)
        return {
            **person_row(self.match.people.at(index), role),
            f"{role}entity": index,
            f"{role}kind": None if entity is None else kind_of(entity.class_name),
        }

    def _on_fired(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get = fields.get
        angles = get("angles") or get("angles_original") or {}
        self.rows[SHOTS.name].append(
            {
                "tick": tick,
                **self._entity(get("shooter_entity"), ""),
                "weapon_id": get("weapon_subclass_id") or None,
                **_coordinates("", get("origin")),
                "pitch": angles.get("x", 0.0) if angles else None,
                "yaw": angles.get("y", 0.0) if angles else None,
                "spread": get("spread"),
                "shot_number": get("shot_number"),
                "shot_id": get("shot_id"),
            }
        )

    def _on_hit(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get = fields.get
        self.rows[BULLET_IMPACTS.name].append(
            {
                "tick": tick,
                **self._entity(index_of(get("shooter_ehandle")), ""),
                "weapon_id": get("weapon_subclass_id") or None,
                **_coordinates("", get("impact_origin")),
                **_coordinates("start_", get("trace_start")),
                **self._entity(index_of(get("impacted_ehandle")) or None, "victim_"),
                "damage": get("damage"),
            }
        )


def _coordinates(prefix: str, vector: Mapping[str | int, Any] | None) -> dict[str, float | None]:
    return {prefix + axis: None if vector is None else float(vector.get(axis, 0.0)) for axis in "xyz"}
