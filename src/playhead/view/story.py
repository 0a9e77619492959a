"""The course of a match: its chapters, which side led, and what the players made, side by side."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from playhead.errors import ReplayError
from playhead.presentation.stage import Turn
from playhead.view.curves import is_whole, side_sums, sides_of, thinned, values_of

if TYPE_CHECKING:
    from playhead.presentation import PresentedReplay, Speaking

#: Limits of the points of the lead, and of the rows of one player in `builds` and of a panel of notes.
POINTS, ROWS = 1000, 1000


def read_course(replay: PresentedReplay, *more: str) -> None:
    """Read the tables of the story and of what decided the match, and more, in one pass: one after the other, each
    would need a pass, which makes tables that nobody asks for."""
    shown = replay.presentation
    names = [*shown.stage.reads, *more]
    names += [each.table for each in (shown.win_chance, shown.builds) if each is not None]
    with suppress(ReplayError, NotImplementedError):
        replay.read_tables([name for name in dict.fromkeys(names) if name in replay.tables])


def chapters(replay: PresentedReplay) -> list[dict[str, Any]]:
    """Return the parts of the recording: tick, end, name, team and note."""
    return [chapter._asdict() for chapter in replay.presentation.chapters(replay)]


def scores(replay: PresentedReplay) -> list[tuple[int, int, int]]:
    """Return the scores of the sides: tick, team, score."""
    return [(each.tick, each.team, each.score) for each in replay.presentation.stage.scores(replay)]


def best(replay: PresentedReplay) -> list[tuple[int, str, str]]:
    """Return the best times so far: tick, time, and whose it is."""
    return [(each.tick, each.time, each.names) for each in replay.presentation.stage.best(replay)]


def respawns(replay: PresentedReplay) -> list[tuple[int, int, float]]:
    """Return tick, player, and seconds until the player is back, of deaths."""
    column = replay.presentation.stage.dead_seconds
    if column is None:
        return []
    rows = replay.table("kills", columns=["tick", "victim_player", column]).drop_null().to_pylist()
    return [(row["tick"], row["victim_player"], round(row[column], 1)) for row in rows]


def deaths(replay: PresentedReplay) -> list[tuple[int, int | None, int | None]]:
    """Return tick, victim and killer of the deaths that cards count."""
    shown = replay.presentation
    found = () if shown.deaths is None or not shown.stage.tallies else shown.deaths(replay)
    return [(each.tick, each.player, each.killer) for each in found]


def tasks(replay: PresentedReplay) -> dict[str, list[Any]]:
    """Return what players are at for a while, as columns in order; see `Activity`."""
    shown = replay.presentation.wording.shown
    rows = sorted((*each[:3], shown(each.name), each.bands) for each in replay.presentation.stage.tasks(replay))
    columns = list(zip(*rows, strict=True)) or [()] * 5
    return dict(zip(("tick", "end", "player", "name", "bands"), map(list, columns), strict=True))


def lead(replay: PresentedReplay) -> dict[str, Any] | None:
    """Return the sums of the two sides over time and their label; None without two sides or a curve."""
    shown = replay.presentation.advantage
    teams = sides_of(replay)
    if shown is None or not teams or shown.table not in replay.tables:
        return None
    ticks, sums = side_sums(values_of(replay, shown), teams, whole=is_whole(shown))
    if sums[0] == sums[1]:
        return None
    places = thinned(len(ticks), POINTS)
    values = [[line[place] for place in places] for line in sums]
    return {"label": shown.label, "teams": teams, "tick": [ticks[place] for place in places], "values": values}


def win_chance(replay: PresentedReplay) -> dict[str, Any] | None:
    """Return ticks and recorded probabilities that a team wins; None if the recording has none."""
    shown = replay.presentation.win_chance
    if shown is None or shown.table not in replay.tables:
        return None
    found = replay.table(shown.table, columns=["tick", shown.column]).drop_null()
    ticks, values = (found[name].to_pylist() for name in ("tick", shown.column))
    # A recording without spectators has zeros.
    return {"team": shown.team, "tick": ticks, "value": values} if any(values) else None


def builds(replay: PresentedReplay) -> dict[str, Any] | None:
    """Return what players made or bought: label, and by player columns of lines, as `BuildLine`; None without such
    a table."""
    shown = replay.presentation.builds
    if shown is None or shown.table not in replay.tables:
        return None
    spoken = replay.presentation.wording.shown
    rows = replay.table(shown.table, columns=shown.columns).to_pylist()
    found: dict[int, dict[str, list[Any]]] = {}
    total = 0
    for line in shown.lines(rows, replay.info.ticks_per_second or 1.0):
        total += 1
        held = found.setdefault(line.player, {"tick": [], "name": [], "supply": [], "more": []})
        if len(held["tick"]) < ROWS:
            for column, value in zip(held, (line.tick, spoken(line.name), line.supply, line.more), strict=True):
                held[column].append(value)
    players = [{"player": player, **held} for player, held in sorted(found.items())]
    return {"label": shown.label, "players": players, "total": total}


def notes(replay: PresentedReplay, ticks: tuple[int, int] | None = None) -> dict[str, list[list[Any]]]:
    """Return the lines of each panel of notes, as `Note`; with `ticks` those of that part."""
    found: dict[str, list[list[Any]]] = {}
    for each in replay.presentation.notes:
        if each.table in replay.tables:
            found[each.label] = []
            with suppress(ReplayError, NotImplementedError):
                lines = (
                    list(line)
                    for line in each.lines(replay)
                    if ticks is None or ticks[0] <= (line.tick or 0) <= ticks[1]
                )
                found[each.label] = list(islice(lines, ROWS))
    return found


def speakers(replay: PresentedReplay) -> Sequence[Speaking]:
    """Return who speaks in the recording."""
    return replay.speakers() if "voice" in replay.capabilities else ()


def story_of(replay: PresentedReplay, *, voices: bool = False) -> dict[str, Any]:
    """Return chapters, lead and builds, and how many problems the whole recording has; an empty story if the
    recording is too damaged for it. With `voices`, the same pass reads what `speakers` needs."""
    found: dict[str, Any] = {name: [] for name in ("chapters", "scores", "best", "respawns", "deaths")}
    found |= dict.fromkeys(("lead", "win_chance", "builds", "tasks"))
    read_course(replay, *(["voice"] if voices and "voice" in replay.capabilities else []))
    for make in (chapters, scores, best, respawns, deaths, tasks, lead, win_chance, builds):
        name = make.__name__
        with suppress(ReplayError, NotImplementedError):
            found[name] = make(replay)
    found["problems"] = len(replay.problems)
    return found


def places_within(ticks: Sequence[int], first: int, last: int) -> slice:
    """Return the places, in ticks in order, from the first to the last of these ticks."""
    return slice(bisect_left(ticks, first), bisect_right(ticks, last))


def part_of(line: Mapping[str, Any], first: int, last: int) -> dict[str, Any]:
    """Return a line, whose lists are its columns, from the first to the last of these ticks."""
    places = places_within(line["tick"], first, last)
    return {name: value[places] if isinstance(value, list) else value for name, value in line.items()}


def part_of_story(found: dict[str, Any], first: int, last: int) -> dict[str, Any]:
    """Return a story from the first to the last of these ticks."""
    lead, chance, builds = found["lead"], found["win_chance"], found["builds"]
    if lead is not None:
        places = places_within(lead["tick"], first, last)
        values = [values[places] for values in lead["values"]]
        lead = {**lead, "tick": lead["tick"][places], "values": values} if any(values) else None
    if chance is not None:
        chance = part_of(chance, first, last)
    if builds is not None:
        players = [part_of(held, first, last) for held in builds["players"]]
        builds = {**builds, "players": players, "total": sum(len(held["tick"]) for held in players)}
    chapters = [each for each in found["chapters"] if each["tick"] <= last and (each["end"] or last) > first]
    tasks = found["tasks"]
    if tasks is not None:
        rows = [row for row in zip(*tasks.values(), strict=True) if row[0] <= last and row[1] > first]
        columns = zip(*rows, strict=True) if rows else [()] * len(tasks)
        tasks = dict(zip(tasks, map(list, columns), strict=True))
    return {**found, "tasks": tasks, "lead": lead, "win_chance": chance, "builds": builds, "chapters": chapters}


#: The rule of the last line: the winner is known before.
_AHEAD = "who led to the end"
#: The award of the best player.
_MVP = "MVP"
#: Most lines, and the seconds within which a lead changes most.
LINES, SWING_SECONDS = 12, 60.0


def decided(replay: PresentedReplay, lead: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the lines (tick, rule, text, team), and columns and rows of the game's table of the players. `lead`
    is that of the story."""
    lines: list[Turn] = []
    read_course(replay)
    for make in (_result, lambda replay: _lead_turns(replay, lead), _best_player, replay.presentation.stage.turns):
        with suppress(ReplayError, NotImplementedError):
            lines += make(replay)
    lines.sort(key=lambda line: line.rule == _AHEAD)
    found: dict[str, Any] = {"lines": [each._asdict() for each in lines[:LINES]], "columns": [], "rows": []}
    shown = next((each for each in replay.presentation.stage.tables if each[0] in replay.tables), None)
    if shown is not None:
        with suppress(ReplayError, NotImplementedError):
            known = replay.schema_of(shown[0]).column_names
            rows = replay.table(shown[0], columns=[name for name in shown[1] if name in known]).to_pylist()
            named, *counted = shown[1]
            # A column of zeros tells nothing; one of falsehoods does.
            columns = [named, *(name for name in counted if any(_tells(row.get(name)) for row in rows))]
            spoken = replay.presentation.wording.shown
            if len(columns) > 1:  # names alone tell nothing either
                found["columns"] = columns
                found["rows"] = [[spoken(row[name]) for name in columns] for row in rows]
    return found


