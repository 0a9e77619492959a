"""The written match in the viewer, in a corpus, as a broadcast that is still running, and damaged."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.deadlock.story import Told, picked

import playhead
from playhead.deadlock.presentation import highlights, places
from playhead.deadlock.replay import DeadlockReplay
from playhead.io.source import open_source
from playhead.limits import Limits
from playhead.presentation import deaths_of_kills
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.writing.broadcast import broadcast_parts
from playhead.web.shelf import open_match

ShortMatch = Callable[[str], Path]


def test_the_command_writes_both_matches_and_their_stories(short_match: ShortMatch) -> None:
    folder = short_match("deadlock").parent
    names = ["sample_deadlock_2min", "sample_deadlock_2min_new"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        f"{name}.{suffix}" for name in names for suffix in ("dem", "json")
    )
    for name in names:
        assert playhead.open(folder / f"{name}.dem").info.complete


def test_the_viewer_shows_lanes_objectives_and_souls(told: Told) -> None:
    match = open_match(str(told.path))
    ground = match.ground()
    kinds = {mark.kind for mark in places(told.replay)}
    assert kinds == {"yellow lane", "blue lane", "purple lane"} | {
        each.kind for each in told.match.field.structures
    } | {"sentry"}
    low, high, bottom, top = ground["bounds"]
    assert low <= -8960 <= 8960 <= high
    assert bottom <= -8960 <= 8960 <= top
    summary = match.summary()
    assert summary["has_map"]
    events = match.events(tuple(summary["notable"]))["columns"]
    assert len(events["tick"]) > 20
    words = [entry.kind for entry in highlights(told.replay)]
    assert words.count("killed the mid boss") == len(told.ours("bosses"))
    assert "took the Rift" in words
    assert "destroyed a patron" in words
    assert len(list(deaths_of_kills(told.replay))) == len(told.story("kills"))


def test_the_curve_of_souls_is_that_of_the_players(told: Told) -> None:
    economy = told.replay.presentation.economy
    assert economy is not None
    rows = told.ours(economy.table, **economy.options)
    last = {row["player"]: row["net_worth"] for row in rows}
    assert last == {each.player: each.souls + each.spent for each in told.match.field.fighters}


def test_a_corpus_has_series_of_both_builds(told: Told) -> None:
    fields = ["net_worth", "souls", "kills", "x", "y"]
    rows = playhead.scan(told.path, jobs=0).series(every="10s", fields=fields).read_all().to_pylist()
    series = {(row["tick"] / 60, row["player"]): row for row in told.ours("player_series", every="600 ticks")}
    assert len(rows) == len(series)
    for row in rows:
        known = series[row["seconds"], row["player"]]
        assert (row["net_worth"], row["souls"], row["kills"]) == (
            known["net_worth"],
            known["souls"],
            known["kills"],
        )
        assert (row["x"], row["y"]) == (known["x"], known["y"])


def test_info_and_players_know_the_winner(told: Told) -> None:
    replay = playhead.open(told.path)
    assert (replay.info.winner_side, replay.info.winner_team) == ("hidden_king", 2)
    results = {player.side: player.result for player in replay.players if player.side is not None}
    assert results == {"hidden_king": "win", "archmother": "loss"}


def test_the_clock_runs_before_the_game_begins(told: Told) -> None:
    clock = playhead.open(told.path).at(60).clock
    assert clock is not None
    assert clock.displayed_seconds(60) == pytest.approx(-9.0)


@pytest.mark.long
@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", ["sample_deadlock_2min.dem", "sample_deadlock_2min_new.dem"])
def test_a_broadcast_that_is_still_running(name: str, short_match: ShortMatch, tmp_path: Path) -> None:
    data = short_match("deadlock").with_name(name).read_bytes()
    recording = Recording(open_source(data, Limits()))
    parts = dict(broadcast_parts(recording, Playback(recording, tables=None), seconds=10.0))

    def put(part: str) -> None:
        path = tmp_path / f"{part}.{'json' if part == 'sync' else 'bin'}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(parts[part])

    later = [part for part in parts if part not in ("sync", "0/start", "1/full")]
    for part in parts.keys() - set(later):
        put(part)

    def wait(_seconds: float) -> None:
        if later:
            put(later.pop(0))

    live = playhead.open(tmp_path, follow=playhead.Follow(idle_seconds=60, interval=1, sleep=wait))
    assert isinstance(live, DeadlockReplay)
    whole = playhead.open(data)
    assert not later or live.table("kills").num_rows
    for table in ("kills", "damage", "structures", "item_events", "trooper_series", "fights"):
        assert live.table(table).to_pylist() == whole.table(table).to_pylist(), table
    assert live.problems == ()
    assert picked(live.table("match").to_pylist(), "winner_team tick") == [(2, 600)]


def test_a_slice_has_the_facts_of_its_ticks(told: Told, tmp_path: Path) -> None:
    path = tmp_path / "slice.dem"
    told.replay.write_slice(path, 4000, 6500)
    cut = playhead.open(path)
    kept = [row for row in told.ours("kills") if 4000 <= row["tick"] <= 6500]
    assert picked(cut.table("kills").to_pylist(), "victim_player attacker_player known_by") == picked(
        kept, "victim_player attacker_player known_by"
    )


@pytest.mark.stepped
@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_match_is_read_around_the_damage(seed: int, flawed: Callable[[int], bytes]) -> None:
    replay = playhead.open(flawed(seed))
    tables = replay.read_tables()
    assert len(tables["kills"]) <= len(replay.table("events"))
    assert replay.problems
    assert all(problem.what for problem in replay.problems)


@pytest.fixture(scope="module")
def flawed(short_match: ShortMatch) -> Callable[[int], bytes]:
    """Returns a match with a few changed bytes after its head."""
    data = short_match("deadlock").read_bytes()

    def damage(seed: int) -> bytes:
        chance = random.Random(seed)
        changed = bytearray(data)
        for _ in range(30):
            changed[chance.randrange(len(data) // 10, len(data))] ^= 1 << chance.randrange(8)
        return bytes(changed)

    return damage
