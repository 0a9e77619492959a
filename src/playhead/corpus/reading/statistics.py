"""Statistics over matches: what people, sides, heroes or maps did in all replays of a corpus or a lake."""

from __future__ import annotations

import warnings
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass, field
from playhead.tables.combined import REPLAY
from playhead.tables.value_arrays import array_of
from playhead.text.names import counted as number_of
from playhead.text.names import listed, ordered_matchup, unknown_name
from playhead.text.visible import visible

#: The tables with a row for each player of a match, and the facts of the match.
TABLES = ("info", "players")

#: What rows can be grouped by, with its meaning; further columns of `players` and `player_stats` are good too.
DIMENSIONS = {
    "player": "the person over matches: the account, or the name where a file has no accounts",
    "game": "the game",
    "map": "the map; its English name where it is known",
    "version": "the version of the game",
    "build": "the build of the game",
    "year": "year of the match, UTC",
    "month": "month of the match, UTC",
    "week": "week of the match by ISO 8601, UTC",
    "day": "day of the match, UTC",
    "team": "number of the team",
    "side": "side; for CS2 the sides of a match are apart",
    "half": "CS2: the half",
    "overtime": "CS2: the overtime",
    "character": "hero, race or skin",
    "opponent": "the other person, of matches of two",
    "matchup": "own race (ZvT) or hero against that of the opponent, of matches of two",
    "opening": "StarCraft II: the first five structures but supply, in order",
    "reason": "StarCraft II: why players lost, of table `reasons`: only matches are counted",
    "weapon": "weapon, ability or item of the kills: only kills are counted",
    "replay": "the match",
}

#: Dimensions whose rows are counted, instead of the numbers of `player_stats`.
COUNTED = {"weapon": "kills", "reason": "reasons"}
#: Options of the CS2 table `player_stats`: a row for each of these of a player.
_PARTS = ("side", "half", "overtime")
#: Kinds of time by the form in which `strftime` and people write them.
_TIMES = {"year": "%Y", "month": "%Y-%m", "week": "%G-W%V", "day": "%Y-%m-%d"}
#: Dimensions that keep the players of a side together: a win is that of a side, and counts once.
_OF_MATCHES = frozenset(("game", "map", "version", "build", "team", "side", "replay", *_PARTS, *_TIMES))
#: Integers that are no counts: a sum of them means nothing.
_NO_COUNTS = frozenset(
    "player team slot hero_id account_id level rank rank_tier mmr tick end_tick seconds end_seconds half overtime "
    "match_num round_num rounds_played official_gpm official_xpm user facet".split()
)
#: The column by which a mean over matches is weighted; `rounds_played` where a table has it, else each match is 1.
_WEIGHTS = {"headshot_pct": "kills", "finish_seconds": "finishes"}
#: What the numbers of a group are divided by.
PER = ("match", "round", "minute", "total")
#: Structures of an opening, and those that tell nothing.
_OPENING = 5
_NO_OPENING = frozenset(("Pylon", "SupplyDepot"))

#: The one number of which a group has the least.
BEST = "best_seconds"

_Row = dict[str, Any]


@dataclass(slots=True)
class _Group:
    """Sums of the matches of one group."""

    matches: set[str] = field(default_factory=set)
    results: dict[str, set[tuple[str, Any]]] = field(default_factory=lambda: defaultdict(set))
    rounds: int | None = None
    seconds: float | None = 0.0
    sums: dict[str, float] = field(default_factory=lambda: defaultdict(int))
    weights: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    when: str = ""
    name: str | None = None


