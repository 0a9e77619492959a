"""The answers of a coach's and a researcher's questions on a real replay, against sc2reader's events."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import dist, log
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from markdown_blocks import python_blocks

pytestmark = pytest.mark.slow_interpreted

COOKBOOK = Path(__file__).parents[2] / "docs/cookbook"
#: A game that begins with cannons at the opponent's base.
CANNONS = "sc2/5.0.14.94137/a.SC2Replay"
HALLS = ("CommandCenter", "Nexus", "Hatchery")
REPLAY = "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay"
Answers = Mapping[str, Any]


@pytest.fixture(scope="module")
def peer(corpus: Path) -> Any:
    """sc2reader's replay."""
    sc2reader = pytest.importorskip("sc2reader", reason="the answers are compared with it")
    return sc2reader.load_replay(str(corpus / REPLAY), load_level=4)


@pytest.fixture(scope="module")
def ask(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Answers]:
    """Return a function that returns the answers of a page by their questions."""
    pytest.importorskip("polars", reason="the cookbook uses polars")

    def answers(page: str) -> Answers:
        start, *recipes = python_blocks(COOKBOOK / f"{page}.md")
        names: dict[str, Any] = {"path": corpus / REPLAY, "folder": tmp_path_factory.mktemp("answers")}
        start.run(names)
        found: dict[str, Any] = {"replay": names["replay"]}
        for recipe in recipes:
            names.pop("answer", None)
            recipe.run(names)
            found[recipe.heading] = [*found.get(recipe.heading, []), names["answer"]]
        return found

    return answers


def of_kind(peer: Any, *kinds: str) -> list[Any]:
    return [event for event in peer.events if type(event).__name__ in kinds]


def stats_at(peer: Any, player: int, loop: float) -> Any:
    """Return the last statistics of a player up to a loop."""
    mine = [each for each in of_kind(peer, "PlayerStatsEvent") if each.pid == player]
    return mine[bisect_right([each.frame for each in mine], loop) - 1]


def alive(peer: Any, kind: str, loop: int) -> int:
    """Return how many units that were born as a type live after a loop."""
    born = {each.unit_id for each in of_kind(peer, "UnitBornEvent") if each.unit_type_name == kind}
    gone = {each.unit_id for each in of_kind(peer, "UnitDiedEvent") if each.frame <= loop}
    here = {each.unit_id for each in of_kind(peer, "UnitBornEvent") if each.frame <= loop} & born
    return len(here - gone)


def rows(answer: Any) -> Sequence[dict[str, Any]]:
    found: Sequence[dict[str, Any]] = answer.to_dicts()
    return found


def assert_forward(steps: Sequence[dict[str, Any]], peer: Any) -> None:
    """Compare how far forward structures were with sc2reader's places."""
    halls = [each for each in of_kind(peer, "UnitBornEvent") if each.unit_type_name in HALLS and each.frame == 0]
    homes = {each.control_pid: (each.x, each.y) for each in halls}
    placed = {
        (each.frame, each.control_pid, each.unit_type_name): (each.x, each.y)
        for each in of_kind(peer, "UnitInitEvent")
    }
    assert [row["forward"] for row in steps] == sorted((row["forward"] for row in steps), reverse=True)
    for row in steps:
        spot = placed[round(row["seconds"] * 22.4), row["player"], row["product"]]
        mine, theirs = (dist(spot, homes[player]) for player in (row["player"], 3 - row["player"]))
        assert row["forward"] == pytest.approx(mine / (mine + theirs), abs=0.006)


def assert_paces(paces: Mapping[int, Mapping[str, Any]], replay: Any, peer: Any) -> None:
    """Compare the times of bases, workers, blocks and scouting with sc2reader's events and the game's samples."""
    assert paces.keys() == {1, 2}
    for player, row in paces.items():
        begun = [
            each.frame
            for each in of_kind(peer, "UnitInitEvent")
            if each.unit_type_name in HALLS and each.control_pid == player
        ]
        assert round(row["base_2_seconds"] * 22.4) == begun[0]
        stays = [each for each in replay.table("bases").to_pylist() if each["player"] == player and each["nth"]]
        for count in (2, 3):  # the third of the Terran was built elsewhere and landed
            now = row[f"base_{count}_seconds"]
            ends = [each["end_seconds"] for each in stays if each["seconds"] <= now]
            assert sum(end is None or end > now for end in ends) == count
        stats = [each for each in of_kind(peer, "PlayerStatsEvent") if each.pid == player]
        many = [each.frame for each in stats if each.workers_active_count >= 66]
        assert row["workers_66_seconds"] == (pytest.approx(many[0] / 22.4) if many else None)
        blocks = [each for each in replay.table("supply_blocks").to_pylist() if each["player"] == player]
        blocked = sum(each["end_tick"] - each["tick"] for each in blocks)
        assert row["supply_blocked_seconds"] == pytest.approx(blocked / 22.4)
        looks = [each["seconds"] for each in replay.table("scouting").to_pylist() if each["player"] == player]
        assert row["first_scouted_seconds"] == min(looks)


