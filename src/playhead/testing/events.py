"""Promises about events and moments."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

from playhead.clock import GAME_TIME, RECORDING_TIME, ROUND_TIME
from playhead.events import Event
from playhead.model import Moment
from playhead.testing.subject import Subject, refusal
from playhead.text.json import to_json


def events_are_in_time_order(subject: Subject) -> None:
    """`events` gives typed events of known kinds in time order, and table ``events`` has a row for each."""
    events = list(subject.replay.events())
    kinds = subject.replay.event_kinds
    assert bool(events) == bool(kinds), "a format with kinds of events has some in its sample"
    assert all(doc.strip() for doc in kinds.values())
    for event in events:
        assert isinstance(event, Event), event
        assert event.kind in kinds, event
        assert isinstance(event.tick, int), event
        assert isinstance(event.player, int | None), event
    ticks = [event.tick for event in events]
    assert ticks == sorted(ticks)
    if not kinds:
        return
    rows = subject.tables["events"].to_pylist()
    assert [(row["tick"], row["kind"], row["player"]) for row in rows] == [
        (event.tick, event.kind, event.player) for event in events
    ]
    for event, row in zip(events, rows, strict=True):
        assert isinstance(json.loads(row["payload"]), dict), event
        assert set(json.loads(row["payload"])) == set(event.payload), event


def events_are_chosen_by_kind(subject: Subject) -> None:
    """`events` of some kinds gives exactly these; a pattern gives all matches; an unknown kind raises."""
    replay = subject.replay
    counts = Counter(event.kind for event in replay.events())
    for kind, count in counts.items():
        assert Counter(event.kind for event in replay.events(kind)) == {kind: count}
    if counts:
        first = min(counts)
        fitting = {kind: count for kind, count in counts.items() if kind.startswith(first[:2])}
        assert Counter(event.kind for event in replay.events(f"{first[:2]}*")) == fitting
        assert sum(1 for _ in replay.events("*")) == counts.total()
        said = refusal(KeyError, lambda: replay.events(f"{first}x"))
        assert first in said, "the error suggests the kind that is meant"


def a_moment_is_named_in_many_ways(subject: Subject) -> None:
    """`to_tick` accepts ticks, seconds and text; so does `at`, if the format keeps state."""
    replay = subject.replay
    last = replay.info.duration_ticks or 0
    middle = last // 2
    assert replay.to_tick(middle) == replay.to_tick(f"{middle}t") == middle
    if replay.info.clock is not None:
        assert (
            replay.to_tick(replay.info.clock.seconds(middle) + 0.5 / replay.info.clock.ticks_per_second) == middle
        )
    clock = replay.clock
    shown = None if clock is None else clock.displayed(middle)
    if clock is not None and shown is not None:
        assert clock.displayed(replay.to_tick(shown)) == shown
    assert "expected" in refusal(ValueError, lambda: replay.to_tick("soon"))
    if "moment" in replay.capabilities:
        assert replay.at(middle) is not None
        assert replay.at(f"{middle}t") is not None


def moments_have_one_shape(subject: Subject) -> None:
    """`at` gives a JSON-ready `Moment`: rows of players and units with the promised keys, and the raw state."""
    replay = subject.replay
    if "moment" not in replay.capabilities:
        return
    last = replay.info.duration_ticks or 0
    numbers = {player.player for player in replay.players}
    seen = False
    for tick in (0, last // 2, last):
        moment = replay.at(tick)
        assert isinstance(moment, Moment), f"at gives a {type(moment).__name__}"
        assert moment.tick == tick
        assert moment.raw is not None
        assert moment.clock is None or moment.clock.label in (GAME_TIME, ROUND_TIME, RECORDING_TIME)
        if replay.info.clock is not None:
            assert moment.seconds is not None
            assert abs(moment.seconds - replay.info.clock.seconds(tick)) < 1e-6
        for rows, promised in ((moment.players, Moment.PLAYER_KEYS), (moment.unit_counts, Moment.UNIT_KEYS)):
            assert all(tuple(row)[: len(promised)] == promised for row in rows), promised
            assert len({tuple(row) for row in rows}) <= 1, "rows have the same keys"
            assert {row["player"] for row in rows} <= numbers | {None}
        assert moment.resources.keys() <= numbers
        assert all(isinstance(held, Mapping) for held in moment.resources.values())
        assert json.loads(to_json(moment.as_dict()))["tick"] == tick
        assert len(repr(moment)) < 200, "a prompt shows one line"
        seen = seen or bool(moment.players)
    assert seen, "there is a player or unit at some time"


def moments_that_are_not_there_are_refused(subject: Subject) -> None:
    """`at` before the first tick or after the last raises ValueError with the valid range."""
    replay = subject.replay
    last = replay.info.duration_ticks
    if "moment" not in replay.capabilities or last is None:
        return
    assert replay.at(last).tick == last
    for when in (last + 10**6, f"{last + 10**6}t", -(10**6)):
        assert f"to {last}" in refusal(ValueError, lambda when=when: replay.at(when))  # type: ignore[misc]
