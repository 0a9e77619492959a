"""Table ``couriers``: the states, items, deliveries and deaths of each courier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.combat_log import NAMES, Entry, signed
from playhead.dota2.sources.entities import (
    NAME_FIELD,
    NAME_TABLE,
    POSITION_FIELDS,
    integer,
    npc_name,
    position,
    whole,
)
from playhead.dota2.sources.lives import SAME_DEATH, CombatEntries, attacker_player
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import NO_HANDLE, roster_fields
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldSlots, FieldWatch
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_CLASS = "CDOTA_Unit_Courier"
_STATE, _LIFE, _TEAM, _OWNER = "m_nCourierState", "m_lifeState", "m_iTeamNum", "m_nPlayerOwnerID"
_ITEMS = tuple(f"m_hItems.{slot:04}" for slot in range(9))
# Courier states of Valve's API for bots.
_STATES = ("idle", "at_base", "moving", "delivering_items", "returning_to_base", "dead")
_DELIVERING, _DEAD = 3, 5

COURIERS = TableSchema.of(
    "couriers",
    "One row for each stretch in which a courier is in one state: m_nCourierState of CDOTA_Unit_Courier, and dead "
    "while its m_lifeState is not 0.",
    *words("tick seconds game_seconds end_tick end_seconds end_game_seconds"),
    word("player", "The owner: m_nPlayerOwnerID."),
    *words("hero team side"),
    word("state", f"{', '.join(_STATES)}; null for other numbers."),
    word("state_id"),
    *words("x y end_x end_y"),
    word("items", "Those that it carried at any time in the stretch."),
    Column(
        "delivered",
        "list<string>",
        "Of them, those that it no longer carried at the end of a stretch of delivering_items; who has them then, "
        "`items_held` tells. Null for other states.",
    ),
    word("attacker", "Of its death; null for other states."),
    *words("attacker_player attacker_hero attacker_team attacker_side"),
    word("entity"),
)


@TABLES.maker_of(COURIERS)
class Couriers(PlayerFacts):
    string_tables = (NAME_TABLE, NAMES)
    fields = roster_fields(
        {
            _CLASS: (_STATE, _LIFE, _TEAM, _OWNER, *_ITEMS, *POSITION_FIELDS),
            "CDOTA_Item*": (NAME_FIELD,),
            "CODTA_Item*": (NAME_FIELD,),
        }
    )

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._open: dict[int, dict[str, Any]] = {}
        # Names of the items that a courier carried in its present state, by handle.
        self._carried: dict[int, dict[int, str]] = {}
        self._slots = FieldSlots(_ITEMS)
        self._deaths = CombatEntries(self.match.combat_log(playback), playback, ("DEATH",))
        playback.entities.on_entity(FieldWatch((_STATE, _LIFE, *_ITEMS), self._on_courier), _CLASS)

    def _on_courier(self, courier: Entity, op: EntityOp) -> None:
        row = self._open.get(courier.index)
        if op & EntityOp.DELETED:
            self._end(courier)
            return
        state = _DEAD if integer(courier, _LIFE) else integer(courier, _STATE)
        if row is None or row["state_id"] != state:
            self._end(courier)
            self._begin(courier, state)
        carried = self._carried[courier.index]
        for handle in self._handles(courier):
            item = None if handle in carried else self._playback.entities.find_by_handle(handle)
            if item is not None:
                carried[handle] = npc_name(self._playback.entities, item) or item.class_name

    def _handles(self, courier: Entity) -> list[int]:
        found = map(whole, self._slots.values(courier))
        return [handle for handle in found if handle is not None and handle != NO_HANDLE]

    def _begin(self, courier: Entity, state: int | None) -> None:
        x, y = position(courier)
        row = self._open[courier.index] = {
            "tick": max(0, self._playback.tick),
            "player": integer(courier, _OWNER),
            "team": integer(courier, _TEAM),
            "state_id": state,
            "state": _STATES[state] if state is not None and 0 <= state < len(_STATES) else None,
            "x": x,
            "y": y,
            "entity": courier.index,
        }
        self._carried[courier.index] = {}
        self._rows.append(row)

    def _end(self, courier: Entity) -> None:
        row = self._open.pop(courier.index, None)
        if row is not None:
            row["end_tick"] = self._playback.tick
            row["end_x"], row["end_y"] = position(courier)
            self._fill(row, set(self._handles(courier)))

    def _fill(self, row: dict[str, Any], now: set[int]) -> None:
        """Fill the items of a stretch, given the courier's items at its end."""
        carried = self._carried.pop(row["entity"])
        row["items"] = list(carried.values())
        if row["state_id"] == _DELIVERING:
            row["delivered"] = [name for handle, name in carried.items() if handle not in now]

    def tables(self) -> Mapping[str, pa.Table]:
        for row in self._open.values():
            self._fill(row, set(self._carried[row["entity"]]))
        logged = self._deaths.on_targets(lambda name: "courier" in name)
        heroes = self._roster.hero_names()
        for row in self._rows:
            if row["player"] is not None and row["player"] not in heroes:
                row["player"] = None
            if row["state_id"] == _DEAD and (death := _death_of(row, logged)) is not None:
                player = attacker_player(death, self._deaths, self._roster)
                row |= {
                    "attacker": self._deaths.name(death.attacker),
                    "attacker_player": player,
                    "attacker_hero": heroes.get(-1 if player is None else player),
                    "attacker_team": signed(death.attacker_team),
                }
        return super().tables()


def _death_of(row: Mapping[str, Any], logged: list[Entry]) -> Entry | None:
    """Return the entry of the log, which has no number of a courier: the nearest of its team, taken once."""
    near = [
        entry
        for entry in logged
        if abs(entry.tick - row["tick"]) <= SAME_DEATH and signed(entry.target_team) in (None, row["team"])
    ]
    found = min(near, key=lambda entry: abs(entry.tick - row["tick"]), default=None)
    if found is not None:
        logged.remove(found)
    return found