def _tells(value: Any) -> bool:
    return value is not None and (value is False or value != 0)


def _result(replay: PresentedReplay) -> Iterator[Turn]:
    """Yield the winner, and the last score of two sides, the winner's first."""
    sides, won = replay.presentation.sides, replay.info.winner_team
    winner = replay.presentation.winner(replay.info) or sides.get(won or 0)
    last = {team: (tick, score) for tick, team, score in scores(replay)}
    if len(last) > 2:
        last = {}
    if winner is None and not last and len(sides_of(replay)) < 2:
        return
    tick = max((each[0] for each in last.values()), default=replay.info.duration_ticks or 0)
    for team in sides if last else ():
        last.setdefault(team, (0, 0))  # a side without a kill
    order = sorted(last, key=lambda team: (team != won, team not in sides, team))
    score = "–".join(str(last[team][1]) for team in order)
    label = replay.presentation.stage.score_label
    result = f"{winner} won" if winner else "no result in the file"
    yield Turn(tick, "the result", "; ".join(filter(None, (result, score and f"{label} {score}"))), won)


def _best_player(replay: PresentedReplay) -> Iterator[Turn]:
    """Yield the player with the game's award, or else with most kills and half of the assists less half of the
    deaths, of a game whose score is kills."""
    stage = replay.presentation.stage
    if stage.score_label != "kills" or not stage.tables:
        return
    people = {player.player: player for player in replay.players}
    columns = ["player", "kills", "deaths", "assists"]
    award = ["award"] if "award" in replay.schema_of("player_stats").column_names else []
    rows = replay.table("player_stats", columns=[*columns, *award]).to_pylist()
    rows = [row for row in rows if None not in map(row.get, columns)]

    def rank(row: Mapping[str, Any]) -> tuple[bool, int, int]:
        return row.get("award") == _MVP, 2 * row["kills"] + row["assists"] - row["deaths"], row["kills"]

    best = max(rows, key=rank, default=None)
    if best is not None and best["player"] in people and best["kills"] + best["assists"]:
        player = people[best["player"]]
        name = " · ".join(filter(None, (player.name, replay.presentation.character(player))))
        numbers = " / ".join(str(best[column]) for column in columns[1:])
        yield Turn(replay.info.duration_ticks or 0, "player of the match", f"{name} {numbers}", player.team)


