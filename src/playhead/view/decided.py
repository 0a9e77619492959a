"""What decided a match, in a few lines by stated rules, and the game's table of the players."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from playhead.errors import ReplayError
from playhead.presentation.stage import Turn
from playhead.view.curves import sides_of
from playhead.view.story import read_course, scores

if TYPE_CHECKING:
    from playhead.presentation import PresentedReplay

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
    if any(each.team is not None for each in replay.presentation.chapters(replay)):
        return  # what a side has in a round, it has anew in the next
    rate = replay.info.ticks_per_second
    if found is None or not rate:
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