@pytest.mark.parametrize(
    ("file", "proxies"),
    [("sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay", 0), (CANNONS, 13)],
)
def test_a_proxy_is_nearer_to_the_opponent(corpus: Path, file: str, proxies: int) -> None:
    pytest.importorskip("polars", reason="the cookbook uses polars")
    start, *recipes = python_blocks(COOKBOOK / "starcraft2-coach.md")
    names: dict[str, Any] = {"path": corpus / file}
    start.run(names)
    next(each for each in recipes if each.heading == "Was there a proxy?").run(names)
    far = [row for row in rows(names["answer"]) if row["forward"] > 0.5]
    assert len(far) == proxies
    assert {row["product"] for row in far} <= {"Pylon", "Gateway", "PhotonCannon"}


@pytest.mark.long
def test_a_coach_gets_the_tracker_s_answers(ask: Callable[[str], Answers], peer: Any) -> None:
    found = ask("starcraft2-coach")
    assert len(found) == 15
    replay = found["replay"]
    reasons = rows(found["Why did I lose?"][0])
    losers = {player.name for team in peer.teams if team.result == "Loss" for player in team.players}
    assert {row["name"] for row in reasons if row["result"] == "loss"} == losers
    numbers = {player.name: player.pid for player in peer.players}
    checked = set()
    for row in reasons:
        player = numbers[row["name"]]
        if most := re.search(r"most at (\d+):00: (\d+)$", row["text"]):
            held = stats_at(peer, player, int(most[1]) * 1344)
            assert held.minerals_current + held.vespene_current == int(most[2])
            checked.add(row["reason"])
        if row["reason"] == "base lost":
            kind = row["text"].split()[1]
            halls = {each.unit_id for each in of_kind(peer, "UnitInitEvent") if each.unit_type_name == kind}
            died = [each.frame for each in of_kind(peer, "UnitDiedEvent") if each.unit_id in halls]
            assert any(abs(frame - row["seconds"] * 22.4) <= 12 for frame in died)
            checked.add(row["reason"])
    assert checked == {"unspent resources", "base lost"}
    for row in rows(found["What did my opponent have at each minute, beside mine?"][0]):
        mine, theirs = (stats_at(peer, player, row["minute"] * 1344) for player in (1, 2))
        assert row["workers"] == mine.workers_active_count
        assert row["opponent_workers"] == theirs.workers_active_count
        assert row["army"] == mine.minerals_used_current_army + mine.vespene_used_current_army
        assert row["income"] == mine.minerals_collection_rate + mine.vespene_collection_rate
    lines = found["What did I build, as coaches write it?"][0]
    begun = Counter(each.unit_type_name for each in of_kind(peer, "UnitInitEvent") if each.control_pid == 1)
    for kind in ("Extractor", "EvolutionChamber", "SporeCrawler"):
        written = [line.split(" ", 2)[2].partition(" (")[0] for line in lines]
        counts = [line.partition(" ×") for line in written if line.partition(" ×")[0] == kind]
        assert sum(int(count or 1) for _, _, count in counts) == begun[kind] > 0
    assert_forward(rows(found["Was there a proxy?"][0]), peer)
    paces = {
        row["player"]: row
        for row in rows(found["How fast did each of us have two bases, three bases and 66 workers?"][0])
    }
    assert_paces(paces, replay, peer)
    blocks = replay.table("supply_blocks").to_pylist()
    for stat in of_kind(peer, "PlayerStatsEvent"):
        if stat.food_used >= stat.food_made and 0 < stat.food_made < 200:
            assert any(
                row["player"] == stat.pid and row["tick"] <= stat.frame <= row["end_tick"] for row in blocks
            )
    total = Counter[str]()
    for row in rows(found["When was I out of supply, by phase?"][0]):
        if "," in row["measure"]:
            total[row["name"]] += row["own"]
    whole = {row["player"]: row["supply_blocked_seconds"] for row in replay.table("player_stats").to_pylist()}
    assert [total[player.name] for player in peer.players] == pytest.approx([whole[1], whole[2]], abs=0.3)
    quotients = rows(found["How well did I spend?"][0])
    (quotient,) = (row for row in quotients if (row["seconds"], row["player"]) == (180, 2))
    spans = [each for each in of_kind(peer, "PlayerStatsEvent") if each.pid == 2 and 4032 < each.frame <= 8064]
    income = sum(each.minerals_collection_rate + each.vespene_collection_rate for each in spans) / len(spans)
    unspent = sum(each.minerals_current + each.vespene_current for each in spans) / len(spans)
    assert quotient["spending_quotient"] == pytest.approx(35 * (0.00137 * income - log(unspent)) + 240, abs=4)
    larvae = sum(each.unit_type_name == "Larva" for each in of_kind(peer, "UnitBornEvent"))
    assert sum(row["larvae_count"] for row in rows(found["How good were my injects, by hatchery?"][0])) == larvae
    assert rows(found["How long did larvae wait?"][0])[0]["larvae_count"] == larvae
    waiting = rows(found["How long did queens, Nexuses and Orbital Commands keep their energy?"][0])
    queens = sum(each.unit_type_name == "Queen" for each in of_kind(peer, "UnitBornEvent"))
    assert [row["casters"] for row in waiting if row["unit_type"] == "Queen"] == [queens]
    looked = rows(found["Who scouted what, when, and with what?"][0])
    stays = replay.table("bases").to_pylist()
    halls = {(row["unit"], row["x"], row["y"]): row for row in stays if row["player"] is not None}
    for row in replay.table("scouting").to_pylist():
        if row["known_by"] == "camera":
            hall = halls[row["target_unit"], row["x"], row["y"]]
            shown = [
                each.frame
                for each in of_kind(peer, "CameraEvent")
                if each.player.pid == row["player"]
                and abs(each.x - hall["x"]) <= 12
                and abs(each.y - hall["y"]) <= 7
                and hall["tick"] <= each.frame < (hall["end_tick"] or 1 << 30)
            ]
            assert row["tick"] == shown[0]
    assert len(looked) == replay.table("scouting").num_rows > 20
    fight = rows(found["What did the largest fight cost?"][0])
    first, last = (round(fight[0][name] * 22.4) for name in ("seconds", "end_seconds"))
    died = [each for each in of_kind(peer, "UnitDiedEvent") if first <= each.frame <= last and each.killer_pid]
    assert {first, last} <= {each.frame for each in died}
    assert 10 < sum(sum(row["lost_counts"]) for row in fight) <= len(died)
    lapses = rows(found["Where did I lose the most time?"][0])
    assert [row["duration_seconds"] for row in lapses] == sorted(
        (row["duration_seconds"] for row in lapses), reverse=True
    )
    bases = rows(found["When did each base begin, and what became of it?"][0])
    begun_halls = [
        each.frame
        for each in of_kind(peer, "UnitInitEvent")
        if each.unit_type_name in ("Hatchery", "CommandCenter", "Nexus")
    ]
    assert {0, *begun_halls} <= {round(row["seconds"] * 22.4) for row in bases}