def player_statistics(
    read: Callable[[Sequence[str], Mapping[str, Any]], Mapping[str, pa.Table]],
    by: str | Iterable[str],
    per: str,
    *,
    percentiles: bool,
    least: int,
) -> pa.Table:
    """Return the rows of `Replays.player_stats`.

    Args:
        read: returns tables by name, with the options of `player_stats`.
    """
    dimensions = list(dict.fromkeys(listed(by)))
    if not dimensions:
        raise ValueError("expected a dimension, such as by='player'")
    if per not in PER:
        raise ValueError(unknown_name(per, PER, "per"))
    counts = next((table for name, table in COUNTED.items() if name in dimensions), None)
    others = ["build_order"] if "opening" in dimensions else []
    tables = dict(read((*TABLES, *others, *([counts] if counts else ["runs", "player_stats"]), "sessions"), {}))
    parts = [name for name in dimensions if name in _PARTS]
    _tell_without_rows(tables)
    if parts and "player_stats" in tables and "rounds_played" in tables["player_stats"].column_names:
        try:
            tables |= read(("player_stats",), {"by": parts})
        except ValueError as error:
            if hint := _not_divisible(tables, parts):
                raise ValueError(f"{hint} ({error})") from error
            raise
    rows, counted = _rows_of_players(tables)
    for row in rows if parts else ():
        row["duration_seconds"] = None  # the parts of a match have no times of their own
    known = {*DIMENSIONS, *(name for row in rows[:1] for name in row)}
    for name in dimensions:
        if name not in known:
            raise KeyError(unknown_name(name, sorted(known), "dimension"))
    groups: dict[tuple[Any, ...], _Group] = {}
    for row in rows:
        key = (row["game"], *(row.get(_column(name)) for name in dimensions))
        _add(groups.setdefault(key, _Group()), row, counted, of_sides=_OF_MATCHES.issuperset(dimensions))
    made = [
        _as_row(dimensions, key, group, counted, per)
        for key, group in groups.items()
        if len(group.matches) >= least
    ]
    common = "losses" if "reason" in dimensions else "matches"
    made.sort(key=lambda row: (row["game"], -(row[common] or 0), *(str(row[name]) for name in dimensions)))
    if percentiles:
        _add_percentiles(made, counted)
    return _table(dimensions, made, counted, percentiles=percentiles)


def _tell_without_rows(tables: Mapping[str, pa.Table]) -> None:
    """Warn of replays with results, but without a row of `player_stats`: they do not count."""
    if "player_stats" not in tables:
        return
    having = {*tables["player_stats"][REPLAY.name].to_pylist()}
    known = (row for row in tables["players"].to_pylist() if row.get("result") is not None)
    lost = {row[REPLAY.name]: row.get("file") for row in known if row[REPLAY.name] not in having}
    if lost:
        text = f"{number_of(len(lost), 'replay')} with results but no rows of player_stats do not count, the first"
        warnings.warn(
            visible(f"{text} {next(iter(lost.values()))}: `why_empty('player_stats')` says why"), stacklevel=4
        )


def _not_divisible(tables: Mapping[str, pa.Table], parts: Sequence[str]) -> str:
    """Return which games have no parts of matches, so no rounds; empty if all have."""
    stats = tables["player_stats"].select([REPLAY.name, "rounds_played"]).to_pylist()
    games = {row[REPLAY.name]: row["game"] for row in tables["info"].to_pylist()}
    divided = {games.get(row[REPLAY.name]) for row in stats if row["rounds_played"] is not None}
    others = sorted({str(games.get(row[REPLAY.name])) for row in stats} - divided)
    can = " or ".join(f"filter(game={game!r})" for game in sorted(map(str, divided)))
    return (
        f"{', '.join(others)} cannot be divided by {', '.join(parts)}: choose {can} first"
        if others and can
        else ""
    )


def _column(dimension: str) -> str:
    return "person" if dimension == "player" else dimension


def _rows_of_players(tables: Mapping[str, pa.Table]) -> tuple[list[_Row], dict[str, bool]]:
    """Return a row for each player of each match with all facts, and whether each number of `player_stats` is a
    count."""
    facts = {row[REPLAY.name]: row for row in tables["info"].to_pylist()} if "info" in tables else {}
    people: dict[str, dict[Any, _Row]] = defaultdict(dict)
    for row in tables["players"].to_pylist() if "players" in tables else ():
        people[row[REPLAY.name]][row["player"]] = row
    sessions = tables["sessions"].to_pylist() if "sessions" in tables else []
    visits = {(row[REPLAY.name], row["player"]): row for row in sessions}
    openings = _openings(tables["build_order"]) if "build_order" in tables else {}
    counted: dict[str, bool] = {}
    rows = []
    for column in tables["player_stats"].schema if "player_stats" in tables else ():
        is_count = pa.types.is_integer(column.type)
        if column.name not in _NO_COUNTS and (is_count or pa.types.is_floating(column.type)):
            counted[column.name] = is_count
    counted |= {"finishes": True, "finish_seconds": False, BEST: False} if "runs" in tables else {}
    counted |= {"kills": True, "headshot_kills": True} if "kills" in tables else {}
    stats = tables["player_stats"].to_pylist() if "player_stats" in tables else []
    stats += [*_finishes(tables.get("runs")), *_weapons(tables.get("kills")), *_reasons(tables.get("reasons"))]
    for row in stats:
        replay = row[REPLAY.name]
        match, others = facts.get(replay, {}), people[replay]
        person = others.get(row["player"], {})
        if row.get("rounds_played") == 0 or not match:
            continue
        made = {
            **person,
            **{name: value for name, value in row.items() if value is not None or name not in person},
        }
        start = match.get("played_at")
        made |= {name: match.get(name) for name in ("game", "version", "build")}
        made["duration_seconds"] = _seconds_of(made, match, visits.get((replay, row["player"])))
        made |= {name: start and start.strftime(form) for name, form in _TIMES.items()}
        made["map"] = match.get("map_english") or match.get("map")
        made["when"] = str(start or "")
        made["person"] = made.get("account") or made.get("name")
        made["character"] = made.get("character") or made.get("hero")
        made |= _against(made, match, [each for number, each in others.items() if number != row["player"]])
        made["opening"] = openings.get((replay, row["player"]))
        rows.append(made)
    return rows, counted


