"""`players_of`: the players of a match as OpenDota writes them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from json import loads
from typing import Any, ClassVar

from playhead.dota2.facts.lanes import TEN_MINUTES
from playhead.dota2.facts.match import OfficialResult
from playhead.dota2.facts.player_series import PLAYER_SERIES, PlayerSeries
from playhead.dota2.opendota.log import CombatSums, Row, WholeSeconds, bare, count, half_up, whole
from playhead.dota2.sources.entities import CELL, HALF_MAP
from playhead.dota2.sources.match import Dota2Match
from playhead.dota2.sources.names import number_of
from playhead.dota2.sources.roster import DIRE, RADIANT
from playhead.runtime.libraries import pa
from playhead.runtime.records import replace
from playhead.source2.messages.definitions import enumeration
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.text.json import to_json

#: Tables that are read.
PLAYER_TABLES = (
    *("player_stats", "player_series", "player_counters", "lanes", "runes", "wards", "connections"),
    *("neutral_finds", "pings", "orders", "items_held", "ability_upgrades"),
)
#: Table of `Minutes`.
MINUTES = "minutes"
#: Table of `Minutes` with message 558 as JSON.
REPORT = TableSchema.of("report", "The game's own report.", Column("json", "string", "Message 558."))

_DIRE_SLOT = 128
# The least DOTALeaverStatus_t of an abandoned match.
_ABANDONED = 2
_TOKEN = re.compile(r"item_tier\d_token")
_ORDER = "DOTA_UNIT_ORDER_"
# Slots of a hero's own items, with the backpack.
_HELD_SLOTS = 9
# `lane_pos` counts up to this second.
_LANING = 600
_ITEM_SLOTS = {
    **{n: f"item_{n}" for n in range(6)},
    **{n + 6: f"backpack_{n}" for n in range(3)},
    16: "item_neutral",
    17: "item_neutral2",
}
# Keys of the match that each player repeats.
_OF_MATCH = ("match_id", "start_time", "duration", "cluster", "lobby_type", "game_mode")
# Ancient creeps, of all patches; odota/core counts their deaths, and Roshan's.
_ANCIENTS = {
    "npc_dota_roshan",
    *(
        f"npc_dota_neutral_{name}"
        for name in (
            *("black_drake", "black_dragon", "blue_dragonspawn_sorcerer", "blue_dragonspawn_overseer"),
            *("granite_golem", "rock_golem", "jungle_stalker", "elder_jungle_stalker", "prowler_acolyte"),
            *("prowler_shaman", "small_thunder_lizard", "big_thunder_lizard", "ice_shaman", "frostbitten_golem"),
        )
    ),
}
_PURCHASES = ("ward_observer", "ward_sentry", "tpscroll", "rapier", "gem")
# Key: column of `player_series`.
_SERIES = {"gold_t": "gold_earned", "xp_t": "xp", "lh_t": "last_hits", "dn_t": "denies"}
# Key: counter of `player_counters`.
_COUNTERS = {
    "obs_placed": "observer_wards_placed",
    "sen_placed": "sentry_wards_placed",
    "creeps_stacked": "creeps_stacked",
    "camps_stacked": "camps_stacked",
    "rune_pickups": "rune_pickups",
    "towers_killed": "tower_kills",
    "roshans_killed": "roshan_kills",
}
# Key: names of units in `killed` that count, by their first letters.
_KILLS = {
    "hero_kills": ("npc_dota_hero_",),
    "lane_kills": ("npc_dota_creep_", "npc_dota_goodguys_siege", "npc_dota_badguys_siege"),
    "neutral_kills": ("npc_dota_neutral_",),
    "tower_kills": ("npc_dota_goodguys_tower", "npc_dota_badguys_tower"),
    "courier_kills": ("npc_dota_courier",),
    "roshan_kills": ("npc_dota_roshan",),
    "observer_kills": ("npc_dota_observer_wards",),
    "sentry_kills": ("npc_dota_sentry_wards",),
}

Tables = Mapping[str, list[Row]]


class Minutes(PlayerSeries):
    """Table ``player_series`` at each minute of the game's clock, and the game's own report."""

    schemas: ClassVar = (replace(PLAYER_SERIES, name=MINUTES), REPORT)
    jobs: ClassVar = Jobs()

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match, "60s", "game")

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._official = OfficialResult(self.match, playback)

    def tables(self) -> Mapping[str, pa.Table]:
        report = REPORT.build_rows([{"json": to_json(self._official.fields)}])
        return {MINUTES: super().tables()[PLAYER_SERIES.name], REPORT.name: report}


def player_slots(stats: list[Row]) -> dict[int, int]:
    """Return OpenDota's `player_slot` by player: 0 to 4 on Radiant, 128 to 132 on Dire."""
    return {row["player"]: (row["slot"] or 0) + (_DIRE_SLOT if row["team"] == DIRE else 0) for row in stats}


