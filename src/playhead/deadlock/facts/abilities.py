"""Tables ``ability_uses``, ``ability_upgrades`` and ``ability_states``: uses, points, cooldowns and charges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import index_of, names_of, number, real
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN, person_columns, person_row
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.facts.hashed_names import name_hash
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

# Ticks between the game event and the message of one use.
_NEAR = 8
#: The vector of upgrades in a controller, and the field of an ability's own entity in other builds.
UPGRADES, BITS = "m_vecAbilityUpgradeState", ("m_nUpgradeInfo", "m_nUpgradeBits")
#: The bits of the four abilities of a hero in a controller, by slot.
HERO_BITS = tuple(f"m_nHeroAbilityUpgradeBits.{slot:04}" for slot in range(4))
# The lowest bits of m_nUpgradeInfo have another meaning.
_SHIFT = 17
# More abilities than a player has.
_MOST = 16
_OWNER, _SUBCLASS, _SLOT = "m_hOwnerEntity", "m_nSubclassID", "m_eAbilitySlot"
_SERVER = "On the server's clock: "
#: Fields of the state of an ability: column, field, type, doc.
STATE = (
    ("cooldown_start_server_seconds", "m_flCooldownStart", "float64", "when the cooldown began"),
    ("cooldown_end_server_seconds", "m_flCooldownEnd", "float64", "when the ability is ready again"),
    ("remaining_charges", "m_iRemainingCharges", "int32", "Charges left"),
    ("charge_start_server_seconds", "m_flChargeRechargeStart", "float64", "when the next charge began"),
    ("charge_end_server_seconds", "m_flChargeRechargeEnd", "float64", "when it is complete"),
)

ABILITY_USES = TableSchema.of(
    "ability_uses",
    "One row for each use of an ability: the game event player_used_ability, the message "
    "ImportantAbilityUsed, or both.",
    *words("tick! seconds game_seconds"),
    *person_columns(),
    *words("ability ability_id"),
    word("known_by", "event, message or both."),
)
ABILITY_UPGRADES = TableSchema.of(
    "ability_upgrades",
    "One row for each point spent on an ability, and for each ability that was upgraded when the recording "
    "begins: m_vecAbilityUpgradeState of the controller, or m_nUpgradeBits of the ability's entity in builds "
    "without it.",
    *words("tick! seconds game_seconds"),
    *person_columns(),
    *words("ability ability_id"),
    word("ability_level", "1 is learned, and each further point adds 1, up to 4."),
    word("flags", "Upgrades; the lowest bit is set once it is learned."),
)
ABILITY_STATES = TableSchema.of(
    "ability_states",
    "One row for each ability of a hero when it is first seen, and at each change of cooldown or charges. "
    "Innate movements are abilities too, in other slots.",
    *words("tick! seconds game_seconds"),
    *person_columns(),
    *words("ability ability_id"),
    word("slot", "m_eAbilitySlot: 0 to 3 are the hero's own abilities, higher ones are innate."),
    *(
        Column(name, type_, f"{_SERVER if type_ == 'float64' else ''}{doc}: {field}.", "s" * (type_ == "float64"))
        for name, field, type_, doc in STATE
    ),
    *words("entity"),
)


def ability_classes(match: DeadlockMatch) -> list[str]:
    """Return the classes of abilities, which have cooldown and charges; one of both may be renamed."""
    declared = match.declared
    return [
        name
        for name in match.replay.recording.class_names.values()
        if "Ability" in name and declared.name(name, "m_flCooldownEnd", "m_iRemainingCharges")
    ]


@TABLES.maker_of(ABILITY_UPGRADES)
class AbilityUpgrades(DeadlockFacts):
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
        if self._vector:
            bits = tuple(f"{self._vector}.{place:04}.m_nUpgradeInfo" for place in range(_MOST))
            self.match.watch((self._vector, *bits), self._on_controller, CONTROLLER)
        if self._hero_bits:
            self.match.watch(self._hero_bits, self._on_hero_bits, CONTROLLER)
        for name in self._classes:
            field = self.match.declared.name(name, *BITS)
            if field is not None:
                self.match.watch((field,), self._on_ability, name)

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
            for ability in self.match.entities.find_all_by_class_name(name):
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
        row = {"tick": self.match.tick, "ability_id": ability, "ability_level": bits.bit_count()}
        self._rows.append({**row, "flags": bits, **person})


@TABLES.maker_of(ABILITY_STATES)
class AbilityStates(DeadlockFacts):
    jobs: ClassVar = Jobs(extra=9)

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._shown: dict[int, tuple[Any, ...]] = {}
        self._classes = ability_classes(match)
        fields = (*(field for _, field, *_ in STATE), _OWNER, _SUBCLASS, _SLOT)
        self.fields: Mapping[str, Sequence[str]] = dict.fromkeys(self._classes, fields) | {PAWN: (_OWNER,)}

    def attach(self, playback: Playback) -> None:
        watched = (*(field for _, field, *_ in STATE), _OWNER)
        self.match.watch(watched, self._on_ability, *self._classes)

    def _on_ability(self, ability: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._shown.pop(ability.handle, None)
            return
        person = self.match.people.at(index_of(ability.get(_OWNER)))
        state = tuple((real if type_ == "float64" else number)(ability, field) for _, field, type_, _ in STATE)
        if person is None or self._shown.get(ability.handle) == (person.player, state):
            return
        self._shown[ability.handle] = person.player, state
        row: dict[str, Any] = {
            "tick": self.match.tick,
            "entity": ability.index,
            "slot": number(ability, _SLOT),
        }
        row |= dict(zip((name for name, *_ in STATE), state, strict=True))
        self._rows.append(row | {"ability_id": number(ability, _SUBCLASS)} | person_row(person))


@TABLES.maker_of(ABILITY_USES)
class AbilityUses(DeadlockFacts):
    jobs: ClassVar = Jobs(extra=20)

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        #: Rows that one source alone reported, by player, ability and source; the latest last.
        self._alone: dict[tuple[int, int, str], list[dict[str, Any]]] = {}

    def attach(self, playback: Playback) -> None:
        playback.on_game_event(self._on_event)
        self.match.on_fields(playback, "k_EUserMsg_ImportantAbilityUsed", self._on_message)

    def _on_event(self, event: GameEvent) -> None:
        name = event.fields.get("abilityname")
        if event.name == "player_used_ability" and isinstance(name, str):
            self._add(event.tick, "event", event.fields.get("entindex_player"), name)

    def _on_message(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get = fields.get
        name = get("ability_name")
        if isinstance(name, str):
            self._add(tick, "message", index_of(get("player")), name)

    def _add(self, tick: int, source: str, entity: int | None, name: str) -> None:
        person, ability = self.match.people.at(entity), name_hash(name)
        row = {"tick": tick, **person_row(person), "ability": name, "ability_id": ability, "known_by": source}
        if (player := row.get("player")) is not None:
            other = self._alone.get((player, ability, "message" if source == "event" else "event"))
            if other and tick - other[-1]["tick"] <= _NEAR:
                other.pop()["known_by"] = "both"
                return
            self._alone.setdefault((player, ability, source), []).append(row)
        self._rows.append(row)
