"""`match_document`: a whole match as OpenDota writes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from json import loads
from typing import Any

from playhead.dota2.opendota.log import LOG_COLUMNS, LOG_TYPES, Act, CombatSums, Row, WholeSeconds, count, whole
from playhead.dota2.opendota.players import MINUTES, PLAYER_TABLES, REPORT, Minutes, cell, player_slots, players_of
from playhead.dota2.sources.roster import DIRE, RADIANT
from playhead.runtime.libraries import pa, pc
from playhead.source2.game_replay import GameReplay
from playhead.tables.value_arrays import array_of

# Event of table ``objective_events``, or its boss: OpenDota's type.
_OBJECTIVES = {
    "first_blood": "CHAT_MESSAGE_FIRSTBLOOD",
    "courier_killed": "CHAT_MESSAGE_COURIER_LOST",
    "aegis_taken": "CHAT_MESSAGE_AEGIS",
    "aegis_stolen": "CHAT_MESSAGE_AEGIS_STOLEN",
    "aegis_denied": "CHAT_MESSAGE_DENIED_AEGIS",
    "roshan": "CHAT_MESSAGE_ROSHAN_KILL",
    "tormentor": "CHAT_MESSAGE_MINIBOSS_KILL",
}
# The version of odota/parser's data whose rules these are.
_VERSION = 22
# Keys that only the game's own report has, message 558.
_REPORTED = (
    *("cluster", "engine", "human_players", "lobby_type", "match_seq_num", "replay_salt", "series_id"),
    "series_type",
)
_TEAM = ("team_id", "name", "tag")
# Reserve time of each side.
_RESERVES = {RADIANT: "radiant_reserve_seconds", DIRE: "dire_reserve_seconds"}
_TABLES = (
    *PLAYER_TABLES,
    *("match", "objective_events", "periods", "draft", "chat", "chat_wheel", "kills"),
)


def match_document(replay: GameReplay[Any]) -> dict[str, Any]:
    """Return a match with OpenDota's keys, as in its API; null where the recording has no value."""
    built = replay.tables_with([*_TABLES, "combat_log"], Minutes)
    tables = {name: built[name].to_pylist() for name in (*_TABLES, MINUTES, REPORT.name)}
    stats = tables["player_stats"]
    slot = player_slots(stats)
    heroes = {row["hero"]: row["player"] for row in stats if row["hero"]}
    whole_seconds = WholeSeconds(_horn(tables["periods"]))
    deaths: dict[int, list[int]] = {}
    for kill in tables["kills"]:
        deaths.setdefault(kill["victim_player"], []).append(kill["tick"])
    sums = CombatSums(_log_rows(built["combat_log"]), heroes, slot, whole_seconds, deaths)
    for kill in tables["kills"]:
        if kill["smoked"]:
            sums.mark_smoked(whole_seconds(kill["game_seconds"]), kill["attacker_player"], kill["victim_hero"])
    (match,), (report,) = tables["match"], tables[REPORT.name]
    head = _head(match) | {key: loads(report["json"]).get(key) for key in _REPORTED}
    leads = _leads(tables[MINUTES], "gold_earned")
    for row in (*tables["wards"], *tables["runes"]):
        row["end"] = whole_seconds(row["end_game_seconds"])
    states = _states(tables["player_series"], whole_seconds)
    last = max(states, default=0)
    names = {row["player"]: row["name"] for row in stats}
    return {
        "version": _VERSION,
        **head,
        **_swing(leads, head["radiant_win"]),
        "picks_bans": [
            {
                "is_pick": row["action"] == "pick",
                "hero_id": row["hero_id"],
                "team": None if row["team"] is None else int(row["team"] != RADIANT),
                "order": number,
            }
            for number, row in enumerate(tables["draft"])
        ],
        "draft_timings": draft_timings(tables["draft"], slot),
        "teamfights": teamfights(sums.acts, states, list(slot), last),
        "objectives": sorted(
            [*sums.buildings, *_objectives(tables["objective_events"], sums, slot, heroes, whole_seconds)],
            key=lambda row: int(row["time"]),
        ),
        "chat": sorted(_chat(tables, names, slot, whole_seconds), key=lambda row: int(row["time"])),
        "radiant_gold_adv": leads,
        "radiant_xp_adv": _leads(tables[MINUTES], "xp"),
        "pauses": [
            {
                "time": whole_seconds(row["game_seconds"]),
                "duration": whole(None if row["end_seconds"] is None else row["end_seconds"] - row["seconds"]),
            }
            for row in tables["periods"]
            if row["kind"] == "pause"
        ],
        "players": list(players_of(tables, sums, slot, head, whole_seconds)),
    }


