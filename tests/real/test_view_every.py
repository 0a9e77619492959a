"""The report and the server's answers on each kind of real recording, wherever it begins and ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.cli.in_process import run as run_playhead

import playhead
from playhead.view import write_report
from playhead.view.feed import MOST
from playhead.web.shelf import Shelf, open_match
from playhead.web.viewer import make_app

pytestmark = pytest.mark.usefixtures("without_collections")

TOKEN = "secret"
#: Patterns in the corpus, and how many of their files are read.
KINDS = {
    "source2/cs2_*.dem": 2,
    "source2/deadlock_10423.dem": 1,
    "source2/dota2_pov.dem": 1,
    "sc2/0.2.0.13891/*.SC2Replay": 1,
    "sc2/0.10.0.14803/*.SC2Replay": 1,
    "sc2/1.0.0.16117/*.SC2Replay": 1,
    "sc2/4.0.0.59587/*.SC2Replay": 1,
    "teehistorian/old*/*.teehistorian": 6,
    "teehistorian/deb16.4-invalid-utf8-header/*.teehistorian": 1,
    "teehistorian/head20.1-bigsave/*.teehistorian": 1,
    "hostile/tickgap.dem": 1,
}


def check(path: Path, folder: Path) -> dict[str, Any]:
    """Write a report of a recording, ask the server for each answer of its page, and return the summary."""
    client = TestClient(make_app(Shelf([str(path)]), TOKEN), base_url="http://127.0.0.1:8000")

    def get(what: str, **query: Any) -> Any:
        answer = client.get(f"/{TOKEN}/m/0/{what}", params=query)
        assert answer.status_code == 200, (path, what, query, answer.text)
        return answer if what == "state" else answer.json()

    summary = get("summary")
    first, last, stretch = summary["first_tick"], summary["last_tick"], summary["stretch"]
    assert 0 <= first <= last
    for what in ("clock", "ground", "jumps", "problems"):
        get(what)
    events = get("events", kinds=",".join(summary["notable"]))
    assert all(tick <= last + stretch for tick in events["columns"]["tick"])
    if summary["has_map"]:
        for tick in {first, (first + last) // 2, last}:
            assert get("moment", tick=tick)["tick"] == tick
            assert len(get("state", stretch=tick // stretch).content) > 50
    for each in summary["curves"]:
        if each["first"]:
            get("curve", name=each["name"])
    size = write_report(playhead.open(path), folder / "match.html")
    assert 100_000 < size < 3_000_000
    return summary


@pytest.mark.long
@pytest.mark.stepped
@pytest.mark.parametrize("pattern", KINDS)
def test_every_kind_is_shown(corpus: Path, tmp_path: Path, pattern: str, step: int) -> None:
    files = sorted(corpus.glob(pattern))
    if not files:
        pytest.skip(f"no {pattern} in the corpus")
    for path in files[:: max(1, len(files) // KINDS[pattern])][: KINDS[pattern] : step]:
        check(path, tmp_path)


@pytest.mark.long
def test_a_joined_broadcast_begins_where_it_was_joined(corpus: Path, tmp_path: Path) -> None:
    path = corpus / "source2" / "deadlock_broadcast"
    summary = check(path, tmp_path)
    assert (summary["first_tick"], summary["last_tick"]) == (7244, 8861)
    assert "first_tick" in run_playhead("info", "--json", str(path)).stdout
    lines = run_playhead("info", str(path)).stdout.splitlines()
    facts = dict(line.split(None, 1) for line in lines if " " in line.strip())
    assert facts["from"] == "02:00 (tick 7244)"
    assert facts["duration"].startswith("00:26 (")


@pytest.mark.parametrize("build", ["0.2.0.13891", "0.10.0.14803", "1.0.0.16117"])
def test_without_a_tracker_there_are_screens_and_orders(corpus: Path, build: str) -> None:
    match = open_match(min((corpus / "sc2" / build).glob("*.SC2Replay")))
    rows = match.motion.rows(match.first_tick, match.last_tick, match.step * 20)
    assert {about["role"] for about in rows.directory} == {"camera", "order"}
    assert rows.ticks


def test_events_of_an_arcade_game_reach_its_end(corpus: Path) -> None:
    """All events that players care for are there; the upgrades and things of the map's own are counted."""
    match = open_match(corpus / "sc2" / "5.0.15.96883" / "test10.SC2Replay")
    events = match.events(tuple(match.summary()["notable"]))
    ticks = events["columns"]["tick"]
    assert sum(events["counts"].values()) == len(ticks)
    assert events["hidden"] > MOST
    assert (ticks[0] > 0, ticks[-1]) == (True, match.last_tick)
    for tenth in range(10):
        part = range(tenth * match.last_tick // 10, (tenth + 1) * match.last_tick // 10)
        assert sum(tick in part for tick in ticks) > 50


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cs2_14090.dem", "→ Partridge · Galil AR"),
        ("deadlock_broadcast", " · assists Adrenaline"),
    ],
)
def test_a_kill_is_a_line_of_names_and_a_jump(corpus: Path, name: str, words: str) -> None:
    match = open_match(corpus / "source2" / name)
    events = match.events(("player_killed",))
    text = events["columns"]["text"][0]
    assert words in text
    assert "event id" not in text
    assert " pitch " not in text
    assert " id " not in text
    assert events["jumps"]["kill"] == sorted(set(events["columns"]["tick"]))


@pytest.mark.parametrize(
    ("path", "kind", "text"),
    [
        ("source2/deadlock_broadcast", "structure_damaged", "guardian"),
        ("sc2/0.10.0.14803/test.SC2Replay", "resources_given", "recipient Meatballz · resources 450, 0, 0, 0"),
        ("teehistorian/old11.0.2/*.teehistorian", "command_given", "reload"),
        ("teehistorian/head20.1-bigsave/*.teehistorian", "team_saved", ""),
        ("source2/dota2_pov.dem", "chat_sent", "pick sıpp · to team"),
    ],
)
def test_lines_have_names_for_numbers(corpus: Path, path: str, kind: str, text: str) -> None:
    events = open_match(min(corpus.glob(path))).events((kind,))
    assert events["columns"]["text"][0] == text


@pytest.mark.parametrize("name", ["cs2_14065.dem", "cs2_14090.dem", "cs2_14132.dem", "deadlock_broadcast"])
def test_each_pawn_belongs_to_a_player_with_a_side(corpus: Path, name: str) -> None:
    """Also those of players that joined during the recording."""
    match = open_match(corpus / "source2" / name)
    sides = {player.player: player.team for player in match.moments.players}
    step = match.step
    rows = match.motion.rows(match.first_tick, match.last_tick, step)
    pawns = [about for about in rows.directory if about["role"] == "hero"]
    assert len(pawns) >= 2
    teams = {(rows.things[place], rows.teams[place]) for place in range(len(rows.things))}
    for pawn in pawns:
        assert pawn["player"] in sides
        assert {team for thing, team in teams if thing == rows.places[pawn["id"]]} <= {2, 3}