def _seconds_of(row: _Row, match: _Row, visit: _Row | None) -> float | None:
    """Return the time from a player's coming to the leave, in games that tell it; of others that of the match."""
    whole, rate = match.get("duration_seconds"), match.get("ticks_per_second")
    if row.get("last_tick") is not None:
        return (row["last_tick"] - row["first_tick"]) / rate if rate else None
    if visit is None or whole is None:
        return whole
    return (whole if visit["end_seconds"] is None else visit["end_seconds"]) - visit["seconds"]  # type: ignore[no-any-return]


def _weapons(kills: pa.Table | None) -> list[_Row]:
    """Return the kills of each player of each match by weapon, of rounds that count."""
    found: dict[tuple[str, Any, Any], _Row] = {}
    for row in () if kills is None else kills.to_pylist():
        if (
            row.get("counts") is False
            or row.get("is_teamkill")
            or row["attacker_player"] in (None, row["victim_player"])
        ):
            continue
        weapon = row.get("weapon") or row.get("ability") or row.get("inflictor")
        key = row[REPLAY.name], row["attacker_player"], weapon
        start = {REPLAY.name: key[0], "player": key[1], "weapon": weapon, "kills": 0, "headshot_kills": None}
        made = found.setdefault(key, start)
        made["kills"] += 1
        if row.get("headshot") is not None:
            made["headshot_kills"] = (made["headshot_kills"] or 0) + row["headshot"]
    return [*found.values()]


def _reasons(reasons: pa.Table | None) -> list[_Row]:
    """Return each reason of each player of each match once."""
    columns = [REPLAY.name, "player", "reason"]
    found: list[_Row] = [] if reasons is None else reasons.select(columns).to_pylist()
    return [dict(zip(columns, key, strict=True)) for key in dict.fromkeys(tuple(row.values()) for row in found)]


def _finishes(runs: pa.Table | None) -> list[_Row]:
    """Return what each player of each recording finished."""
    times: dict[tuple[str, Any], list[float]] = defaultdict(list)
    columns = [REPLAY.name, "players", "duration_seconds"]
    for row in () if runs is None else runs.select(columns).to_pylist():
        for player in row["players"] or ():
            times[row[REPLAY.name], player].append(row["duration_seconds"])
    return [
        {REPLAY.name: replay, "player": player, "finishes": len(known), BEST: min(known)}
        | {"finish_seconds": sum(known) / len(known)}
        for (replay, player), known in times.items()
    ]


def _against(row: _Row, match: _Row, others: Sequence[_Row]) -> _Row:
    """Return the opponent of a match of two, and the matchup."""
    playing = [each for each in others if each.get("kind") not in ("observer", "referee") and each.get("result")]
    if len(playing) != 1:
        return {"opponent": None, "matchup": None}
    other = playing[0]
    mine, theirs = row["character"], other.get("character")
    word = f"{mine[0]}v{theirs[0]}" if mine and theirs else ""
    if not match.get("matchup") or ordered_matchup(word) != match["matchup"]:  # a game without this word
        word = f"{mine} v {theirs}"
    return {
        "opponent": other.get("account") or other.get("name"),
        "matchup": word if mine and theirs else None,
    }