def draft_timings(draft: Sequence[Row], slot: Mapping[int, int]) -> list[Row]:
    """Return the steps of the draft by the rules of odota/core (``processors/processDraftTimings.ts``).

    They count from 1. The time of a step is that since the step before. The reserve is that of the team which is
    active in the packet with the step, so of the team whose turn is next.

    Args:
        draft: rows of table ``draft``.
        slot: OpenDota's slot of each player.
    """
    active = [row["active_team"] for row in draft]
    return [
        {
            "order": row["order"] + 1,
            "pick": row["action"] == "pick",
            "active_team": row["active_team"],
            "hero_id": row["hero_id"],
            "player_slot": slot.get(row["player"]),
            "extra_time": whole(row.get(_RESERVES.get(following, ""))),
            "total_time_taken": whole(row["used_seconds"]),
        }
        for row, following in zip(draft, [*active[1:], *active[-1:]], strict=True)
    ]


def _head(match: Row) -> Row:
    """Return the facts of the match as a whole."""
    official, seconds = match["official_duration_seconds"], match["duration_seconds"]
    ended = match["end_time"]
    duration = whole(seconds if official is None else official)
    return {
        "match_id": match["match_id"],
        "game_mode": match["game_mode_id"],
        "leagueid": match["league_id"],
        "start_time": None if ended is None or duration is None else int(ended.timestamp()) - duration,
        "duration": duration,
        "pre_game_duration": whole(match["pre_game_seconds"]),
        "first_blood_time": whole(match["first_blood_seconds"]),
        "radiant_win": None if match["winner_side"] is None else match["winner_side"] == "radiant",
        **{
            f"{side}_score": match[f"{side}_score"]
            if match[f"{side}_score"] is not None
            else match[f"{side}_kills"]
            for side in ("radiant", "dire")
        },
        **{
            f"{kind}_status_{side}": match[f"{side}_{kind}_status"]
            for kind in ("tower", "barracks")
            for side in ("radiant", "dire")
        },
        **{f"{side}_team_id": match[f"{side}_team_id"] for side in ("radiant", "dire")},
        **{f"{side}_name": match[f"{side}_team_name"] for side in ("radiant", "dire")},
        **{
            f"{side}_team": (
                None
                if match[f"{side}_team_id"] is None
                else {key: match[f"{side}_team_{key.removeprefix('team_')}"] for key in _TEAM}
            )
            for side in ("radiant", "dire")
        },
    }


def _swing(leads: list[int | None], radiant_won: bool | None) -> Row:
    """Return the largest leads of gold: those that the losing side had and faced, and the same of the winner.

    odota/core fills two of the four, always for Dire.
    """
    known = [lead for lead in leads if lead is not None]
    if radiant_won is None or not known:
        return dict.fromkeys(("throw", "loss", "comeback", "stomp"))
    ahead, behind = -min(known), max(known)
    if radiant_won:
        return {"throw": ahead, "loss": behind, "comeback": None, "stomp": None}
    return {"throw": None, "loss": None, "comeback": behind, "stomp": ahead}


def _log_rows(log: Any) -> Iterator[Row]:
    """Yield the entries of the types that are read."""
    kinds = log["log_type"].cast(pa.string())
    chosen = log.select(LOG_COLUMNS).filter(pc.is_in(kinds, value_set=array_of(LOG_TYPES, pa.string())))
    for batch in chosen.to_batches(max_chunksize=8192):
        yield from batch.to_pylist()


def _horn(periods: list[Row]) -> float:
    """Return the time of the horn on the server's clock."""
    known = (row["server_seconds"] - row["game_seconds"] for row in periods if row["game_seconds"] is not None)
    return next(known, 0.0)


def _leads(minutes: list[Row], column: str) -> list[int | None]:
    """Return the lead of Radiant's players in a column at each minute; None if the recording lacks a side."""
    leads = []
    for _, rows in groupby(minutes, key=lambda row: int(row["tick"])):
        sums: dict[int, list[Any]] = {RADIANT: [], DIRE: []}
        for row in rows:
            sums[row["team"]].append(row[column])
        known = all(sums.values()) and None not in (*sums[RADIANT], *sums[DIRE])
        leads.append(sum(sums[RADIANT]) - sum(sums[DIRE]) if known else None)
    return leads


