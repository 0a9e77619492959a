"""`CombatSums`: the combat log by player, as OpenDota's parser sums and lists it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, floor
from typing import Any

from playhead.runtime.records import NamedTuple

#: Columns of table ``combat_log`` that are read.
LOG_COLUMNS = (
    *("tick", "game_seconds", "log_type", "attacker", "attacker_owner", "target", "inflictor", "value", "item"),
    *("attacker_is_illusion", "target_is_hero", "target_is_illusion", "will_reincarnate", "stack_count"),
    *("gold_reason_id", "xp_reason_id"),
)
#: Types of entries that are read.
LOG_TYPES = (
    *("DAMAGE", "HEAL", "DEATH", "ABILITY", "ITEM", "GOLD", "XP", "PURCHASE", "BUYBACK", "MULTIKILL"),
    "KILLSTREAK",
)

_MAPS = (
    *("damage", "damage_taken", "damage_inflictor", "damage_inflictor_received", "damage_targets", "hero_hits"),
    *("healing", "killed", "killed_by", "ability_uses", "ability_targets", "item_uses", "purchase"),
    *("gold_reasons", "xp_reasons", "multi_kills", "kill_streaks"),
)
_LISTS = ("purchase_log", "kills_log", "buyback_log")
_BUILDINGS = ("_tower", "_rax_", "_healers", "_fort")
_MINUTE = 60
# Largest distance, in ticks, between the entries of a hero and of its clones.
_WITH_CLONES = 2

Row = dict[str, Any]


def half_up(number: float) -> int:
    """Round to a whole number, halves up."""
    return floor(number + 0.5)


def whole(number: float | None) -> int | None:
    """As `half_up`; None for None."""
    return None if number is None else half_up(number)


class WholeSeconds:
    """Converts times as OpenDota does: it rounds the server's clock, and subtracts the horn's rounded time on
    it."""

    def __init__(self, horn: float) -> None:
        self._horn = horn
        self._rounded = half_up(horn)

    def __call__(self, game_seconds: float | None) -> int | None:
        return None if game_seconds is None else half_up(game_seconds + self._horn) - self._rounded


def bare(name: str | None) -> str | None:
    """Return the name of an item without ``item_``; other names as they are."""
    return None if name is None else name.removeprefix("item_")


def key_of(name: str | None) -> str:
    """Return a name as a key of JSON: ``null`` for none, as OpenDota writes attacks."""
    return "null" if name is None else name


def count(sums: dict[str, Any], *keys: str, value: int = 1) -> None:
    """Add to the number under these keys, of maps within maps."""
    *outer, last = keys
    for key in outer:
        sums = sums.setdefault(key, {})
    sums[last] = sums.get(last, 0) + value


class Act(NamedTuple):
    """A part of the log that teamfights sum again: `value` of `kind` by a player at a time."""

    time: int
    kind: str
    player: int | None
    key: str
    value: int


class CombatSums:
    """The sums and logs of the combat log.

    Args:
        rows: entries of table ``combat_log``, with `LOG_COLUMNS`.
        heroes: player by name of the hero.
        slot: `player_slot` by player.
        whole_seconds: converts times.
        deaths: ticks of the deaths that count, by player.

    Attributes:
        players: maps and lists by their names in OpenDota, by player.
        largest: the largest hit on another hero, by player.
        buildings: destroyed buildings, as objectives.
        acts: what teamfights sum.
    """

    def __init__(
        self,
        rows: Iterable[Row],
        heroes: Mapping[str, int],
        slot: Mapping[int, int],
        whole_seconds: WholeSeconds,
        deaths: Mapping[int, Sequence[int]],
    ) -> None:
        self._heroes, self._slot, self._deaths = heroes, slot, deaths
        self.players: dict[int, dict[str, Any]] = {
            player: {**{name: {} for name in _MAPS}, **{name: [] for name in _LISTS}} for player in slot
        }
        self.largest: dict[int, Row] = {}
        self.buildings: list[Row] = []
        self.acts: list[Act] = []
        # Damage and healing on other heroes, by kind, player and minute.
        self._minutes: dict[tuple[str, int, int], int] = {}
        handlers: dict[str, Callable[[Row, int], None]] = {
            "DAMAGE": self._damage,
            "HEAL": self._heal,
            "DEATH": self._death,
            "ABILITY": self._ability,
            "ITEM": self._item,
            "GOLD": self._gold,
            "XP": self._gold,
            "PURCHASE": self._purchase,
            "BUYBACK": self._buyback,
            "MULTIKILL": self._streak,
            "KILLSTREAK": self._streak,
        }
        for row in rows:
            time = whole_seconds(row["game_seconds"])
            if row["log_type"] in handlers and time is not None:
                handlers[row["log_type"]](row, time)

    def by_minute(self, kind: str, player: int, minutes: int) -> list[int]:
        """Return the running sum of ``hero_damage`` or ``hero_healing`` at each minute from 0:00 on."""
        total, found = 0, []
        for minute in range(minutes):
            total += self._minutes.get((kind, player, minute), 0)
            found.append(total)
        return found

    def mark_smoked(self, time: int | None, player: int | None, hero: str | None) -> None:
        """Mark a kill as made from smoke."""
        for kill in self.players[player]["kills_log"] if player in self.players else ():
            if kill["time"] == time and kill["key"] == hero:
                kill["smoke"] = True

    # -- adding -----------------------------------------------------------------------------------------

    def _player(self, name: str | None) -> int | None:
        return None if name is None else self._heroes.get(name)

    def _add(self, player: int | None, *keys: str, value: int = 1) -> None:
        if player in self.players:
            count(self.players[player], *keys, value=value)

    def _damage(self, row: Row, time: int) -> None:
        source, target, value = _source(row), row["target"], row["value"] or 0
        player, key, inflictor = self._player(source), _target(row), key_of(bare(row["inflictor"]))
        self._add(player, "damage", key, value=value)
        if not _is_real_hero(row):
            return
        self._add(self._player(target), "damage_taken", key_of(source), value=value)
        self._add(player, "damage_targets", inflictor, key_of(target), value=value)
        self._add(player, "hero_hits", inflictor)
        self.acts.append(Act(time, "damage", player, key, value))
        if target == source:
            return
        self._count(player, "hero_damage", time, value)
        self._add(player, "damage_inflictor", inflictor, value=value)
        if source is not None and source.startswith("npc_dota_hero_"):
            self._add(self._player(target), "damage_inflictor_received", inflictor, value=value)
        if player in self.players and value > self.largest.get(player, {}).get("value", -1):
            self.largest[player] = {
                "type": "max_hero_hit",
                "time": time,
                "max": True,
                "inflictor": bare(row["inflictor"]),
                "unit": source,
                "key": key,
                "value": value,
                "slot": player,
                "player_slot": self._slot[player],
            }

    def _count(self, player: int | None, kind: str, time: int, value: int) -> None:
        if player is not None:
            place = kind, player, max(0, ceil(time / _MINUTE))
            self._minutes[place] = self._minutes.get(place, 0) + value

    def _heal(self, row: Row, time: int) -> None:
        source, value = _source(row), row["value"] or 0
        player = self._player(source)
        self._add(player, "healing", _target(row), value=value)
        if _is_real_hero(row):
            self.acts.append(Act(time, "healing", player, _target(row), value))
            if row["target"] != source:
                self._count(player, "hero_healing", time, value)

    def _death(self, row: Row, time: int) -> None:
        source, target, key = _source(row), row["target"], _target(row)
        player = self._player(source)
        if target is not None and any(part in target for part in _BUILDINGS):
            fallen: Row = {"time": time, "type": "building_kill", "unit": source, "key": key}
            if player in self.players:
                fallen |= {"slot": player, "player_slot": self._slot[player]}
            self.buildings.append(fallen)
        suicide = row["attacker"] == key and not row["attacker_is_illusion"]
        if row["will_reincarnate"] or suicide:
            return
        if _is_real_hero(row):
            dead = self._player(target)
            if dead is not None and not any(
                abs(tick - row["tick"]) <= _WITH_CLONES for tick in self._deaths.get(dead, ())
            ):
                return  # revived by an Aegis
            if player in self.players:
                self.players[player]["kills_log"].append({"time": time, "key": key})
            self._add(self._player(target), "killed_by", key_of(source))
            self.acts.append(Act(time, "killed", player, key, self._heroes.get(key, -1)))
        self._add(player, "killed", key)

    def _ability(self, row: Row, time: int) -> None:
        player, key = self._player(row["attacker"]), key_of(bare(row["inflictor"]))
        self._add(player, "ability_uses", key)
        self.acts.append(Act(time, "ability_uses", player, key, 1))
        if _is_real_hero(row):
            self._add(player, "ability_targets", key, key_of(row["target"]))

    def _item(self, row: Row, time: int) -> None:
        player, key = self._player(row["attacker"]), key_of(bare(row["inflictor"]))
        self._add(player, "item_uses", key)
        self.acts.append(Act(time, "item_uses", player, key, 1))

    def _gold(self, row: Row, time: int) -> None:
        kind, player = row["log_type"].lower(), self._player(row["target"])
        value = row["value"] or 0
        self._add(player, f"{kind}_reasons", str(row[f"{kind}_reason_id"] or 0), value=value)
        self.acts.append(Act(time, f"{kind}_delta", player, "", value))

    def _purchase(self, row: Row, time: int) -> None:
        player, key = self._player(row["target"]), key_of(bare(row["item"]))
        self._add(player, "purchase", key)
        if player in self.players and not key.startswith("recipe_"):
            bought: Row = {"time": time, "key": key}
            if (row["stack_count"] or 0) > (3 if key == "tango" else 1):
                bought["charges"] = row["stack_count"]
            self.players[player]["purchase_log"].append(bought)

    def _buyback(self, row: Row, time: int) -> None:
        player = row["value"]
        if player in self.players:
            entry = {"time": time, "slot": player, "type": "buyback_log", "player_slot": self._slot[player]}
            self.players[player]["buyback_log"].append(entry)
            self.acts.append(Act(time, "buybacks", player, "", 1))

    def _streak(self, row: Row, _time: int) -> None:
        name = "multi_kills" if row["log_type"] == "MULTIKILL" else "kill_streaks"
        self._add(self._player(row["attacker"]), name, str(row["value"]))


def _source(row: Row) -> str | None:
    """Return the unit of an entry: the source of the damage (the owner of a summon), else the attacker."""
    source: str | None = row["attacker_owner"] or row["attacker"]
    return source


def _target(row: Row) -> str:
    return ("illusion_" if row["target_is_illusion"] else "") + key_of(row["target"])


def _is_real_hero(row: Row) -> bool:
    return bool(row["target_is_hero"]) and not row["target_is_illusion"]