def _openings(table: pa.Table) -> dict[tuple[str, Any], str]:
    """Return the opening of each player of each match."""
    found: dict[tuple[str, Any], list[str]] = defaultdict(list)
    for row in table.select([REPLAY.name, "player", "kind", "product"]).to_pylist():
        steps = found[row[REPLAY.name], row["player"]]
        if row["kind"] == "structure" and row["product"] not in _NO_OPENING and len(steps) < _OPENING:
            steps.append(row["product"] or "?")
    return {key: ", ".join(steps) for key, steps in found.items() if steps}


def _add(group: _Group, row: _Row, counted: Mapping[str, bool], *, of_sides: bool) -> None:
    replay = row[REPLAY.name]
    person = replay, row["player"]
    side = row.get("team") if of_sides else None
    is_first = person not in group.results["all"]
    group.matches.add(replay)
    group.results["all"].add(person)
    group.results[row.get("result") or "unknown"].add(person if side is None else (replay, f"side {side}"))
    rounds = row.get("rounds_played")
    if rounds is not None:
        group.rounds = (group.rounds or 0) + rounds
    if is_first and group.seconds is not None:
        length = row["duration_seconds"]
        group.seconds = None if length is None else group.seconds + length
    if row.get("name") and row["when"] >= group.when:
        group.when, group.name = row["when"], row["name"]
    for name, is_count in counted.items():
        value = row.get(name)
        if value is None:
            continue
        if name == BEST:
            group.sums[name] = min(value, group.sums[name]) if group.weights[name] else value
            group.weights[name] = 1.0
            continue
        weight = 1.0 if is_count else row.get(_WEIGHTS.get(name, "rounds_played"))
        weight = 1.0 if weight is None else weight
        group.sums[name] += value * weight
        group.weights[name] += weight


def _as_row(
    dimensions: Sequence[str], key: Sequence[Any], group: _Group, counted: Mapping[str, bool], per: str
) -> _Row:
    played = len(group.results["all"])
    known = len(group.results["win"]) + len(group.results["loss"]) + len(group.results["tie"])
    row = {"game": key[0], **dict(zip(dimensions, key[1:], strict=True))}
    if "player" in dimensions:
        row["name"] = group.name
    row |= {
        "matches": len(group.matches),
        "players": played,
        "wins": len(group.results["win"]) if known else None,
        "losses": len(group.results["loss"]) if known else None,
        "win_share": len(group.results["win"]) / known if known else None,
        "player_rounds": group.rounds,
        "player_minutes": None if group.seconds is None else group.seconds / 60,
    }
    divisor = {"match": played, "round": group.rounds, "minute": row["player_minutes"], "total": 1}[per]
    for name, is_count in counted.items():
        if not group.weights[name]:
            row[name] = None
        elif is_count:
            row[name] = group.sums[name] / divisor if divisor else None
        else:
            row[name] = group.sums[name] / group.weights[name]
    return row


def _add_percentiles(rows: Sequence[_Row], counted: Iterable[str]) -> None:
    """Add the percentile of each number among the groups of the same game: the share below, ties by half."""
    for name in ("win_share", *counted):
        known = defaultdict(list)
        for row in rows:
            if row[name] is not None:
                known[row["game"]].append(row[name])
        for values in known.values():
            values.sort()
        for row in rows:
            value, values = row[name], known[row["game"]]
            below = None if value is None else (bisect_left(values, value) + bisect_right(values, value)) / 2
            row[f"{name}_percentile"] = None if below is None else 100 * below / len(values)


def _table(
    dimensions: Sequence[str], rows: Sequence[_Row], counted: Iterable[str], *, percentiles: bool
) -> pa.Table:
    """Return rows as a table; a dimension is a number where all its values are."""
    names = dict.fromkeys(("game", *dimensions, *(["name"] if "player" in dimensions else [])))
    whole = {name for name in names if rows and all(isinstance(row[name], int | None) for row in rows)}
    types = {name: pa.int64() if name in whole else pa.string() for name in names}
    types |= dict.fromkeys(("matches", "players", "wins", "losses"), pa.int64())
    types |= {"win_share": pa.float64(), "player_rounds": pa.int64(), "player_minutes": pa.float64()}
    types |= dict.fromkeys(counted, pa.float64())
    if percentiles:
        types |= {f"{name}_percentile": pa.float64() for name in ("win_share", *counted)}
    columns = {
        name: [None if row[name] is None else str(row[name]) for row in rows]
        if form == pa.string()
        else [row[name] for row in rows]
        for name, form in types.items()
    }
    return pa.table([array_of(columns[name], form) for name, form in types.items()], names=list(types))
