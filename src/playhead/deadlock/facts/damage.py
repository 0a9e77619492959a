"""Tables ``damage``, ``shots`` and ``bullet_impacts``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import POSITION_FIELDS, index_of
from playhead.deadlock.sources.match import DeadlockFacts
from playhead.deadlock.sources.people import PAWN, person_columns, person_row
from playhead.deadlock.sources.words import kind_of
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

MESSAGE = "k_EUserMsg_Damage"

#: Value of citadel_type for blows by hand.
_MELEE = 3
#: Bits of the flags of such blows, as in boon-deadlock 0.19 (MIT licence). In a broadcast of client 5186, blows
#: with bit 29 deal twice the damage of those with bit 30.
_MELEE_BITS = {1 << 33: "heavy", 1 << 34: "light"}
_EARLIER_MELEE_BITS = {1 << 29: "heavy", 1 << 30: "light"}
#: The earliest client that is known to have the later bits.
_LATER_BITS_SINCE = 6650


def _being(role: str) -> tuple[Column, ...]:
    return (
        *person_columns(role),
        *words(f"{role}entity_class {role}entity"),
        word(f"{role}kind", "hero, trooper, neutral, structure, mid_boss, ability, item or other: by class."),
        Column(f"{role}kind_id", "int64", f"The message's own number of that kind: {role}class."),
        *words(f"{role}x {role}y {role}z"),
    )


#: Columns with unchanged fields of the message: names of the field, in order of preference.
_FIELDS: Mapping[Column, tuple[str, ...]] = {
    word("damage", "As shown."): ("damage",),
    Column("health_lost", "int32", "Health that the victim lost.", "hp"): ("health_lost",),
    Column("pre_damage", "float64", "Damage before resistances.", "hp"): ("pre_damage", "pre_damage_deprecated"),
    Column("damage_absorbed", "float64", "Damage that shields absorbed.", "hp"): (
        "damage_absorbed",
        "damage_absorbed_deprecated",
    ),
    Column("crit_damage", "float64", "Part of the damage by a critical hit.", "hp"): ("crit_damage",),
    word("hitgroup_id"): ("hitgroup_id",),
    Column("damage_bits", "int64", "The engine's mask of the kind of damage: type."): ("type",),
    word("damage_type_id", "citadel_type; 3 is melee."): ("citadel_type",),
    Column("damage_flags", "uint64", "The game's mask of the damage: flags."): ("flags",),
    word("victim_health"): ("victim_health_new",),
    word("victim_max_health"): ("victim_health_max",),
    Column("victim_shield", "int32", "Shield of the victim afterwards.", "hp"): ("victim_shield_new",),
    Column("victim_max_shield", "int32", "Most shield of the victim.", "hp"): ("victim_shield_max",),
    Column("hits", "int32", "Number of hits that the message sums up."): ("hits",),
    word("server_tick", "Builds of 2025 do not send it."): ("server_tick",),
}

DAMAGE = TableSchema.of(
    "damage",
    "One row for each message CCitadelUserMessage_Damage: damage by anyone to anyone. Null where the message "
    "lacks the field. Places are those of heroes.",
    *words("tick! seconds game_seconds"),
    *_being("attacker_"),
    *_being("victim_"),
    word("ability", "Items and weapons too."),
    *words("ability_id"),
    *_FIELDS,
    word("hitgroup"),
    word("damage_type", "melee; null for another number."),
    Column("is_melee", "bool", "`damage_type` is melee."),
    Column("melee_type", "category", "light, heavy or other: by bits of the flags; null for no blow."),
)
_NAMES = {column.name: fields for column, fields in _FIELDS.items()}


@TABLES.maker_of(DAMAGE)
class DeadlockDamage(DeadlockFacts):
    jobs: ClassVar = Jobs(6, extra=20)
    fields: Mapping[str, Sequence[str]] = {PAWN: POSITION_FIELDS}

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, MESSAGE, self._on_damage)

    def _on_damage(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get, people = fields.get, self.match.people
        row: dict[str, Any] = {"tick": tick, "ability_id": get("ability_id") or None}
        for role in ("attacker_", "victim_"):
            index = get(f"entindex_{role.rstrip('_')}")
            entity = people.entity(index)
            row |= person_row(people.at(index), role)
            row[f"{role}kind_id"] = get(f"{role}class")
            row[f"{role}entity"] = index if isinstance(index, int) and index >= 0 else None
            if entity is not None:
                row[f"{role}entity_class"] = entity.class_name
                row[f"{role}kind"] = kind_of(entity.class_name)
                if entity.class_name == PAWN:
                    row |= self.match.place_row(entity, role)
        for name, keys in _NAMES.items():
            row[name] = next((found for found in map(get, keys) if found is not None), None)
        row["is_melee"] = row["damage_type_id"] == _MELEE
        if row["is_melee"]:
            row |= {"damage_type": "melee", "melee_type": _melee(row["damage_flags"] or 0, self.match.client)}
        self._rows.append(row)


def _melee(flags: int, client: int | None) -> str:
    """Return the kind of a blow by hand by the flags of its damage."""
    for bits in (_MELEE_BITS, _EARLIER_MELEE_BITS if (client or 0) < _LATER_BITS_SINCE else {}):
        for bit, kind in bits.items():
            if flags & bit:
                return kind
    return "other"


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