def cell(coordinate: float | None) -> int | None:
    """Return a world coordinate in whole cells."""
    return None if coordinate is None else half_up((coordinate + HALF_MAP) / CELL)


def tenths(coordinate: float) -> float:
    """Return a world coordinate in cells, with one decimal, which OpenDota rounds again for whole cells."""
    return half_up((coordinate + HALF_MAP) / CELL * 10) / 10


def players_of(
    tables: Tables, sums: CombatSums, slot: Mapping[int, int], head: Row, whole_seconds: WholeSeconds
) -> Iterator[Row]:
    """Yield the players in order; `head`: the keys of the match as a whole."""
    (match,), (report,) = tables["match"], tables[REPORT.name]
    reports = {row.get("player_slot", 0): row for row in loads(report["json"]).get("players", ())}
    by_player = {name: _grouped(tables[name]) for name in (*PLAYER_TABLES, MINUTES) if name != "player_stats"}
    numbers = enumeration("dotaunitorder_t")
    orders = {name.removeprefix(_ORDER): str(number) for name, number in numbers.items()}
    for stats in tables["player_stats"]:
        player = stats["player"]
        own = {name: rows.get(player, []) for name, rows in by_player.items()}
        minutes = own[MINUTES]
        found = {
            **_identity(stats, slot[player], match),
            **_score(stats, match),
            **{key: head[key] for key in _OF_MATCH},
            **_reported(reports.get(slot[player])),
            "hero_variant": stats["facet"],
            **{key: _last(own["player_counters"], counter) for key, counter in _COUNTERS.items()},
            "observers_placed": stats["observer_wards_placed"],
            "stuns": stats["stun_seconds"],
            "teamfight_participation": stats["teamfight_participation"],
            "firstblood_claimed": _flag(stats["claimed_first_blood"]),
            "randomed": stats["randomed"],
            "pred_vict": stats["predicted_victory"],
            "times": [half_up(row["game_seconds"]) for row in minutes],
            **{key: [row[column] for row in minutes] for key, column in _SERIES.items()},
            "camps_stacked_t": [_at(own["player_counters"], "camps_stacked", row["tick"]) for row in minutes],
            "hero_damage_t": sums.by_minute("hero_damage", player, len(minutes)),
            "hero_healing_t": sums.by_minute("hero_healing", player, len(minutes)),
            **_with_first_items(sums.players[player], own["items_held"], whole_seconds),
            "max_hero_hit": sums.largest.get(player, {"value": 0}),
            **_wards(own["wards"], player, slot[player], whole_seconds),
            **_runes(own["runes"]),
            **_series(own["player_series"], whole_seconds),
            **_lane(own["lanes"]),
            "deaths_log": [
                {
                    "time": whole_seconds(row["game_seconds"]),
                    "key": row["attacker"],
                    "gold_lost": row["gold_lost"] or 0,
                    "time_dead": whole(row["dead_seconds"]),
                }
                for row in tables["kills"]
                if row["victim_player"] == player
            ],
            "neutral_tokens_log": _tokens(own["items_held"], whole_seconds),
            "connection_log": [
                {
                    "time": whole_seconds(row["game_seconds"]),
                    "type": "connection_log",
                    "event": row["event"].removesuffix("ed"),
                    "slot": player,
                    "player_slot": slot[player],
                }
                for row in own["connections"]
                if row["event"] in ("disconnected", "reconnected")
            ],
            "neutral_item_history": [
                {
                    "time": whole_seconds(row["game_seconds"]),
                    "item_neutral": bare(row["item"]),
                    "item_neutral_enhancement": bare(row["enhancement"]),
                }
                for row in own["neutral_finds"]
            ],
            "actions": Counter(orders.get(row["kind"], str(row["kind"])) for row in own["orders"]),
            "pings": {"0": len(own["pings"])} if own["pings"] else {},
            **_items(own["items_held"]),
            "ability_upgrades_arr": [
                number
                for row in own["ability_upgrades"]
                if not row["is_initial"] and (number := number_of(row["ability"])) is not None
            ],
        }
        killed = found["killed"]
        for key, names in _KILLS.items():
            found[key] = sum(count for name, count in killed.items() if name.startswith(names))
        found["ancient_kills"] = sum(count for name, count in killed.items() if name in _ANCIENTS)
        found["necronomicon_kills"] = sum(count for name, count in killed.items() if "necronomicon" in name)
        found |= {"buyback_count": len(found["buyback_log"]), **_computed(found, match)}
        found |= {"observer_uses": found["item_uses"].get("ward_observer", 0)}
        found |= {"sentry_uses": found["item_uses"].get("ward_sentry", 0)}
        yield found


