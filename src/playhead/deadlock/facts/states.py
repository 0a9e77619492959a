"""Tables ``player_states``, ``imbues`` and ``stat_bonuses``: what effects and items do to a player."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import names_of, number, real
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN, person_columns, person_row
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_PROPERTY = "m_pModifierProp."
#: Column and mask of each group of states.
_MASKS = {
    "state_ids": "m_bvEnabledPredictedStateMask",
    "enabled_state_ids": "m_bvEnabledStateMask",
    "disabled_state_ids": "m_bvDisabledStateMask",
}
# More words of 32 bits than a mask has, and more imbued items than a player has.
_MOST_WORDS, _MOST = 16, 32
# Builds of 2026 have a list of abilities in each entry, others one.
_IMBUES, _ITEM, _ABILITY, _LIST = "m_vecImbuements", "m_SourceItemID", "m_TargetAbilityID", "m_vecImbuedAbilities"
_MOST_ABILITIES = 4
_ENTRY = (_ITEM, _ABILITY, _LIST, *(f"{_LIST}.{place:04}" for place in range(_MOST_ABILITIES)))

PLAYER_STATES = TableSchema.of(
    "player_states",
    "One row for each hero's body when it is first seen, and at each change of the states that effects put it in: "
    "the bits of three masks, by number. The numbers (EModifierState) differ from build to build, and no "
    "recording names them.",
    *words("tick! seconds game_seconds"),
    *person_columns(),
    *(
        Column(name, "list<int32>", f"Bits of {_PROPERTY}{mask} that are set; null where the build lacks it.")
        for name, mask in _MASKS.items()
    ),
)
IMBUES = TableSchema.of(
    "imbues",
    f"One row for each time in which an item improved an ability of its holder: {_IMBUES} of the controller.",
    *words("tick! seconds game_seconds end_tick end_seconds end_game_seconds"),
    *person_columns(),
    *words("item item_id ability ability_id"),
)


@TABLES.maker_of(PLAYER_STATES)
class PlayerStates(DeadlockFacts):
    fields: Mapping[str, Sequence[str]] = {PAWN: names_of(f"{_PROPERTY}{mask}.????" for mask in _MASKS.values())}

    def _declared(self, mask: str) -> Iterator[str]:
        for place in range(_MOST_WORDS):
            name = self.match.declared.name(PAWN, f"{_PROPERTY}{mask}.{place:04}")
            if name is None:
                return
            yield name

    def attach(self, playback: Playback) -> None:
        self._known: dict[int, tuple[Any, ...]] = {}
        self._masks = {column: list(self._declared(mask)) for column, mask in _MASKS.items()}
        self._watched = [name for names in self._masks.values() for name in names]
        if self._watched:
            self.match.watch(self._watched, self._on_pawn, PAWN)

    def _on_pawn(self, pawn: Entity, op: EntityOp) -> None:
        person = self.match.people.at(pawn.index)
        if op & EntityOp.DELETED or person is None:
            return
        states = tuple(tuple(number(pawn, name) or 0 for name in names) for names in self._masks.values())
        if self._known.get(person.player) != states:
            self._known[person.player] = states
            row: dict[str, Any] = {"tick": self.match.tick, **person_row(person)}
            for column, mask in zip(self._masks, states, strict=True):
                row[column] = list(_bits(mask)) if mask else None
            self._rows.append(row)


@TABLES.maker_of(IMBUES)
class Imbues(DeadlockFacts):
    fields: Mapping[str, Sequence[str]] = {
        CONTROLLER: names_of((_IMBUES, *(f"{_IMBUES}.????.{name}" for name in _ENTRY)))
    }

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._field = match.declared.name(CONTROLLER, _IMBUES)
        self._held: dict[int, dict[tuple[int, int], dict[str, Any]]] = {}

    def attach(self, playback: Playback) -> None:
        if self._field is not None:
            entries = (f"{self._field}.{place:04}.{name}" for place in range(_MOST) for name in _ENTRY)
            self.match.watch((self._field, *entries), self._on_controller, CONTROLLER)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        held = self._held.setdefault(controller.index, {})
        now = set() if op & EntityOp.DELETED else set(self._pairs(controller))
        for pair in [*held]:
            if pair not in now:
                held.pop(pair)["end_tick"] = self.match.tick
        for item, ability in sorted(now - held.keys()):
            person = person_row(self.match.people.at(controller.index))
            row = {"tick": self.match.tick, "item_id": item, "ability_id": ability, **person}
            held[item, ability] = row
            self._rows.append(row)

    def _pairs(self, controller: Entity) -> Iterator[tuple[int, int]]:
        for place in range(min(number(controller, self._field or "") or 0, _MOST)):
            path = f"{self._field}.{place:04}"
            item = number(controller, f"{path}.{_ITEM}")
            listed = min(number(controller, f"{path}.{_LIST}") or 0, _MOST_ABILITIES)
            names = (_ABILITY, *(f"{_LIST}.{each:04}" for each in range(listed)))
            for ability in (number(controller, f"{path}.{name}") for name in names):
                if item and ability:
                    yield item, ability


def _bits(mask: Sequence[int]) -> Iterator[int]:
    """Yield the numbers of the bits that are set in a mask of words of 32 bits."""
    for place, part in enumerate(mask):
        for bit in range(32):
            if part >> bit & 1:
                yield 32 * place + bit


#: The vector of bonuses in a controller.
VALUES = "m_vecStatViewerModifierValues"
# More bonuses than a player has.
_MOST_BONUSES = 64
#: Stat and sign by the game's number of the value. Builds 10725 and 10854 number the values otherwise, and no
#: number occurs in both with two meanings (as boon-deadlock 0.9.0 found, MIT licence).
STATS: Mapping[int, tuple[str, float]] = {
    **dict.fromkeys((31, 43), ("health", 1.0)),
    **dict.fromkeys((51, 158), ("spirit_power", 1.0)),
    **dict.fromkeys((79, 91), ("fire_rate", 1.0)),
    **dict.fromkeys((18, 19), ("weapon_damage", 1.0)),
    **dict.fromkeys((109, 98), ("cooldown_reduction", 1.0)),
    **dict.fromkeys((172, 63), ("ammo", 1.0)),
    32: ("spirit_resist", 1.0),
    33: ("spirit_resist", -1.0),
    34: ("bullet_resist", 1.0),
    35: ("bullet_resist", -1.0),
}

STAT_BONUSES = TableSchema.of(
    "stat_bonuses",
    "One row for each change of a sum of permanent bonuses (of the urn, of breakable props): "
    "m_vecStatViewerModifierValues of the controller. A bonus holds until the next row of its number.",
    *words("tick! seconds game_seconds"),
    *person_columns(),
    word(
        "stat",
        "health, spirit_power, fire_rate, weapon_damage, cooldown_reduction, ammo, spirit_resist or "
        "bullet_resist; null for another number.",
    ),
    Column("stat_id", "int64", "m_eValType: the build's number of the value."),
    Column("amount", "float64", "The change; a loss is negative."),
    word("total", "Afterwards."),
)


@TABLES.maker_of(STAT_BONUSES)
class StatBonuses(DeadlockFacts):
    fields: Mapping[str, Sequence[str]] = {
        CONTROLLER: names_of((VALUES, f"{VALUES}.????.m_eValType", f"{VALUES}.????.m_flValue"))
    }

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._known: dict[int, dict[int, float]] = {}
        self._field = match.declared.name(CONTROLLER, VALUES)

    def attach(self, playback: Playback) -> None:
        if self._field is None:
            return
        places = (f"{self._field}.{place:04}.m_flValue" for place in range(_MOST_BONUSES))
        self.match.watch((self._field, *places), self._on_controller, CONTROLLER)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            return
        sums: dict[int, float] = {}
        for place in range(min(number(controller, self._field or "") or 0, _MOST_BONUSES)):
            path = f"{self._field}.{place:04}"
            kind = number(controller, f"{path}.m_eValType")
            if kind:
                sums[kind] = sums.get(kind, 0.0) + (real(controller, f"{path}.m_flValue") or 0.0)
        before = self._known.get(controller.index, {})
        self._known[controller.index] = sums
        person = person_row(self.match.people.at(controller.index))
        for kind in sorted(before.keys() | sums.keys()):
            total, earlier = sums.get(kind, 0.0), before.get(kind, 0.0)
            if total != earlier:
                stat, sign = STATS.get(kind, (None, 1.0))
                row = {"tick": self.match.tick, "stat": stat, "stat_id": kind, **person}
                self._rows.append(row | {"amount": sign * (total - earlier), "total": sign * total})