def _lead_turns(replay: PresentedReplay, found: Mapping[str, Any] | None) -> Iterator[Turn]:
    """Yield the largest swing of the lead, the best moment of the side that trailed in the end, and from when on
    the other one led."""
    if next(iter(replay.presentation.chapters(replay)), None) is not None:
        return  # what a side has in a round, it has anew in the next
    rate = replay.info.ticks_per_second
    if found is None or not rate or found["tick"][-1] - found["tick"][0] < SWING_SECONDS * rate:
        return
    ticks, label, teams = found["tick"], found["label"].partition(" (")[0], found["teams"]
    by = [one - two for one, two in zip(*found["values"], strict=True)]
    swings = [
        (by[bisect_right(ticks, tick + SWING_SECONDS * rate) - 1] - by[place], tick)
        for place, tick in enumerate(ticks)
    ]
    most, tick = max(swings, key=lambda each: abs(each[0]))
    if most:
        team = teams[0] if most > 0 else teams[1]
        yield Turn(tick, "turning point", f"+{abs(most):,.0f} {label} in {SWING_SECONDS:.0f} s", team)
    worst, trailed = max((-value if by[-1] > 0 else value, place) for place, value in enumerate(by))
    if worst > 0:
        team = teams[1] if by[-1] > 0 else teams[0]
        yield Turn(ticks[trailed], "best moment", f"+{worst:,.0f} {label}", team)
    turned = next((place + 1 for place in range(len(by) - 2, -1, -1) if by[place] * by[-1] <= 0), 0)
    if by[-1] and turned < len(by):
        team = teams[0] if by[-1] > 0 else teams[1]
        yield Turn(ticks[turned], _AHEAD, f"ahead for good, at last by {abs(by[-1]):,.0f} in {label}", team)
