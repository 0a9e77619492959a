"""Table ``shots``."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import TABLES, TIME, WEAPON, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import CLIP, PAWN, STATE_FIELDS, VELOCITY, active_weapon, player_state, weapon_name
from playhead.cs2.sources.people import columns_of
from playhead.cs2.sources.words import weapon_word
from playhead.source2.entities.entity import INDEX_MASK
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import words

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
    """Table ``shots``."""

    jobs: ClassVar = Jobs(13, extra=12)
    entities: ClassVar = True
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
