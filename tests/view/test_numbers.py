"""A number of the page is the same wherever it stands: strip, tiles, summary, cards, scoreboard, curves, `at`."""

from __future__ import annotations

import lzma
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.errors import ReplayError
from playhead.samples.games import write_match
from playhead.serve.shelf import open_match
from playhead.view.match import Match

MOMENTS = 10
CARDS = ("kills", "deaths", "assists", "net_worth")


def told(match: Match) -> dict[str, str]:
    """Return the tiles of a recording by rule."""
    return {line["rule"]: line["text"] for line in match.decided()["lines"]}


def summary_rows(match: Match) -> dict[int, dict[str, Any]]:
    """Return the table of the summary by player."""
    found = match.decided()
    rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    return {row["player"]: row for row in rows}


def score_at(match: Match, tick: int) -> dict[int, int]:
    """Return the score of each side on the strip."""
    return {team: score for at, team, score in match.story()["scores"] if at <= tick}


def tally_at(match: Match, tick: int) -> tuple[Counter[int], Counter[int]]:
    """Return the kills and deaths that cards and scoreboard count."""
    gone = [row for row in match.story()["deaths"] if row[0] <= tick]
    return Counter(row[2] for row in gone), Counter(row[1] for row in gone)


def moments_of(match: Match, ticks: list[int] | None = None) -> list[int]:
    """Return ten ticks, of these or of the recording, with the last."""
    every = ticks or [
        match.first_tick + (match.last_tick - match.first_tick) * place // MOMENTS for place in range(MOMENTS + 1)
    ]
    return every[:: max(1, len(every) // MOMENTS)] + every[-1:]


def by_team(match: Match, tick: int, name: str) -> Counter[int]:
    """Return the sums of a number of the cards by side."""
    sums = Counter[int]()
    moment = match.moment(tick)
    for row in moment["players"]:
        sums[row["team"]] += {**row, **moment["resources"].get(row["player"], {})}.get(name) or 0
    return sums


def check_lead(match: Match, name: str | None) -> None:
    """The lead of the timeline is that of the sides' curve, of the tiles and, by `name`, of the cards."""
    lead = match.story()["lead"]
    if lead is None:
        return
    last = dict(zip(lead["teams"], (values[-1] for values in lead["values"]), strict=True))
    if name is not None:
        for tick in moments_of(match, lead["tick"]):
            place = lead["tick"].index(tick)
            here = by_team(match, tick, name)
            for team, values in zip(lead["teams"], lead["values"], strict=True):
                assert values[place] == here[team], (tick, team)
    ahead = told(match).get("who led to the end")
    if ahead is not None:
        one, two = last.values()
        assert f"at last by {abs(one - two):,.0f}" in ahead
    economy = match.moments.presentation.economy
    advantage = match.moments.presentation.advantage
    if economy is not None and economy == advantage:
        sides = {line["player"]: line["value"][-1] for line in match.curve("economy")["sides"]}
        assert sides == last


def check_result(match: Match) -> None:
    """The result tells the last score of the strip."""
    last = score_at(match, match.last_tick)
    text = told(match).get("the result")
    if len(last) == 2 and text is not None:
        label = match.moments.presentation.stage.score_label
        assert Counter(text.rpartition(f"{label} ")[2].split("–")) == Counter(map(str, last.values()))


def check_cards(match: Match) -> None:
    """At the end, cards and scoreboard have the numbers of the summary."""
    now = {row["player"]: row for row in match.moment(match.last_tick)["players"]}
    for player, row in summary_rows(match).items():
        for name in CARDS:
            if name in row and name in now.get(player, {}):
                assert now[player][name] == row[name], (player, name)


def check_heroes(match: Match) -> None:
    replay = match.whole
    stats, kills = replay.table("player_stats").to_pylist(), replay.table("kills").to_pylist()
    natural = Counter(
        row["victim_team"] for row in kills if row["attacker_team"] is None and not row["assister_players"]
    )
    for tick in moments_of(match):
        score, deaths = score_at(match, tick), by_team(match, tick, "deaths")
        alone = natural if tick >= match.last_tick else Counter()
        for team in (1, 2):
            assert 0 <= deaths[team] - score.get(3 - team, 0) - alone[team] <= natural[team] - alone[team]
    own: dict[int, int] = {}
    for row in stats:  # the first player of a side has what the other side took down
        own.setdefault(row["team"], row["score_team_takedowns"])
    if kills:
        assert own == {team: score_at(match, match.last_tick).get(3 - team, 0) for team in own}
    lead, xp = match.story()["lead"], replay.table("xp").to_pylist()
    if lead is not None:
        last = {row["team"]: row["xp_all"] for row in xp}
        assert [line[-1] for line in lead["values"]] == [last[team] for team in lead["teams"]]
        assert lead["tick"][-1] == xp[-1]["tick"]
    check_lead(match, None)


def check_mobas(match: Match) -> None:
    replay = match.whole
    columns = ["tick", "attacker_team", "victim_team", "attacker_player"]
    kills = replay.table("kills", columns=columns).to_pylist()
    for tick in moments_of(match):
        of_units = Counter(
            row["attacker_team"]
            for row in kills
            if row["attacker_player"] is None
            and row["attacker_team"] != row["victim_team"]
            and row["tick"] <= tick
        )
        here = by_team(match, tick, "kills")
        for team, score in score_at(match, tick).items():
            assert score == here[team] + of_units[team], (tick, team)
    check_lead(match, "net_worth")
    opening = match.opening()
    if opening is not None and opening["label"].startswith("the largest fight"):
        (tick,) = (line["tick"] for line in match.decided()["lines"] if line["rule"] == "the largest fight")
        fight = next(row for row in replay.table("fights").to_pylist() if row["tick"] == tick)
        assert fight["tick"] <= opening["tick"] <= fight["end_tick"]


def check_cs2(match: Match) -> None:
    replay = match.whole
    ended = [row for row in replay.table("rounds").to_pylist() if row["counts"] and row["end_tick"] is not None]
    last = max((row["official_end_tick"] or row["end_tick"] for row in ended), default=0)
    kills, deaths = tally_at(match, last)
    for player, row in summary_rows(match).items():
        assert (kills[player], deaths[player]) == (row.get("kills", 0), row.get("deaths", 0)), player
    for row in replay.table("match").to_pylist():
        if ended and row["ended"]:
            wanted = Counter((row["team_a_score"], row["team_b_score"]))
            assert Counter(score_at(match, match.last_tick).values()) == wanted
    for row in ended[:: max(1, len(ended) // MOMENTS)]:
        if None not in (row["t_score"], row["ct_score"]) and row["phase"] == "live":
            assert score_at(match, row["end_tick"]) == {2: row["t_score"], 3: row["ct_score"]}
    check_lead(match, "equipment_value")


def check_starcraft(match: Match) -> None:
    for tick in moments_of(match):
        supply = by_team(match, tick, "supply")
        for team, score in score_at(match, tick).items():
            assert score == math.floor(supply[team] + 0.5), (tick, team)
    names = {player.player: player.name for player in match.moments.players}
    rows = [row for row in match.whole.table("bases").to_pylist() if row["player"] in names]
    text = told(match).get("the first new bases", "")
    for player, name in names.items():
        held = {row["base"] for row in rows if row["player"] == player and row["finished_tick"] is not None}
        begun = {row["base"] for row in rows if row["player"] == player and row["tick"] == 0}
        for part in text.split("; "):
            if list(names.values()).count(name) == 1 and part.startswith(f"{name} "):
                assert part.endswith(f", {len(held - begun - {None})} in all")
    kills, deaths = tally_at(match, match.last_tick)
    found = list(match.moments.presentation.deaths(match.whole))  # type: ignore[misc]
    assert sum(deaths.values()) == sum(kills.values()) == len(found)
    check_lead(match, None)


CHECKS = {
    "hots": check_heroes,
    "dota2": check_mobas,
    "deadlock": check_mobas,
    "cs2": check_cs2,
    "sc2": check_starcraft,
}


def check(path: Path) -> bool:
    """Check one recording; False for one that cannot be read or of a game without such numbers."""
    try:
        match = open_match(path)
        made = CHECKS.get(match.moments.info.game)
        if made is None or not match.has_map:
            return False
        made(match)
    except ReplayError:
        return False
    check_result(match)
    check_cards(match)
    return True


@pytest.mark.long
@pytest.mark.parametrize("game", ["cs2", "deadlock"])
def test_numbers_of_written_matches(game: str, tmp_path: Path) -> None:
    (path, *_) = write_match(game, tmp_path, 6)
    assert check(path)


def _real(corpus: Path, step: int) -> Iterator[Path]:
    odd = corpus.parent / "odd"
    yield from sorted((corpus / "source2").glob("*.dem"))
    for folder, kind in (("hots", "StormReplay"), ("sc2", "SC2Replay"), ("cs2", "dem")):
        yield from sorted(odd.rglob(f"{folder}/**/*.{kind}"))[::step]
        yield from sorted((corpus / folder).rglob(f"*.{kind}"))[:: step * (4 if folder == "sc2" else 1)]


@pytest.mark.long
def test_numbers_of_real_recordings(corpus: Path, step: int) -> None:
    wrong: dict[str, str] = {}
    checked = 0
    for path in _real(corpus, step):
        try:
            checked += check(path)
        except AssertionError as error:
            wrong[path.name] = str(error).partition("\n")[0]
    assert not wrong
    assert checked > 60 // step


@pytest.mark.long
def test_numbers_of_a_told_match(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "dota2_story.dem"
    path.write_bytes(lzma.decompress((corpus / "source2" / "dota2_story.dem.xz").read_bytes()))
    assert check(path)