def _computed(found: Row, match: Row) -> Row:
    """Return the keys that OpenDota computes from others (odota/core, svc/util/compute)."""
    first: dict[str, int] = {}
    sums: dict[str, int] = {}
    for bought in found["purchase_log"]:
        first.setdefault(bought["key"], bought["time"])
        sums[bought["key"]] = sums.get(bought["key"], 0) + bought["time"]
    gold, duration = found["gold_t"][10:11], match["official_duration_seconds"] or match["duration_seconds"]
    efficiency = gold[0] / TEN_MINUTES if gold and gold[0] else None
    return {
        "first_purchase_time": first,
        "purchase_time": sums,
        "item_usage": dict.fromkeys(sums, 1),
        "item_win": dict.fromkeys(sums, found["win"]),
        **{f"purchase_{key}": found["purchase"].get(key) for key in _PURCHASES},
        "actions_per_min": int(sum(found["actions"].values()) / duration * 60) if duration else None,
        "lane_efficiency": efficiency,
        "lane_efficiency_pct": None if efficiency is None else int(efficiency * 100),
        "life_state_dead": sum(found["life_state"].get(state, 0) for state in ("1", "2")),
    }


def _reported(row: Row | None) -> Row:
    """Return what only the game's own report has; null without it."""
    known = row is not None
    row = row or {}
    left = row.get("leaver_status", 0) if known else None
    units = row.get("additional_units_inventory")
    return {
        "leaver_status": left,
        "abandons": None if left is None else int(left >= _ABANDONED),
        "party_id": row.get("party_id"),
        "permanent_buffs": list(row.get("permanent_buffs", ())) if known else None,
        "additional_units": None if units is None else list(units),
    }


def _tokens(held: list[Row], whole_seconds: WholeSeconds) -> list[Row]:
    """Return when the hero first had each token of a neutral item."""
    found: dict[int, Row] = {}
    for row in held:
        if _TOKEN.fullmatch(row["item"] or "") and row["handle"] not in found:
            found[row["handle"]] = {"time": whole_seconds(row["game_seconds"]), "key": bare(row["item"])}
    return list(found.values())


