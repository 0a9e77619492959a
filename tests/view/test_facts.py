"""Facts that the page shows at a moment are those of the library."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest
from tests.cli.in_process import run as run_playhead
from tests.samples.games import write_match
from tests.view.pages import Page
from tests.view.test_report import packed

import playhead
from playhead.clock import format_hundredths
from playhead.dota2.presentation import PRESENTATION as DOTA2
from playhead.sc2.presentation import PRESENTATION as SC2
from playhead.text.json import to_json
from playhead.view import write_report
from playhead.web.shelf import open_match

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(scope="module")
def cs2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A written match of CS2, whose sides change."""
    return Path(write_match("cs2", tmp_path_factory.mktemp("match"), 4)[0])


@pytest.fixture(scope="module")
def report(cs2: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a report of it holds."""
    path = tmp_path_factory.mktemp("report") / "match.html"
    write_report(playhead.open(cs2), path)
    return packed(path)


@pytest.mark.long
def test_the_side_of_a_player_is_that_of_the_moment(cs2: Path) -> None:
    replay, match = playhead.open(cs2), open_match(cs2)
    (swap,) = [row["start_tick"] for row in replay.table("rounds").to_pylist() if row["round_num"] == 4]
    rows = match.motion.rows(swap - 128, swap + 128, 32)
    assert not any("team" in about for about in rows.directory)
    last = dict(zip(rows.things, rows.teams, strict=True))
    players = {about["player"]: place for place, about in enumerate(rows.directory) if about["role"] == "hero"}
    first = dict(zip(rows.things[::-1], rows.teams[::-1], strict=True))
    for found, tick in ((first, swap - 128), (last, swap + 128)):
        there = {row["player"]: row["team"] for row in replay.at(tick).players if row["alive"]}
        # The slot of player 8 has another person, number 64, from this round on.
        assert {player: found[players[player]] for player in there if player < 8} == {
            player: team for player, team in there.items() if player < 8
        }
    assert first != last
    later = {about["player"] for about in match.motion.rows(swap + 640, swap + 1280, 64).directory}
    assert 64 in later
    assert 8 not in later


@pytest.mark.long
def test_a_report_has_the_state_at_kills_rounds_and_its_opening(cs2: Path, report: Any) -> None:
    ticks = {each["tick"] for each in report["moments"]}
    replay = playhead.open(cs2)
    assert {row["tick"] for row in replay.table("kills").to_pylist()} <= ticks
    assert {row["start_tick"] for row in replay.table("rounds").to_pylist()} <= ticks
    assert report["answers"]["opening"]["tick"] in ticks
    kill = replay.table("kills").to_pylist()[5]
    (moment,) = [each for each in report["moments"] if each["tick"] == kill["tick"]]
    assert {row["player"]: row["alive"] for row in moment["players"]}[kill["victim_player"]] is False


def test_a_time_of_the_page_is_one_of_the_command_line(cs2: Path, report: Any, tmp_path: Path) -> None:
    replay = playhead.open(cs2)
    assert replay.clock is not None
    countdowns = report["answers"]["clock"]["countdowns"]
    assert [tuple(each) for each in countdowns] == [tuple(each) for each in replay.clock.countdowns]
    times = [replay.clock.displayed(tick) for tick in (2700, 8900, 9000)]
    assert all(re.fullmatch(r"R\d+( freeze| bomb)? \d:\d\d", str(time)) for time in times)
    part = ("--from", str(times[1]), "--to", str(times[2]))
    done = run_playhead("report", str(cs2), "-o", str(tmp_path / "part.html"), *part)
    assert done.returncode == 0, done.stderr


def test_units_that_nobody_killed_are_no_deaths_of_starcraft() -> None:
    units = [
        ("Marine", 1, 2),
        ("InvisibleTargetDummy", 1, 2),
        ("Marine", 1, 1),
        ("Zergling", 2, None),
        ("Zergling", 2, 1),
    ]
    rows = [
        {"unit_type": kind, "player": owner, "attacker_player": killer}
        | {"end_tick": 144, "end_seconds": 9.0, "end_x": 1, "end_y": 2}
        for kind, owner, killer in units
    ]
    replay = SimpleNamespace(
        players=[SimpleNamespace(player=number, team=number) for number in (1, 2)],
        table=lambda name, columns: pa.Table.from_pylist(rows).select(columns),
    )
    assert SC2.deaths is not None
    assert [(death.player, death.killer) for death in SC2.deaths(cast("Any", replay))] == [(1, 2), (2, 1)]
    assert not SC2.wording.is_unit("DecorationPowerVisual")
    assert SC2.wording.is_unit("Zergling")


def test_the_summary_has_each_player_and_its_lines_their_rules(cs2: Path) -> None:
    found, replay = open_match(cs2).decided(), playhead.open(cs2)
    rules = [line["rule"] for line in found["lines"]]
    assert rules[0] == "the result"
    assert len(set(rules)) == len(rules) <= 8
    stats = replay.table("player_stats").to_pylist()
    best = max(stats, key=lambda row: row["rating_2"])
    (line,) = [line for line in found["lines"] if line["rule"] == "the best rating (2.0)"]
    assert line["text"].startswith(f"{best['name']} {best['rating_2']:.2f}")
    assert found["columns"][0] == "player"
    assert [row[0] for row in found["rows"]] == [row["player"] for row in stats]


@pytest.mark.long
def test_each_game_says_what_decided_it(samples: dict[str, Path], tmp_path: Path) -> None:
    told = {}
    for name in ("source2", "sc2", "teehistorian"):
        match = open_match(samples[name])
        lines = match.decided()["lines"]
        assert all(match.summary()["first_tick"] <= line["tick"] <= match.summary()["last_tick"] for line in lines)
        told[name] = {line["rule"]: line["text"] for line in lines}
    wards = playhead.open(samples["source2"]).table("wards").to_pylist()
    lost = sum(row["outcome"] == "killed" for row in wards if row["kind"] == "observer" and row["team"] == 2)
    assert f", {lost} lost; Dire" in told["source2"]["observer wards"]
    assert told["teehistorian"]["the best time"] == "nameless tee, 0:02.20"
    deadlock = open_match(Path(write_match("deadlock", tmp_path, 2)[0])).decided()["lines"]
    assert "souls of Hidden King" in {line["rule"] for line in deadlock}
    stats = [(1, "Ann", 80.4, 9), (2, "Bob", 95.6, 9)]
    tables = {
        "engagements": [{"tick": 1, "player": 1, "trade": 0}],
        "supply_blocks": [{"tick": 1, "seconds": 1.0, "player": 1, "end_seconds": 1.5}],
        "bases": [
            {"tick": tick, "seconds": tick / 16, "player": 1, "base": base, "finished_tick": finished}
            # The start, a new base, a cancelled one, a second landing at the new one, a hall at no resources.
            for tick, base, finished in (
                (0, 7, 0),
                (1600, 3, 2000),
                (1700, 4, None),
                (1800, 3, 1800),
                (1900, None, 1),
            )
        ],
        "player_stats": [
            {"end_tick": end, "player": p, "spending_quotient": sq, "first_expansion_seconds": 99.0}
            for p, _, sq, end in stats
        ],
        "player_series": [{"tick": tick} for tick in (1, 7)],
    }
    replay = SimpleNamespace(
        players=[SimpleNamespace(player=player, name=name, team=player) for player, name, _, _ in stats],
        table=lambda name, columns: pa.Table.from_pylist(tables[name]).select(columns),
    )
    turns = {turn.rule: (turn.tick, turn.text) for turn in SC2.stage.turns(cast("Any", replay))}
    assert turns["spending quotient"] == (7, "Bob 96, Ann 80")  # not 9: the recording went on
    assert turns["the first new bases"] == (1600, "Ann 1:39, 1 in all")
    assert "the longest supply block" not in turns


def test_dota_has_no_name_of_a_map() -> None:
    named = [
        DOTA2.map_name(cast("Any", SimpleNamespace(map=name))) for name in ("start", "dota_685", None, "hero_demo")
    ]
    assert named == [None, None, None, "hero_demo"]


def test_keys_links_and_the_height_of_the_page(
    cs2: Path, serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown()
    page = viewed.open(serve(cs2), "#t=3000")
    assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight")
    assert page.locator("output.now b").inner_text() == playhead.open(cs2).at(3000).displayed
    page.locator(".player .name").first.click()
    viewed.settle()
    link = page.url
    assert "follow=1" in link
    page.goto("about:blank")
    viewed.open(link, "")
    assert "follow=1" in page.url
    page.get_by_role("button", name="next kill").click()
    viewed.settle()
    tick = viewed.tick()
    page.keyboard.press("Space")
    page.locator("button[aria-label=stop]").wait_for()
    page.keyboard.press("Space")
    assert viewed.tick() - tick < 600  # it played, and did not go to another kill


def rounded(text: str) -> Any:
    """Read JSON; clocks that several passes made differ in the last digits."""
    return json.loads(text, parse_float=lambda digits: round(float(digits), 6))


GAMES = ["cs2", "deadlock", "source2", "sc2", "hots", "teehistorian"]


@pytest.fixture(scope="module")
def deadlock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A written match of Deadlock."""
    return Path(write_match("deadlock", tmp_path_factory.mktemp("match"), 2)[0])


@pytest.fixture
def recording(game: str, samples: dict[str, Path], request: pytest.FixtureRequest) -> Path:
    """A recording of a game."""
    return samples[game] if game in samples else Path(request.getfixturevalue(game))


@pytest.fixture(scope="module")
def reports() -> dict[Path, Path]:
    """Reports by recording: two tests read each."""
    return {}


@pytest.fixture
def reported(recording: Path, reports: dict[Path, Path], tmp_path: Path) -> Path:
    """The report of a recording."""
    if recording not in reports:
        reports[recording] = tmp_path / "match.html"
        write_report(playhead.open(recording), reports[recording])
    return reports[recording]


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_page_report_and_command_line_agree_at_twenty_moments(recording: Path, reported: Path) -> None:
    """What the page requests, what a report holds, and what the command prints, which is `Moment.as_dict`."""
    replay, match = playhead.open(recording), open_match(recording)
    held = packed(reported)
    moments = held["moments"][:: max(1, len(held["moments"]) // 20)][:20]
    assert len(moments) == 20
    spoken = replay.presentation.wording.shown
    for report in moments:
        tick = report["tick"]
        told = replay.at(tick)
        players = [dict(row) for row in told.players]
        printed = rounded(run_playhead("at", str(recording), f"{tick}t", "--json").stdout)
        assert printed["displayed"] == told.displayed
        assert printed.get(next(iter(told.groups), ""), []) == rounded(to_json(players))
        page = match.moment(tick)
        rows = [{name: spoken(value) for name, value in row.items()} for row in players]
        for found in (rounded(to_json(page)), rounded(to_json(report))):
            assert found["displayed"] == told.displayed
            assert found["players"] == rounded(to_json(rows))
        assert rounded(to_json(report["resources"])) == rounded(to_json(page["resources"]))
    assert rounded(to_json(held["answers"]["clock"])) == rounded(to_json(match.clock()))
    story = rounded(to_json(match.story()))
    assert {name: story[name] for name in held["answers"]["story"]} == rounded(to_json(held["answers"]["story"]))
    assert rounded(to_json(held["answers"]["decided"])) == rounded(to_json(match.decided()))


@pytest.mark.one_of("game")
@pytest.mark.parametrize("game", GAMES)
def test_page_report_and_command_line_agree(
    recording: Path,
    serve: Callable[..., str],
    shown: Callable[..., Page],
    reported: Path,
) -> None:
    path, replay = recording, playhead.open(recording)
    moments = [each["tick"] for each in packed(reported)["moments"]]
    ticks = moments[:: len(moments) // 4][1:4]
    scores = [(tick, team, score) for tick, team, score in replay.presentation.stage.scores(replay)]
    runs = replay.table("runs").to_pylist() if "runs" in replay.tables else []
    for address in (serve(path), reported.as_uri()):
        viewed = shown()
        page = viewed.open(address, f"#t={ticks[0]}")
        for tick in ticks:
            page.evaluate(f"location.hash = 't={tick}'")
            page.wait_for_selector(".theatre")
            page.locator(f'output.now [title="tick {tick}"]').wait_for()
            viewed.settle()
            done = run_playhead("at", str(path), f"{tick}t", "--json")
            told = json.loads(done.stdout)
            assert page.locator("output.now b").inner_text() == told["displayed"]
            dead = page.locator(".column .player.dead .name").all_inner_texts()
            assert sorted(dead) == sorted(row["name"] for row in told["players"] if row.get("alive") is False)
            best = [row["duration_seconds"] for row in runs if row["tick"] <= tick]
            assert page.locator(".best b").all_inner_texts() == ([format_hundredths(min(best))] if best else [])
            for team in page.locator(".score").all():
                number = int(team.get_attribute("data-team"))
                last = [score for at, side, score in scores if side == number and at <= tick]
                assert int(team.inner_text()) == (last or [0])[-1]
            for row in told["players"]:
                card = page.locator(f".player[data-player='{row['player']}']")
                for fact in ("money", "net_worth", "minerals"):
                    if row.get(fact):
                        assert f"{row[fact]:,}" in card.inner_text()
