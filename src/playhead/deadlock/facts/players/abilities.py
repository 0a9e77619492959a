"""Tables ``ability_upgrades`` and ``ability_states``: points, cooldowns and charges of abilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import ENTITY, TIME, name_columns, person_columns, person_row
from playhead.deadlock.sources.entities import index_of, names_of, number, real
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

#: The vector of upgrades in a controller, and the field of an ability's own entity in other builds.
UPGRADES, BITS = "m_vecAbilityUpgradeState", ("m_nUpgradeInfo", "m_nUpgradeBits")
#: The bits of the four abilities of a hero in a controller, by slot.
HERO_BITS = tuple(f"m_nHeroAbilityUpgradeBits.{slot:04}" for slot in range(4))
# The lowest bits of m_nUpgradeInfo have another meaning.
_SHIFT = 17
# More abilities than a player has.
_MOST = 16
_OWNER, _SUBCLASS, _SLOT = "m_hOwnerEntity", "m_nSubclassID", "m_eAbilitySlot"
#: Fields of the state of an ability: column, field, type, doc, unit.
STATE = (
    ("cooldown_start", "m_flCooldownStart", "float64", "Time of the server at which the cooldown began", "s"),
    ("cooldown_end", "m_flCooldownEnd", "float64", "Time of the server at which it is ready again", "s"),
    ("remaining_charges", "m_iRemainingCharges", "int32", "Charges left", ""),
    ("charge_recharge_start", "m_flChargeRechargeStart", "float64", "Time at which the next charge began", "s"),
    ("charge_recharge_end", "m_flChargeRechargeEnd", "float64", "Time at which it is complete", "s"),
)

ABILITY_UPGRADES = TableSchema.of(
    "ability_upgrades",
    "One row for each point spent on an ability, and for each ability that was upgraded when the recording "
    "begins: m_vecAbilityUpgradeState of the controller, or m_nUpgradeBits of the ability's entity in builds "
    "without it.",
    *TIME,
    *person_columns(),
    *name_columns("ability", "the ability"),
    Column("tier", "int32", "Points spent on it: 0 is learned, 3 the most."),
    Column("bits", "int64", "The bits that the game sends: the lowest one says that it is learned."),
)
ABILITY_STATES = TableSchema.of(
    "ability_states",
    "One row for each ability of a hero when it is first seen, and at each change of cooldown or charges. "
    "Innate movements are abilities too: `slot` tells them apart.",
    *TIME,
    *person_columns(),
    *name_columns("ability", "the ability (m_nSubclassID)"),
    Column("slot", "int32", "m_eAbilitySlot: 0 to 3 are the hero's own abilities, higher ones are innate."),
    *(Column(name, type_, f"{doc}: {field}.", unit) for name, field, type_, doc, unit in STATE),
    ENTITY,
)


def ability_classes(match: DeadlockMatch) -> list[str]:
    """Return the classes of abilities with cooldown and charges."""
    declared = match.declared
    return [
        name
        for name in match.replay.recording.class_names.values()
        if "Ability" in name
        and declared.name(name, "m_flCooldownEnd")
        and declared.name(name, "m_iRemainingCharges")
    ]


@TABLES.maker_of(ABILITY_UPGRADES)
class AbilityUpgrades(DeadlockFacts):
    """Table ``ability_upgrades``."""

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._known: dict[tuple[int, int], int] = {}
        self._vector = match.declared.name(CONTROLLER, UPGRADES)
        self._classes = [] if self._vector else ability_classes(match)
        self._hero_bits: list[str] = []
        self.fields: dict[str, Sequence[str]] = {
            CONTROLLER: names_of((UPGRADES, f"{UPGRADES}.????.m_ItemID", f"{UPGRADES}.????.m_nUpgradeInfo")),
            **dict.fromkeys(self._classes, (_OWNER, _SUBCLASS, _SLOT, *BITS)),
        }
        own = any(match.declared.name(name, *BITS) for name in self._classes)
        if self._vector is None and not own and match.declared.name(CONTROLLER, HERO_BITS[0]):
            self._hero_bits = [match.declared.name(CONTROLLER, name) or name for name in HERO_BITS]
            self.fields[CONTROLLER] = (*self.fields[CONTROLLER], *self._hero_bits)

    def attach(self, playback: Playback) -> None:
        entities = playback.entities
        self._playback = playback
        if self._vector:
            bits = tuple(f"{self._vector}.{place:04}.m_nUpgradeInfo" for place in range(_MOST))
            entities.on_entity(FieldWatch((self._vector, *bits), self._on_controller), CONTROLLER)
        if self._hero_bits:
            entities.on_entity(FieldWatch(self._hero_bits, self._on_hero_bits), CONTROLLER)
        for name in self._classes:
            field = self.match.declared.name(name, *BITS)
            if field is not None:
                entities.on_entity(FieldWatch((field,), self._on_ability), name)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            return
        for place in range(min(number(controller, self._vector or "") or 0, _MOST)):
            path = f"{self._vector}.{place:04}"
            info = number(controller, f"{path}.m_nUpgradeInfo") or 0
            self._add(controller.index, place, number(controller, f"{path}.m_ItemID"), info >> _SHIFT)

    def _on_hero_bits(self, controller: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            return
        body = self.match.people.pawn(controller)
        abilities = {}
        for name in self._classes if body is not None else ():
            for ability in self._playback.entities.find_all_by_class_name(name):
                if index_of(ability.get(_OWNER)) == body.index:  # type: ignore[union-attr]
                    abilities[number(ability, _SLOT)] = number(ability, _SUBCLASS)
        for slot, name in enumerate(self._hero_bits):
            self._add(controller.index, slot, abilities.get(slot), number(controller, name) or 0)

    def _on_ability(self, ability: Entity, op: EntityOp) -> None:
        owner = self.match.people.controller(index_of(ability.get(_OWNER)))
        if owner is not None and not op & EntityOp.DELETED:
            bits = number(ability, *BITS) or 0
            self._add(owner.index, ability.index, number(ability, _SUBCLASS), bits)

    def _add(self, controller: int, place: int, ability: int | None, bits: int) -> None:
        before = self._known.get((controller, place))
        self._known[controller, place] = bits
        if not ability or bits <= (before or 0) or (before is None and bits == 1):
            return
        person = person_row(self.match.people.at(controller))
        row = {"tick": self._playback.tick, "ability_id": ability, "tier": bits.bit_count() - 1, "bits": bits}
        self._rows.append(row | person)

    def tables(self) -> Mapping[str, pa.Table]:
        for row in self._rows:
            row["ability"] = self.match.names.name(row["ability_id"])
        return {ABILITY_UPGRADES.name: self.match.table(ABILITY_UPGRADES, self._rows)}


@TABLES.maker_of(ABILITY_STATES)
class AbilityStates(DeadlockFacts):
    """Table ``ability_states``."""

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._shown: dict[int, tuple[Any, ...]] = {}
        self._classes = ability_classes(match)
        fields = (*(field for _, field, *_ in STATE), _OWNER, _SUBCLASS, _SLOT)
        self.fields: Mapping[str, Sequence[str]] = dict.fromkeys(self._classes, fields) | {PAWN: (_OWNER,)}

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        watched = (*(field for _, field, *_ in STATE), _OWNER)
        for name in self._classes:
            playback.entities.on_entity(FieldWatch(watched, self._on_ability), name)

    def _on_ability(self, ability: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._shown.pop(ability.handle, None)
            return
        person = self.match.people.at(index_of(ability.get(_OWNER)))
        state = tuple((real if type_ == "float64" else number)(ability, field) for _, field, type_, *_ in STATE)
        if person is None or self._shown.get(ability.handle) == (person.player, state):
            return
        self._shown[ability.handle] = person.player, state
        row: dict[str, Any] = {
            "tick": self._playback.tick,
            "entity": ability.index,
            "slot": number(ability, _SLOT),
        }
        row |= dict(zip((name for name, *_ in STATE), state, strict=True))
        self._rows.append(row | {"ability_id": number(ability, _SUBCLASS)} | person_row(person))

    def tables(self) -> Mapping[str, pa.Table]:
        for row in self._rows:
            row["ability"] = self.match.names.name(row["ability_id"])
        return {ABILITY_STATES.name: self.match.table(ABILITY_STATES, self._rows)}
