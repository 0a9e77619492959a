"""Table ``damage``: every message about damage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import TIME, name_columns, person_columns, person_row
from playhead.deadlock.sources.entities import POSITION_FIELDS
from playhead.deadlock.sources.kinds import kind_of
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import PAWN
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

MESSAGE = "k_EUserMsg_Damage"

#: Value of citadel_type for blows by hand.
_MELEE = 3
#: Bits of the flags of such blows.
_LIGHT, _HEAVY = 1 << 33, 1 << 34


def _being(prefix: str, what: str) -> tuple[Column, ...]:
    return (
        *person_columns(f"{prefix}_", what),
        Column(f"{prefix}_class", "category", f"Class of the entity of {what}; null if it is gone."),
        Column(f"{prefix}_class_id", "int64", f"The message's own number of the kind of {what}: {prefix}_class."),
        Column(f"{prefix}_entity", "int32", f"Index of the entity of {what}; null without one."),
        Column(
            f"{prefix}_kind",
            "category",
            f"hero, trooper, neutral, objective, mid_boss, ability, item or other: by the class of {what}.",
        ),
    )


#: Columns that are fields of the message as they are: type, names of the field in the order of preference, doc.
_FIELDS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "damage": ("int32", ("damage",), "Damage as shown"),
    "health_lost": ("int32", ("health_lost",), "Health that the victim lost"),
    "pre_damage": ("float64", ("pre_damage", "pre_damage_deprecated"), "Damage before resistances"),
    "damage_absorbed": (
        "float64",
        ("damage_absorbed", "damage_absorbed_deprecated"),
        "Damage that shields absorbed",
    ),
    "crit_damage": ("float64", ("crit_damage",), "Part of the damage by a critical hit"),
    "hitgroup": ("int32", ("hitgroup_id",), "The engine's number of the hit part of the body (1 is the head)"),
    "damage_type": ("int64", ("type",), "The engine's bits of the kind of damage"),
    "citadel_type": ("int32", ("citadel_type",), "The game's number of the kind of damage; 3 is melee"),
    "damage_flags": ("uint64", ("flags",), "The game's bits of the damage"),
    "victim_health_new": ("int32", ("victim_health_new",), "Health of the victim afterwards"),
    "victim_health_max": ("int32", ("victim_health_max",), "Most health of the victim"),
    "victim_shield_new": ("int32", ("victim_shield_new",), "Shield of the victim afterwards"),
    "victim_shield_max": ("int32", ("victim_shield_max",), "Most shield of the victim"),
    "hits": ("int32", ("hits",), "Number of hits that the message sums up"),
    "server_tick": ("int32", ("server_tick",), "Tick of the server; builds of 2025 do not send it"),
}

DAMAGE = TableSchema.of(
    "damage",
    "One row for each message CCitadelUserMessage_Damage: damage by anyone to anyone.",
    *TIME,
    *_being("attacker", "the attacker"),
    *_being("victim", "the victim"),
    *name_columns("ability", "the ability, item or weapon"),
    *(
        Column(name, type_, f"{doc}: {fields[0]}; null if not sent.")
        for name, (type_, fields, doc) in _FIELDS.items()
    ),
    Column("is_melee", "bool", "`citadel_type` is 3."),
    Column("melee_type", "category", "light, heavy or other: bits 33 and 34 of the flags; null for no blow."),
    Column("x", "float64", "Place of the hit hero, or else of the attacking one.", "world units"),
    Column("y", "float64", "As `x`.", "world units"),
    version=2,
)


@TABLES.maker_of(DAMAGE)
class DeadlockDamage(DeadlockFacts):
    """Table ``damage``.

    Attributes:
        rows: the damage so far.
    """

    work = 6
    fields: Mapping[str, Sequence[str]] = {PAWN: POSITION_FIELDS}

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self.rows: list[dict[str, Any]] = []

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, MESSAGE, self._on_damage)

    def _on_damage(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get = fields.get
        row: dict[str, Any] = {"tick": tick, "ability_id": get("ability_id") or None}
        bodies = []
        for prefix in ("attacker", "victim"):
            index = get(f"entindex_{prefix}")
            entity = self.match.people.entity(index)
            row |= person_row(self.match.people.at(index), f"{prefix}_")
            row[f"{prefix}_class_id"] = get(f"{prefix}_class")
            row[f"{prefix}_entity"] = index if isinstance(index, int) and index >= 0 else None
            bodies.append(entity)
            if entity is not None:
                row[f"{prefix}_class"] = entity.class_name
                row[f"{prefix}_kind"] = kind_of(entity.class_name)
        for name, (_, keys, _) in _FIELDS.items():
            row[name] = next((found for found in map(get, keys) if found is not None), None)
        row["is_melee"] = row["citadel_type"] == _MELEE
        row["melee_type"] = _melee(row["damage_flags"] or 0) if row["is_melee"] else None
        row["x"], row["y"] = self._place(bodies)
        self.rows.append(row)

    def _place(self, bodies: list[Entity | None]) -> tuple[float | None, float | None]:
        for body in reversed(bodies):
            if body is not None and body.class_name == PAWN:
                x, y, _ = self.match.grid.place(body)
                return x, y
        return None, None

    def tables(self) -> Mapping[str, pa.Table]:
        for row in self.rows:
            row["ability"] = self.match.names.name(row["ability_id"])
        return {DAMAGE.name: self.match.table(DAMAGE, self.rows)}


def _melee(flags: int) -> str:
    """Return the kind of a blow by hand by the flags of its damage."""
    return {_LIGHT: "light", _HEAVY: "heavy"}.get(flags & (_LIGHT | _HEAVY), "other")
