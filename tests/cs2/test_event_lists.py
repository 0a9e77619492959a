"""Recordings without a list of game events: a known list of another build names them, if it agrees."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.samples.source2.cs2_match.demo import WrittenMatch, write_cs2_match
from tests.samples.source2.cs2_match.plan import plan_match

import playhead
from playhead.cs2.replay import Cs2Replay
from playhead.source2.messages.game_events import known_lists, nearest_list
from playhead.source2.messages.numbers import Engine

_TABLES = ("kills", "damage", "shots", "votes", "player_stats")
_PLAN = plan_match(1, 1, overtimes=1, backup=False)


def opened(match: WrittenMatch) -> Cs2Replay:
    replay = playhead.open(match.data)
    assert isinstance(replay, Cs2Replay)
    return replay


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_a_match_without_its_list_has_the_same_tables() -> None:
    whole = opened(write_cs2_match(1, plan=_PLAN)).read_tables(_TABLES)
    replay = opened(write_cs2_match(1, plan=_PLAN, event_list=False))
    assert replay.recording.borrowed_events is not None
    assert replay.recording.borrowed_events.build == 10772
    assert "names are those of build 10772" in replay.unfilled["game_events"]
    assert whole["kills"].num_rows > 5
    for name, table in replay.read_tables(_TABLES).items():
        assert table.equals(whole[name]), name


@pytest.mark.slow_interpreted
def test_a_recording_whose_events_no_list_has_keeps_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playhead.source2.messages.game_events.EventList.agrees", lambda *_: False)
    replay = opened(write_cs2_match(1, plan=_PLAN, event_list=False))
    assert replay.recording.borrowed_events is None
    assert {event.name for event in replay.game_events()} == {None}
    assert set(replay.table("kills")["known_by"].to_pylist()) == {"state"}
    assert all("no known list has its events" in replay.unfilled[name] for name in ("kills", "damage", "shots"))


def test_lists_of_neighbouring_builds_differ() -> None:
    lists = {each.build: each for each in known_lists("cs2")}
    assert sorted(lists) == [10231, 10498, 10679, 10772]
    for build, each in lists.items():
        types = {number: tuple(kind for _, kind in keys) for number, _, keys in each.events}
        found = nearest_list("cs2", build, types)
        assert found is not None
        assert found.events == each.events
    old = {number: name for number, name, _ in lists[10231].events}
    new = {number: name for number, name, _ in lists[10498].events}
    assert sum(old[number] != new.get(number) for number in old) == 145
    assert nearest_list("cs2", 10772, {9999: ()}) is None
    assert known_lists("dota2") == known_lists("../x") == ()


def test_events_of_a_real_fight_agree_with_its_build_alone(corpus: Path) -> None:
    path = corpus / "source2" / "cs2_14090.dem"
    if not path.exists():
        pytest.skip("no cs2_14090.dem in the corpus")
    replay = playhead.open(path)
    assert isinstance(replay, Cs2Replay)
    assert replay.recording.borrowed_events is None  # it has its own list
    seen = {}
    for message in replay.messages(Engine.GAME_EVENT):
        event = message.fields or {}
        seen[event["eventid"]] = tuple(key["type"] for key in event.get("keys", ()))
    agree = {each.build: each.agrees(seen) for each in known_lists("cs2")}
    assert agree[10498]
    assert not agree[10231]