def test_a_researcher_gets_the_tracker_s_answers(ask: Callable[[str], Answers], peer: Any) -> None:
    found = ask("starcraft2-research")
    assert len(found) == 13
    replay = found["replay"]
    (game,) = rows(found["Which games do I have?"][0])
    assert game["build"] == peer.build
    assert game["duration_seconds"] == pytest.approx(peer.frames / 22.4, abs=1)
    realms = {row["player"]: row["realm"] for row in rows(found["On which realms do the people play?"][0])}
    assert realms == {each.pid: each.subregion for each in peer.players} | {
        player: realm for player, realm in realms.items() if player is None
    }
    (read,) = rows(found["How much of a pack could be read, and why not the rest?"][0])
    assert (read["read"], read["replays"]) == (True, 1)
    for row in rows(found["What does each player have at fixed steps?"][0])[::7]:
        stat = stats_at(peer, row["player"], row["seconds"] * 22.4)
        assert (row["workers"], row["supply"]) == (stat.workers_active_count, stat.food_used)
    arrays = found["The same as arrays, with a mask?"][0]
    assert arrays["values"][0] == len(peer.players) == len(arrays["players"])
    grid, planes = found["Where is everything, as planes of a grid?"]
    for minute in (4, 6):
        here = sum(
            row["units_here"]
            for row in rows(grid)
            if row["unit_type"] == "SCV" and round(row["seconds"]) == 60 * minute
        )
        assert here == alive(peer, "SCV", 1344 * minute)
    assert planes["units at the end"] > 0
    shares = rows(found["How much of the grid is recorded, and how much inferred?"][0])
    assert sum(row["units_recorded"] + row["units_inferred"] for row in shares) == grid["units_here"].sum()
    orders = ("BasicCommandEvent", "TargetPointCommandEvent", "TargetUnitCommandEvent", "DataCommandEvent")
    players = {each.pid for each in peer.players}
    given = Counter(each.player.pid for each in of_kind(peer, *orders) if each.player.pid in players)
    mine = [row for row in replay.table("commands").to_pylist() if row["kind"] == "command_given"]
    assert Counter(row["player"] for row in mine if row["player"] is not None) == given
    assert found["Which actions did the players take?"][0].height == 100
    for row in rows(found["What did a player know of himself when he gave an order?"][0])[::500]:
        stat = stats_at(peer, row["player"], row["tick"])
        assert (row["minerals"], row["workers"]) == (stat.minerals_current, stat.workers_active_count)
    outcomes = {row["result"] for row in rows(found["Who won, and how is that known?"][0])}
    assert outcomes == {team.result.lower() for team in peer.teams}
    parts = found["How do I divide the games?"][0]
    assert sum(parts.values()) == 1
    published = found["How do I give the tables to others without names?"][0]
    assert published["sc2/players"] == replay.table("players").num_rows
    assert published["sc2/build_order"] == replay.table("build_order").num_rows
