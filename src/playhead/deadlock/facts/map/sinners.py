"""Table ``sinners_sacrifice``: the life of the machines of that name, and the blows that they took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.combat.damage import MESSAGE
from playhead.deadlock.sources.entities import POSITION_FIELDS, number
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import person_columns, person_row
from playhead.deadlock.sources.words import SINNERS
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

_FIELDS = ("m_iHealth", "m_iMaxHealth", "m_iTeamNum", "m_lifeState")

SINNERS_SACRIFICE = TableSchema.of(
    "sinners_sacrifice",
    "One row for each event of a Sinner's Sacrifice (CNPC_Neutral_SinnersSacrifice, also of the hideout): it "
    "appeared; it was hit, by a message Damage or by a loss of health without one; it was restored.",
    *words("tick! seconds game_seconds"),
    word("event", "spawned, hit or reset."),
    *words("entity entity_serial"),
    *person_columns("attacker_"),
    word("damage", "Of the message, or the lost health; null for other events."),
    *words("health max_health team side x y z"),
)


@TABLES.maker_of(SINNERS_SACRIFICE)
class SinnersSacrifice(DeadlockFacts):
    """Table ``sinners_sacrifice``."""

    fields: Mapping[str, Sequence[str]] = dict.fromkeys(SINNERS, (*_FIELDS, *POSITION_FIELDS))

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._health: dict[int, int | None] = {}

    def attach(self, playback: Playback) -> None:
        self.match.watch(_FIELDS, self._on_machine, *SINNERS)
        self.match.on_fields(playback, MESSAGE, self._on_damage)

    def _add(self, machine: Entity, event: str, **values: Any) -> None:
        row: dict[str, Any] = {"tick": self.match.tick, "event": event, "entity": machine.index}
        row["corner"] = self.match.grid.corner_place(machine)
        row |= {"entity_serial": machine.serial, "health": number(machine, "m_iHealth")}
        row |= {"max_health": number(machine, "m_iMaxHealth"), "team": number(machine, "m_iTeamNum")}
        self._rows.append(row | values)

    def _on_machine(self, machine: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._health.pop(machine.handle, None)
            return
        known, now = machine.handle in self._health, number(machine, "m_iHealth")
        before = self._health.get(machine.handle)
        self._health[machine.handle] = now
        if not known:
            self._add(machine, "spawned")
        elif before is not None and now is not None and now != before:
            if now > before:
                self._add(machine, "reset")
            else:
                self._add(machine, "hit", damage=before - now)

    def _on_damage(self, tick: int, fields: Mapping[Any, Any]) -> None:
        """A message comes after the entities of its packet: it replaces the loss of health of that packet."""
        machine = self.match.people.entity(fields.get("entindex_victim"))
        if machine is None or machine.class_name not in SINNERS:
            return
        last = self._rows[-1] if self._rows else {}
        alone = last.get("tick") == tick and last.get("entity") == machine.index and last.get("event") == "hit"
        if alone and "attacker_player" not in last:
            self._rows.pop()
        person = self.match.people.at(fields.get("entindex_attacker"))
        attacker = {"attacker_player": None, **person_row(person, "attacker_")}
        self._add(machine, "hit", damage=fields.get("damage"), **attacker)
