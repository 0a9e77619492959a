"""What was not asked for is not decoded: counted, not timed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as

import playhead
from playhead.blizzard.recording.streams import Streams
from playhead.source2.container.frames import FULL_PACKET, PACKET, Frame
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.replay import Source2Replay


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each costly step is taken."""
    counts: Counter[str] = Counter()

    def count(owner: Any, name: str, what: Callable[..., str]) -> None:
        original = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            counts[what(*args, **kwargs)] += 1
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, counted)

    count(Playback, "_apply_entities", lambda *_: "entity messages")
    count(Playback, "__init__", lambda *_, **__: "playbacks")
    count(Streams, "_decode_stream", lambda _, data, name, text: name)
    return counts


def test_opening_and_info_decode_nothing_else(samples: dict[str, Path], done: Counter[str]) -> None:
    for path in samples.values():
        replay = playhead.open(path)
        assert replay.info.format == replay.format
        assert replay.tables
    assert done == {}


@pytest.mark.parametrize(
    "ask",
    [lambda r: r.table("user_messages"), lambda r: list(r.events("game_event_fired"))],
    ids=["table", "events"],
)
def test_messages_of_a_match_need_no_entities(
    ask: Callable[[playhead.Replay], Any], samples: dict[str, Path], done: Counter[str]
) -> None:
    assert len(ask(playhead.open(samples["source2"]))) > 0
    assert done == {"playbacks": 1}


def test_facts_that_need_entities_play_once(samples: dict[str, Path], done: Counter[str]) -> None:
    replay = playhead.open(samples["source2"])
    assert {event.kind for event in replay.events("ward_*", "item_bought", "player_killed")} == {
        "ward_placed",
        "ward_removed",
        "item_bought",
        "player_killed",
    }
    assert done["playbacks"] == 1
    before = done["entity messages"]
    assert before > 0
    assert replay.to_tick("0:10") > 0  # the clock was learnt on the way
    replay.table("wards")
    list(replay.events("player_killed"))
    assert done == {"playbacks": 1, "entity messages": before}


def test_all_tables_events_problems_and_checks_cost_one_pass(
    samples: dict[str, Path], done: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    payloads: Counter[int] = Counter()
    original = Recording.payload

    def counted(self: Recording, frame: Frame) -> bytes | memoryview:
        payloads[frame.offset] += frame.command in (PACKET, FULL_PACKET)
        return original(self, frame)

    monkeypatch.setattr(Recording, "payload", counted)
    replay = open_as(Source2Replay, samples["source2"])
    replay.read_tables()
    assert replay.problems == ()
    assert all(check.failed == 0 for check in replay.verify())
    list(replay.events())
    assert done["playbacks"] == 1
    # No packet is decompressed twice, by whatever way, but the first one, whose tick is checked. Those of the fast
    # path are not counted here at all.
    assert sorted(count for count in payloads.values() if count > 1) in ([], [2])


@pytest.mark.parametrize(
    "names",
    [
        ["kills", "string_tables", "messages"],
        ["chat", "frames", "game_events", "user_messages", "wards"],
        ["player_stats", "entities:CDOTA_Unit_Hero_Axe", "string_tables"],
    ],
)
def test_any_set_of_tables_costs_one_pass(names: list[str], samples: dict[str, Path], done: Counter[str]) -> None:
    together = playhead.open(samples["source2"]).read_tables(names)
    assert done["playbacks"] == 1
    for name in names:
        assert together[name].equals(playhead.open(samples["source2"]).table(name)), name


def test_problems_and_checks_cost_one_pass_and_none_when_done(
    samples: dict[str, Path], done: Counter[str]
) -> None:
    replay = playhead.open(samples["source2"])
    assert replay.problems == ()
    assert replay.verify()
    assert done["playbacks"] == 1
    replay.read_tables()
    assert done["playbacks"] == 2
    assert replay.verify()
    assert done["playbacks"] == 2


def test_two_fields_of_a_class_are_all_that_is_kept(samples: dict[str, Path]) -> None:
    replay = open_as(Source2Replay, samples["source2"])
    kept: dict[str, set[str]] = {}
    wanted = {"m_iHealth", "m_iMaxHealth"}

    def project(class_name: str) -> Callable[[str], bool] | None:
        return wanted.__contains__ if class_name == "CDOTA_Unit_Hero_Axe" else None

    playback = replay.playback(wanted=project)
    playback.run()
    for entity in playback.entities:
        kept.setdefault(entity.class_name, set()).update(entity.to_dict())
    assert kept.pop("CDOTA_Unit_Hero_Axe") == wanted
    assert len(kept) > 10
    assert set().union(*kept.values()) == set()


@pytest.mark.parametrize(
    ("ask", "streams"),
    [
        (lambda replay: replay.info and replay.table("info"), {}),
        (lambda replay: replay.table("commands"), {"game": 1}),
        (lambda replay: replay.table("inputs"), {"game": 1}),
        (lambda replay: replay.read_tables(["commands", "camera", "game_events"]), {"game": 1}),
        (lambda replay: replay.table("members"), {}),
        (lambda replay: replay.table("pings"), {"message": 1}),
        (lambda replay: replay.table("units"), {}),
        (lambda replay: list(replay.events("chat_sent")), {}),
    ],
    ids=["info", "commands", "inputs", "several", "members", "pings", "units", "events"],
)
def test_streams_of_starcraft_are_decoded_as_they_are_needed(
    ask: Callable[[playhead.Replay], Any], streams: dict[str, int], samples: dict[str, Path], done: Counter[str]
) -> None:
    ask(playhead.open(samples["sc2"]))
    assert {name: count for name, count in done.items() if name in ("game", "message")} == streams
