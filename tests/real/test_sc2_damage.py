"""Real replays, damaged in memory; and the known parts of the battlelobby compared with other members.

``tools/measure_sc2_damage.py`` measures all of them; these tests use a part.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from tests.loading import load_module
from tests.opened import open_as

from playhead.blizzard.members import member_names
from playhead.sc2.replay import Sc2Replay

ROOT = Path(__file__).parents[2]
ARCHON = "5.0.7.84643/2v2_archon_mode.SC2Replay"
#: Betas, whose game events are in sectors.
SECTORS = (
    "0.10.0.14803/test.SC2Replay",
    "0.17.0.15623/0.17.0.15623__0.17.0.15623.SC2Replay",
    "0.2.0.13891/replay10.SC2Replay",
    "0.4.0.14133/replay5.SC2Replay",
    "0.9.0.14621/replay1.SC2Replay",
)
STEP = 9


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load_module("measure_sc2_damage", ROOT / "tools/measure_sc2_damage.py")


def replays(corpus: Path, step: int = STEP) -> list[Path]:
    return sorted((corpus / "sc2").rglob("*.SC2Replay"))[::step]


def opened(path: Path) -> Sc2Replay:
    return open_as(Sc2Replay, path)


@pytest.mark.slow_interpreted
def test_players_without_details_are_never_wrong(corpus: Path, tool: ModuleType) -> None:
    found: Counter[str] = Counter()
    for path in replays(corpus):
        whole = opened(path)
        hurt = tool.without(whole, tool.DETAILS) if whole.recording.details is not None else None
        if hurt is not None:
            tool.compare_players(whole, hurt, found)
            seen = [problem for problem in hurt.problems if "replay.details" in problem.what]
            assert len(seen) == 1
    assert found["replays"] > 25
    # One computer has an account only in the lobby.
    assert {what: count for what, count in found.items() if "wrong" in what and "account" not in what} == {}
    assert found["another number of players"] == 0
    for field in ("player", "kind", "team", "user"):
        assert found[f"{field} right"] == found["players"]


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_builds_are_inferred_if_unknown(corpus: Path, tool: ModuleType) -> None:
    found: Counter[str] = Counter()
    for path in replays(corpus):
        whole = opened(path)
        hurt = tool.without_header(whole)
        if hurt is not None:
            tool.compare_headers(whole, hurt, found)
            inferred = hurt.info.build is None
            assert inferred == any(problem.where == "builds" for problem in hurt.problems)
    assert found["builds inferred"] > 15
    assert found["the range has the build"] == found["commands equal"] == found["replays"]


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("file", SECTORS)
def test_events_resume_after_a_bad_sector(file: str, corpus: Path, tool: ModuleType) -> None:
    whole = opened(corpus / "sc2" / file)
    hurt = tool.with_bad_sector(whole, 2)
    assert hurt is not None
    found: Counter[str] = Counter()
    tool.compare_events(whole, hurt, found)
    assert found["resumed"] == found["events behind the gap equal but for a constant in their loops"] == 1
    assert found["complete"] == 0
    assert 0 <= found["loops late in all"] < 150
    size = whole.recording.container.archive.blocks[
        whole.recording.container.archive.names[member_names.GAME_EVENTS]
    ].unpacked_size  # type: ignore[union-attr]
    assert found["events"] - found["events kept"] < 2 * 4096 / size * found["events"]


def test_the_battlelobby_agrees_with_other_members(corpus: Path) -> None:
    count = 0
    for path in replays(corpus, 5):
        replay = opened(path)
        lobby = replay.recording.battle_lobby
        if lobby is None:
            continue
        count += 1
        assert replay.recording.details is not None
        assert replay.recording.lobby is not None
        assert lobby.cache_handles == replay.recording.details.cache_handles
        assert all(
            handle[8:].hex() in seen for handle, seen in zip(lobby.cache_handles, lobby.cache_paths, strict=True)
        )
        assert lobby.attributes == len({(row.namespace, row.attribute) for row in replay.recording.attributes})
        heads = sum(handle.startswith(b"s2mh") for handle in lobby.more_handles)
        assert heads == len(lobby.cache_handles)
        assert len(lobby.battle_tags) == sum(bool(user["m_name"]) for user in replay.recording.lobby.users)
        assert 0 < lobby.unread < len(lobby.rest)
    assert count >= 30


def test_partners_of_an_army_have_its_number_in_every_table(corpus: Path) -> None:
    replay = opened(corpus / "sc2" / ARCHON)
    assert [(each.player, each.details["shared_army"], each.team) for each in replay.players] == [
        (1, 1, 0),
        (1, 1, 0),
        (2, 2, 1),
        (2, 2, 1),
    ]
    numbers = {each.details["user"]: each.player for each in replay.players}
    assert replay.recording.players_by_user == numbers
    race = {each.player: each.details["race"] for each in replay.players}
    for row in replay.table("build_order").to_pylist():
        worker = {"Drone": "Zerg", "SCV": "Terran"}.get(row["product"])
        assert worker in (None, race[row["player"]])
    for name in ("commands", "selections", "apm", "leaves"):
        for row in replay.table(name).select(["user", "player"]).to_pylist():
            assert numbers.get(row["user"], row["player"]) == row["player"]
    for name in ("units", "player_series", "upgrades", "player_stats"):
        assert {row["player"] for row in replay.table(name).to_pylist()} <= {0, 1, 2}