def _grouped(rows: list[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row["player"], []).append(row)
    return found


def _identity(stats: Row, slot: int, match: Row) -> Row:
    radiant, won = stats["team"] == RADIANT, match["winner_side"]
    win = None if won is None else int((won == "radiant") == radiant)
    return {
        "player_slot": slot,
        "account_id": stats["account_id"],
        "personaname": stats["name"],
        "hero_id": stats["hero_id"],
        "isRadiant": radiant,
        "team_number": 0 if radiant else 1,
        "team_slot": stats["slot"],
        "radiant_win": None if won is None else won == "radiant",
        "win": win,
        "lose": None if win is None else 1 - win,
        "rank_tier": stats["rank_tier"],
    }


def _score(stats: Row, match: Row) -> Row:
    """Return the numbers of the scoreboard: the game's own report, or else the last state."""

    def first(name: str, other: Any) -> Any:
        return other if stats[f"official_{name}"] is None else stats[f"official_{name}"]

    official = match["official_duration_seconds"]
    duration = match["duration_seconds"] if official is None else official
    kills, deaths, assists = stats["kills"], stats["deaths"], stats["assists"]
    rates = {name: None if stats[name] is None else int(stats[name]) for name in ("gpm", "xpm")}
    gold = [stats[name] for name in ("gold_reliable", "gold_unreliable")]
    known = None not in (kills, deaths, assists)
    return {
        **{name: stats[name] for name in ("kills", "deaths", "assists", "level", "last_hits", "denies")},
        "kda": half_up((kills + assists) / (deaths + 1) * 100) / 100 if known else None,
        "kills_per_min": kills * 60 / duration if kills is not None and duration else None,
        "gold_per_min": first("gpm", rates["gpm"]),
        "xp_per_min": first("xpm", rates["xpm"]),
        "total_gold": _total(first("gpm", rates["gpm"]), duration),
        "total_xp": _total(first("xpm", rates["xpm"]), duration),
        "gold": first("gold", None if None in gold else sum(gold)),
        "gold_spent": first("gold_spent", None),
        "net_worth": first("net_worth", stats["net_worth"]),
        "hero_damage": first("hero_damage", stats["hero_damage"]),
        "tower_damage": first("tower_damage", stats["tower_damage"]),
        "hero_healing": first("healing", stats["healing"]),
        "aghanims_scepter": _flag(stats["official_scepter"]),
        "aghanims_shard": _flag(stats["official_shard"]),
        "moonshard": _flag(stats["official_moonshard"]),
    }


def _total(rate: int | None, duration: float | None) -> int | None:
    """Return gold or experience of the whole match, from the rate a minute, as OpenDota's API does."""
    return None if rate is None or duration is None else int(rate * duration / 60)


def _flag(value: bool | None) -> int | None:
    return None if value is None else int(value)


def _last(rows: list[Row], counter: str) -> int:
    return next((int(row["value"]) for row in reversed(rows) if row["counter"] == counter), 0)


def _at(rows: list[Row], counter: str, tick: int) -> int:
    """Return a counter at a tick."""
    changes = [row for row in rows if row["counter"] == counter]
    place = bisect_right([row["tick"] for row in changes], tick)
    return int(changes[place - 1]["value"]) if place else 0


def _with_first_items(sums: Row, held: list[Row], whole_seconds: WholeSeconds) -> Row:
    """Return the sums with the items that the hero has at the first look as purchases."""
    begin = held[0]["tick"] if held else None
    first = [row for row in held if row["tick"] == begin and row["slot"] < _HELD_SLOTS and row["item"]]
    if not first or first[0]["game_seconds"] is None:
        return sums
    log: list[Row] = []
    counts = dict(sums["purchase"])
    for row in first:
        key = bare(row["item"]) or ""
        count(counts, key)
        log.append({"time": whole_seconds(row["game_seconds"]), "key": key})
    log = sorted([*log, *sums["purchase_log"]], key=lambda row: int(row["time"]))
    return sums | {"purchase": counts, "purchase_log": log}


def _wards(placed: list[Row], player: int, slot: int, whole_seconds: WholeSeconds) -> Row:
    """Return the logs and maps of wards; a coordinate is a cell, with a decimal in the logs."""
    found: Row = {name: [] for name in ("obs_log", "obs_left_log", "sen_log", "sen_left_log")}
    found |= {"obs": {}, "sen": {}}
    for row in placed:
        kind = "obs" if row["kind"] == "observer" else "sen"
        begun = whole_seconds(row["game_seconds"])
        if begun is None or row["x"] is None or row["y"] is None:
            continue
        x, y = (tenths(row[axis]) for axis in "xy")
        entry = {
            "time": begun,
            "type": f"{kind}_log",
            "key": f"[{half_up(x)},{half_up(y)}]",
            "slot": player,
            "player_slot": slot,
            "x": x,
            "y": y,
            "entityleft": False,
            "ehandle": row["entity"],
        }
        found[f"{kind}_log"].append(entry)
        count(found, kind, str(half_up(x)), str(half_up(y)))
        if row["end"] is not None:
            left = {"time": row["end"], "type": f"{kind}_left_log", "entityleft": True}
            found[f"{kind}_left_log"].append(
                entry | left | ({"attackername": row["attacker"]} if row["attacker"] else {})
            )
    return found


def _runes(rows: list[Row]) -> Row:
    taken = [row for row in rows if row["outcome"] == "taken" and row["end"] is not None]
    log = [{"time": row["end"], "key": str(row["rune_id"])} for row in taken]
    return {
        "runes_log": sorted(log, key=lambda row: int(row["time"])),
        "runes": Counter(str(row["rune_id"]) for row in taken),
    }


def _series(rows: list[Row], whole_seconds: WholeSeconds) -> Row:
    """Return the cells of the first ten minutes, and the seconds alive and dead."""
    places: dict[str, dict[str, int]] = {}
    states = {"0": 0, "2": 0}
    for row in rows:
        time = whole_seconds(row["game_seconds"])
        if time is None or row["paused"]:
            continue
        if time <= _LANING and row["x"] is not None and row["y"] is not None:
            x, y = (cell(row[axis]) if time < 0 else half_up(tenths(row[axis])) for axis in "xy")
            count(places, str(x), str(y))
        if time >= 0 and row["alive"] is not None:
            states["0" if row["alive"] else "2"] += 1
    return {"lane_pos": places, "life_state": {key: count for key, count in states.items() if count}}


def _lane(rows: list[Row]) -> Row:
    row: Row = rows[0] if rows else {}
    keys = {"lane": "lane_id", "lane_role": "role_id", "is_roaming": "roaming", "position_est": "position"}
    return {key: row.get(column) for key, column in keys.items()}


def _items(rows: list[Row]) -> Row:
    """Return the numbers of the items at the end, by slot; 0 for an empty slot."""
    held = {row["slot"]: number_of(row["item"]) for row in rows if row["end_tick"] is None}
    return {key: held.get(place, 0) for place, key in _ITEM_SLOTS.items()}
