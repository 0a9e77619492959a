"""Tables ``damage`` and ``shots``."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType

from playhead.cs2.facts import TABLES, TIME, WEAPON, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import (
    ARMOR,
    CLIP,
    HEALTH,
    PAWN,
    STATE_FIELDS,
    VELOCITY,
    active_weapon,
    player_state,
    weapon_name,
)
from playhead.cs2.sources.people import columns_of, fighters_of
from playhead.cs2.sources.words import HIT_GROUPS, slot_of, weapon_word, word_of
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.entities.entity import INDEX_MASK, Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_ROLES = (("attacker_", "attacker"), ("victim_", "userid"))

DAMAGE = TableSchema.of(
    "damage",
    "One row for each hit on a player: event player_hurt, with the state after its packet.",
    *TIME,
    *(column for role, _ in _ROLES for column in person(role, state=True)),
    WEAPON,
    word("damage", "Health lost: `health_pre` less `health_post`."),
    *words("damage_reported armor_damage"),
    Column("health_pre", "int32", "Health of the victim before this hit.", "hp"),
    Column("health_post", "int32", "Health of the victim after this hit, as reported by the event.", "hp"),
    Column("armor_pre", "int32", "Armour of the victim before this hit."),
    Column("armor_post", "int32", "Armour of the victim after this hit, as reported by the event."),
    *words("hitgroup hitgroup_id"),
)


def _lost(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(0, before - after)


class _Body:
    """Health and armour of a pawn before the latest packet that changed them, and after the last hit in it."""

    def __init__(self) -> None:
        self.tick = -1
        self.before: tuple[int | None, int | None] = (None, None)
        self.now: tuple[int | None, int | None] = (None, None)


@TABLES.maker_of(DAMAGE)
class Cs2Damage(Cs2Facts):
    jobs: ClassVar = Jobs(20, extra=20)
    fields = MappingProxyType({PAWN: STATE_FIELDS})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._bodies: dict[int, _Body] = {}
        # Health after the last hit of a packet, by pawn: several hits may come in one packet.
        self._hit: dict[int, tuple[int, tuple[int | None, int | None]]] = {}
        playback.entities.on_entity(FieldWatch((HEALTH, ARMOR), self._on_pawn), PAWN)
        self.match.events(playback).on("player_hurt", self._on_hurt)

    def _on_pawn(self, pawn: Entity, op: EntityOp) -> None:
        body = self._bodies.get(pawn.index)
        if body is None or op & EntityOp.CREATED:
            body = self._bodies[pawn.index] = _Body()
        if body.tick != self._playback.tick:
            body.before = body.now
        body.tick = self._playback.tick
        body.now = (pawn.get_int(HEALTH), pawn.get_int(ARMOR))

    def _before(self, pawn: Entity, tick: int) -> tuple[int | None, int | None]:
        hit = self._hit.get(pawn.index)
        if hit is not None and hit[0] == tick:
            return hit[1]
        body = self._bodies.get(pawn.index)
        if body is None:
            return None, None
        return body.before if body.tick == tick else body.now

    def _on_hurt(self, tick: int, event: Mapping[str, Any]) -> None:
        people = self.match.people
        row: dict[str, Any] = {"tick": tick, **fighters_of(people, event, _ROLES)}
        victim = people.pawn(people.in_slot(event.get("userid")))
        after = event.get("health"), event.get("armor")
        before: tuple[int | None, int | None] = (None, None)
        if victim is not None:
            before = self._before(victim, tick)
            self._hit[victim.index] = (tick, after)
        nobody = event.get("attacker") is not None and slot_of(event["attacker"]) is None
        row |= {
            "weapon": weapon_word(event.get("weapon")) or ("world" if nobody else None),
            "damage_reported": event.get("dmg_health"),
            "armor_damage": event.get("dmg_armor"),
            "health_pre": before[0],
            "health_post": after[0],
            "armor_pre": before[1],
            "armor_post": after[1],
            "damage": _lost(before[0], after[0]),
            "hitgroup": word_of(HIT_GROUPS, event.get("hitgroup"), "group"),
            "hitgroup_id": event.get("hitgroup"),
        }
        self._rows.append(row)


_SCOPED, _WEAPON = "m_bIsScoped", "m_pWeaponServices.m_hActiveWeapon"
_BULLETS = "GE_FireBulletsId"
_OF_BULLETS = ("inaccuracy", "recoil_index", "seed")

SHOTS = TableSchema.of(
    "shots",
    "One row for each attack with a weapon, knives and thrown grenades too: event weapon_fire, with the state "
    "after its packet.",
    *TIME,
    *person(state=True),
    *words("velocity_x velocity_y velocity_z"),
    WEAPON,
    *words("ammo is_scoped"),
    Column("inaccuracy", "float32", "Inaccuracy of the shot (message GE_FireBulletsId); null if not recorded."),
    Column("recoil_index", "float32", "Place in the pattern of recoil, of the same message."),
    Column("seed", "int64", "Seed of the spread, of the same message."),
)


@TABLES.maker_of(SHOTS)
class Shots(Cs2Facts):
    jobs: ClassVar = Jobs(13, extra=12)
    fields = MappingProxyType({PAWN: (*STATE_FIELDS, *VELOCITY, _SCOPED, _WEAPON), "C*": (CLIP,)})

    def attach(self, playback: Playback) -> None:
        self._entities = playback.entities
        self._bullets: dict[tuple[int, int], Mapping[str | int, Any]] = {}
        self.match.events(playback).on("weapon_fire", self._on_fire)
        with suppress(KeyError):  # a game definition without this message
            self.match.on_fields(playback, _BULLETS, self._on_bullets)

    def _on_bullets(self, tick: int, fields: Mapping[Any, Any]) -> None:
        pawn = fields.get("player")
        if isinstance(pawn, int):
            self._bullets[tick, pawn & INDEX_MASK] = fields

    def _on_fire(self, tick: int, event: Mapping[str, Any]) -> None:
        people = self.match.people
        shooter = people.in_slot(event.get("userid"))
        pawn = people.pawn(shooter)
        word = weapon_word(event.get("weapon"))
        weapon = active_weapon(self._entities, pawn)
        # A weapon switched in the same packet is another one; knives have many words.
        known = weapon_name(weapon)
        if weapon is not None and known != word and not (known == "knife" and (word or "").startswith("knife")):
            weapon = None
        clip = None if weapon is None else weapon.get_int(CLIP)
        row: dict[str, Any] = {"tick": tick, **columns_of(shooter, ""), **player_state(pawn)}
        for axis, field in zip("xyz", VELOCITY, strict=True):
            row[f"velocity_{axis}"] = None if pawn is None else pawn.get(field)
        row |= {
            "weapon": word,
            "ammo": clip if clip is not None and clip >= 0 else None,
            "is_scoped": None if pawn is None else pawn.get(_SCOPED),
        }
        bullets = None if pawn is None else self._bullets.pop((tick, pawn.index), None)
        if bullets is not None:
            row |= {name: bullets.get(name) for name in _OF_BULLETS}
        self._rows.append(row)
