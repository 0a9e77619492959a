"""The tracker's events: units, upgrades and statistics, from 2.0.8 on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from playhead.blizzard.events.base import Event, Scope, raw
from playhead.blizzard.events.conversions import AS_TEXT, KNOWN_TEXT, OF_TRACKER, Renamed, Spots, UnitTag, unit_tag
from playhead.blizzard.events.scope import RECYCLE_BITS
from playhead.blizzard.members.text import decode_text

__all__ = ["unit_tag"]

#: Blizzard's names of the statistics, without ``m_scoreValue``.
STATS = (
    "MineralsCurrent VespeneCurrent MineralsCollectionRate VespeneCollectionRate WorkersActiveCount "
    "MineralsUsedInProgressArmy MineralsUsedInProgressEconomy MineralsUsedInProgressTechnology "
    "VespeneUsedInProgressArmy VespeneUsedInProgressEconomy VespeneUsedInProgressTechnology "
    "MineralsUsedCurrentArmy MineralsUsedCurrentEconomy MineralsUsedCurrentTechnology "
    "VespeneUsedCurrentArmy VespeneUsedCurrentEconomy VespeneUsedCurrentTechnology "
    "MineralsLostArmy MineralsLostEconomy MineralsLostTechnology "
    "VespeneLostArmy VespeneLostEconomy VespeneLostTechnology "
    "MineralsKilledArmy MineralsKilledEconomy MineralsKilledTechnology "
    "VespeneKilledArmy VespeneKilledEconomy VespeneKilledTechnology FoodUsed FoodMade "
    "MineralsUsedActiveForces VespeneUsedActiveForces "
    "MineralsFriendlyFireArmy MineralsFriendlyFireEconomy MineralsFriendlyFireTechnology "
    "VespeneFriendlyFireArmy VespeneFriendlyFireEconomy VespeneFriendlyFireTechnology"
).split()


#: Statistics that have words of their own in the vocabulary.
_WORDS = {
    "MineralsCurrent": "minerals",
    "VespeneCurrent": "vespene",
    "WorkersActiveCount": "workers",
    "FoodUsed": "supply",
    "FoodMade": "supply_made",
}


def stat_column(name: str) -> str:
    """Return the column of a statistic: ``MineralsUsedCurrentArmy`` as ``minerals_used_current_army``."""
    return _WORDS.get(name) or re.sub(r"(?<=.)(?=[A-Z])", "_", name).lower()


def stat_path(name: str) -> str:
    """Return the path of a statistic in `PlayerStatsEvent`."""
    return f"m_stats.m_scoreValue{name}"


def is_supply(name: str) -> bool:
    """Return whether a statistic is in units of supply, `SUPPLY_UNIT` each."""
    return name.startswith("Food")


#: Stored value of one unit of supply.
SUPPLY_UNIT = 4096.0


def stat_value(name: str, stored: float | None) -> float | None:
    """Return a statistic as in the tables: supply in units of supply, all others as stored."""
    return stored / SUPPLY_UNIT if stored is not None and is_supply(name) else stored


#: Index and recycle of units: of the event's unit, of its killer, of its creator.
UNIT = ("m_unitTagIndex", "m_unitTagRecycle")
KILLER = ("m_killerUnitTagIndex", "m_killerUnitTagRecycle")
CREATOR = ("m_creatorUnitTagIndex", "m_creatorUnitTagRecycle")
CREATOR_ABILITY = "m_creatorAbilityName"
#: The first base build whose tracker has the creators of units.
FIRST_CREATORS = 54724


def split_tag(tag: int) -> tuple[int, int]:
    """Return index and recycle of a tag."""
    return tag >> RECYCLE_BITS, tag & ((1 << RECYCLE_BITS) - 1)


_STAT_COLUMNS = {f"m_scoreValue{name}": stat_column(name) for name in STATS}
_SUPPLY_FIELDS = frozenset(f"m_scoreValue{name}" for name in STATS if is_supply(name))


class PlayerSetupEvent(Event):
    """A player's setup: `setup_user` and `setup_slot` in the lobby, `control_id` 1 human, 2 computer."""

    control_id: int | None = raw("m_type")
    setup_user: int | None = raw("m_userId")
    setup_slot: int | None = raw("m_slotId")


class PlayerStatsEvent(Event):
    """Statistics of a player under the names of the table ``player_series``."""

    stats: Mapping[str, float] | None = raw("m_stats", convert=Renamed(_STAT_COLUMNS, _SUPPLY_FIELDS, SUPPLY_UNIT))


class UnitBornEvent(Event):
    """A unit appeared complete. `unit` is its tag; `x`, `y` in cells."""

    unit: int | None = raw("", convert=UnitTag(*UNIT))
    unit_type: str = raw("m_unitTypeName", convert=AS_TEXT, default="")
    upkeep_player: int | None = raw("m_upkeepPlayerId")
    x: float | None = raw("m_x", convert=OF_TRACKER)
    y: float | None = raw("m_y", convert=OF_TRACKER)
    creator_unit: int | None = raw("", convert=UnitTag(*CREATOR))
    creator_ability: str | None = raw(CREATOR_ABILITY, convert=KNOWN_TEXT)