def _states(
    series: list[Row], whole_seconds: WholeSeconds
) -> dict[int, dict[int, tuple[int | None, int | None, int | None]]]:
    """Return cell and experience of each player at each second."""
    found: dict[int, dict[int, tuple[int | None, int | None, int | None]]] = {}
    for row in series:
        time = whole_seconds(row["game_seconds"])
        if time is not None and not row["paused"]:
            found.setdefault(time, {})[row["player"]] = cell(row["x"]), cell(row["y"]), row["xp"]
    return found


def _objectives(
    rows: list[Row],
    sums: CombatSums,
    slot: Mapping[int, int],
    heroes: Mapping[str, int],
    whole_seconds: WholeSeconds,
) -> Iterator[Row]:
    for row in rows:
        time, player = whole_seconds(row["game_seconds"]), row["player"]
        event = row["boss"] or row["event"]
        if event not in _OBJECTIVES or time is None:
            continue
        found: Row = {"time": time, "type": _OBJECTIVES[event]}
        if event == "courier_killed":
            found |= {"value": row["value"], "team": row["owner_team"]}
            found["killer"] = -1 if player is None or player < 0 else slot.get(player)
        elif event == "roshan":
            found["team"] = row["team"]
        else:
            found |= {"slot": player, "player_slot": slot.get(player)}
            if event == "tormentor":
                found["team"] = row["team"]
            elif event == "first_blood":
                deaths = (
                    heroes.get(act.key) for act in sums.acts if act.kind == "killed" and act.player == player
                )
                victim = next(deaths, None)
                found["key"] = None if victim is None else str(victim)
        yield found


def _chat(
    tables: Mapping[str, list[Row]],
    names: Mapping[int, str | None],
    slot: Mapping[int, int],
    whole_seconds: WholeSeconds,
) -> Iterator[Row]:
    for kind, key, rows in (("chat", "text", tables["chat"]), ("chatwheel", "phrase_id", tables["chat_wheel"])):
        for row in rows:
            time, player = whole_seconds(row["game_seconds"]), row["player"]
            if time is not None:
                yield {
                    "time": time,
                    "type": kind,
                    "key": str(row[key]),
                    "unit": names.get(player),
                    "slot": player,
                    "player_slot": slot.get(player),
                }


COOLDOWN = 15
LEAST_DEATHS = 3
_SUMS = ("damage", "healing", "gold_delta", "xp_delta", "buybacks")

#: Cell and total experience of each player, by second.
States = Mapping[int, Mapping[int, tuple[int | None, int | None, int | None]]]


def teamfights(acts: Sequence[Act], states: States, players: Sequence[int], last: int) -> list[dict[str, Any]]:
    """Return the teamfights that end by the last second of the match; `states` has cell x, cell y and experience
    by player, by second."""
    found = []
    for start, end, times in _spans(sorted(act.time for act in acts if act.kind == "killed"), last):
        here = {player: _empty() for player in players}
        for act in acts:
            if start <= act.time <= end:
                _add(here, act, states)
        for player, row in here.items():
            for name, time in (("xp_start", start), ("xp_end", end)):
                row[name] = states.get(time, {}).get(player, (None, None, None))[2]
        found.append(
            {
                "start": start,
                "end": end,
                "last_death": times[-1],
                "deaths": len(times),
                "players": [here[player] for player in players],
            }
        )
    return found


def _spans(deaths: Iterable[int], last: int) -> Iterable[tuple[int, int, list[int]]]:
    """Yield start, end and deaths of each fight."""
    fight: list[int] = []
    for time in [*deaths, None]:
        if fight and (time is None or time - fight[-1] >= COOLDOWN):
            end = fight[-1] + COOLDOWN
            if len(fight) >= LEAST_DEATHS and end <= last:
                yield fight[0] - COOLDOWN, end, fight
            fight = []
        if time is not None:
            fight.append(time)


def _empty() -> dict[str, Any]:
    maps = ("deaths_pos", "ability_uses", "ability_targets", "item_uses", "killed")
    return {**{name: {} for name in maps}, "deaths": 0, **dict.fromkeys(_SUMS, 0)}


def _add(fight: dict[int, dict[str, Any]], act: Act, states: States) -> None:
    row = fight.get(-1 if act.player is None else act.player)
    if act.kind == "killed":
        victim = fight.get(act.value)
        x, y, _xp = states.get(act.time, {}).get(act.value, (None, None, None))
        if victim is not None:
            victim["deaths"] += 1
            if x is not None and y is not None:
                count(victim, "deaths_pos", str(x), str(y))
        if row is not None:
            count(row, "killed", act.key)
    elif row is not None and act.kind in _SUMS:
        row[act.kind] += act.value
    elif row is not None:
        count(row, act.kind, act.key, value=act.value)
