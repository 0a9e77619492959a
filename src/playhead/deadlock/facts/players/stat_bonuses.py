"""Table ``stat_bonuses``: changes of permanent bonuses of heroes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import names_of, number, real
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, person_columns, person_row
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: The vector of bonuses in a controller.
VALUES = "m_vecStatViewerModifierValues"
# More bonuses than a player has.
_MOST = 64
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
    """Table ``stat_bonuses``."""

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
        places = (f"{self._field}.{place:04}.m_flValue" for place in range(_MOST))
        self.match.watch((self._field, *places), self._on_controller, CONTROLLER)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            return
        sums: dict[int, float] = {}
        for place in range(min(number(controller, self._field or "") or 0, _MOST)):
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