class UnitInitEvent(Event):
    """A unit's construction began. `unit` is its tag; `x`, `y` in cells."""

    unit: int | None = raw("", convert=UnitTag(*UNIT))
    unit_type: str = raw("m_unitTypeName", convert=AS_TEXT, default="")
    upkeep_player: int | None = raw("m_upkeepPlayerId")
    x: float | None = raw("m_x", convert=OF_TRACKER)
    y: float | None = raw("m_y", convert=OF_TRACKER)


class UnitDoneEvent(Event):
    """A unit's construction ended."""

    unit: int | None = raw("", convert=UnitTag(*UNIT))


class UnitDiedEvent(Event):
    """A unit died or left the map at `x`, `y` (cells), by an attacker if known. Table ``units`` has its type."""

    unit: int | None = raw("", convert=UnitTag(*UNIT))
    attacker_player: int | None = raw("m_killerPlayerId")
    attacker_unit: int | None = raw("", convert=UnitTag(*KILLER))
    x: float | None = raw("m_x", convert=OF_TRACKER)
    y: float | None = raw("m_y", convert=OF_TRACKER)


class UnitRevivedEvent(Event):
    """A unit lives again at `x`, `y` (cells): a hero."""

    unit: int | None = raw("", convert=UnitTag(*UNIT))
    x: float | None = raw("m_x", convert=OF_TRACKER)
    y: float | None = raw("m_y", convert=OF_TRACKER)


class UnitOwnerChangeEvent(Event):
    """A unit changed its owner to `player`."""

    unit: int | None = raw("", convert=UnitTag(*UNIT))
    upkeep_player: int | None = raw("m_upkeepPlayerId")


class UnitTypeChangeEvent(Event):
    """A unit changed its type."""

    unit: int | None = raw("", convert=UnitTag(*UNIT))
    unit_type: str = raw("m_unitTypeName", convert=AS_TEXT, default="")


class UpgradeEvent(Event):
    """A player got an upgrade, by `count` levels; sprays and similar rewards are upgrades too."""

    upgrade: str = raw("m_upgradeTypeName", convert=AS_TEXT, default="")
    count: int | None = raw("m_count")


class UnitPositionsEvent(Event):
    """Positions of units that took or dealt damage: ``(unit index, x, y)`` each, in cells."""

    spots: tuple[tuple[int, float, float], ...] = raw("", convert=Spots(), default=())


#: Fractions of a fixed-point number of a map's statistics.
_FIXED = 4096.0


def _by_key(items: Any) -> Iterator[tuple[str, Any]]:
    """Yield keys and values. An item that lacks one of them is damage, which the stream reports."""
    for item in items or ():
        key, value = item.get("__parent", {}).get("m_key"), item.get("m_value")
        if key is not None and value is not None:
            yield decode_text(key), value


def _texts_by_key(items: Any, scope: Scope) -> dict[str, str]:
    return {key: decode_text(value) for key, value in _by_key(items)}


def _numbers_by_key(items: Any, scope: Scope) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for key, value in _by_key(items):
        found[key] = (*found.get(key, ()), value)
    return found


def _fixed_by_key(items: Any, scope: Scope) -> dict[str, float]:
    return {key: value / _FIXED for key, value in _by_key(items)}


class StatGameEvent(Event):
    """The map reported something under a name of its own, with `texts`, `numbers` and `fractions` by key. A key
    of numbers may come several times, as those of the players who killed a hero."""

    statistic: str = raw("m_eventName", convert=AS_TEXT, default="")
    texts: Mapping[str, str] | None = raw("m_stringData", convert=_texts_by_key)
    numbers: Mapping[str, tuple[int, ...]] | None = raw("m_intData", convert=_numbers_by_key)
    fractions: Mapping[str, float] | None = raw("m_fixedData", convert=_fixed_by_key)


def _scores(instances: Any, scope: Scope) -> dict[str, tuple[int | None, ...]]:
    """Return the last value of each player, by the name of the score."""
    return {
        decode_text(each["m_name"]): tuple(
            known[-1].get("m_value") if known else None for known in each["m_values"]
        )
        for each in instances or ()
        if {"m_name", "m_values"} <= each.keys()
    }


class ScoreResultEvent(Event):
    """The scores at the end of the game: by name, the value of each player in the order of their numbers."""

    scores: Mapping[str, tuple[int | None, ...]] | None = raw("m_instanceList", convert=_scores)


class HeroBannedEvent(Event):
    """A hero was banned by a team, in a draft."""

    hero: str = raw("m_hero", convert=AS_TEXT, default="")
    team_id: int | None = raw("m_controllingTeam")


class HeroPickedEvent(Event):
    """A hero was picked by a player, in a draft."""

    hero: str = raw("m_hero", convert=AS_TEXT, default="")
    picker: int | None = raw("m_controllingPlayer")


class HeroSwappedEvent(Event):
    """A hero was given to another player, in a draft."""

    hero: str = raw("m_hero", convert=AS_TEXT, default="")
    picker: int | None = raw("m_newControllingPlayer")
