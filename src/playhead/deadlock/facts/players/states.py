"""Tables ``player_states`` and ``imbues``: states that effects put a player in, abilities that items improve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import names_of, number
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN, person_columns, person_row
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import words

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
    """Table ``player_states``."""

    fields: Mapping[str, Sequence[str]] = {PAWN: names_of(f"{_PROPERTY}{mask}.????" for mask in _MASKS.values())}

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._known: dict[int, tuple[Any, ...]] = {}
        self._masks = {column: list(self._declared(mask)) for column, mask in _MASKS.items()}
        self._watched = [name for names in self._masks.values() for name in names]

    def _declared(self, mask: str) -> Iterator[str]:
        for place in range(_MOST_WORDS):
            name = self.match.declared.name(PAWN, f"{_PROPERTY}{mask}.{place:04}")
            if name is None:
                return
            yield name

    def attach(self, playback: Playback) -> None:
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
    """Table ``imbues``."""

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
    for place, word in enumerate(mask):
        for bit in range(32):
            if word >> bit & 1:
                yield 32 * place + bit
