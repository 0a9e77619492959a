"""What the tracker writes about units, upgrades and statistics, from 2.0.8 on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from playhead.sc2.events.base import Event, Scope, as_text, known_text, of_tracker, raw
from playhead.sc2.events.unit_tag import unit_tag
from playhead.sc2.tables.schemas import STATS, stat_column

_FOOD = 4096.0
_NAMES = {f"m_scoreValue{name}": stat_column(name) for name in STATS}


def _unit(fields: Mapping[str, Any], _: Scope) -> int | None:
    return unit_tag(fields.get("m_unitTagIndex"), fields.get("m_unitTagRecycle"))


def _killer(fields: Mapping[str, Any], _: Scope) -> int | None:
    return unit_tag(fields.get("m_killerUnitTagIndex"), fields.get("m_killerUnitTagRecycle"))


def _creator(fields: Mapping[str, Any], _: Scope) -> int | None:
    return unit_tag(fields.get("m_creatorUnitTagIndex"), fields.get("m_creatorUnitTagRecycle"))


def _stats(values: Mapping[str, int], _: Scope) -> Mapping[str, float]:
    return MappingProxyType(
        {
            _NAMES.get(name, name): value / _FOOD if name.startswith("m_scoreValueFood") else value
            for name, value in values.items()
        }
    )


def _spots(fields: Mapping[str, Any], scope: Scope) -> tuple[tuple[int, float, float], ...]:
    spots = []
    index, items = fields.get("m_firstUnitIndex") or 0, fields.get("m_items") or []
    # Triples of index delta, x and y; the first index stands alone.
    for place in range(0, len(items) - 2, 3):
        index += items[place]
        spots.append((index, items[place + 1] * scope.tracker_cells, items[place + 2] * scope.tracker_cells))
    return tuple(spots)


@dataclass(frozen=True, slots=True)
class PlayerSetupEvent(Event):
    """Who a player is: `setup_user` and `setup_slot` in the lobby, `type` as stored (1 human, 2 computer)."""

    type: int | None = raw("m_type")
    setup_user: int | None = raw("m_userId")
    setup_slot: int | None = raw("m_slotId")


@dataclass(frozen=True, slots=True)
class PlayerStatsEvent(Event):
    """Statistics of a player under the names of the table ``player_stats``; food in supply."""

    stats: Mapping[str, float] | None = raw("m_stats", convert=_stats)


@dataclass(frozen=True, slots=True)
class UnitBornEvent(Event):
    """A unit appeared complete. `unit` is its tag; `x`, `y` in cells."""

    unit: int | None = raw("", convert=_unit)
    unit_type: str = raw("m_unitTypeName", convert=as_text, default="")
    upkeep_player: int | None = raw("m_upkeepPlayerId")
    x: float | None = raw("m_x", convert=of_tracker)
    y: float | None = raw("m_y", convert=of_tracker)
    creator_unit: int | None = raw("", convert=_creator)
    creator_ability: str | None = raw("m_creatorAbilityName", convert=known_text)


@dataclass(frozen=True, slots=True)
class UnitInitEvent(Event):
    """A unit's construction began. `unit` is its tag; `x`, `y` in cells."""

    unit: int | None = raw("", convert=_unit)
    unit_type: str = raw("m_unitTypeName", convert=as_text, default="")
    upkeep_player: int | None = raw("m_upkeepPlayerId")
    x: float | None = raw("m_x", convert=of_tracker)
    y: float | None = raw("m_y", convert=of_tracker)


@dataclass(frozen=True, slots=True)
class UnitDoneEvent(Event):
    """A unit's construction ended."""

    unit: int | None = raw("", convert=_unit)


@dataclass(frozen=True, slots=True)
class UnitDiedEvent(Event):
    """A unit died or left the map at `x`, `y` (cells); the killer is not always known."""

    unit: int | None = raw("", convert=_unit)
    killer_player: int | None = raw("m_killerPlayerId")
    killer_unit: int | None = raw("", convert=_killer)
    x: float | None = raw("m_x", convert=of_tracker)
    y: float | None = raw("m_y", convert=of_tracker)


@dataclass(frozen=True, slots=True)
class UnitOwnerChangeEvent(Event):
    """A unit is `player`'s from now on."""

    unit: int | None = raw("", convert=_unit)
    upkeep_player: int | None = raw("m_upkeepPlayerId")


@dataclass(frozen=True, slots=True)
class UnitTypeChangeEvent(Event):
    """A unit is of another type from now on."""

    unit: int | None = raw("", convert=_unit)
    unit_type: str = raw("m_unitTypeName", convert=as_text, default="")


@dataclass(frozen=True, slots=True)
class UpgradeEvent(Event):
    """A player got an upgrade, by `count` levels; sprays and the like are upgrades too."""

    upgrade: str = raw("m_upgradeTypeName", convert=as_text, default="")
    count: int | None = raw("m_count")


@dataclass(frozen=True, slots=True)
class UnitPositionsEvent(Event):
    """Where units that took or dealt damage are: ``(unit index, x, y)`` each, in cells."""

    spots: tuple[tuple[int, float, float], ...] = raw("", convert=_spots, default=())
