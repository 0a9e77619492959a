"""The example of a third party's format, found through its entry point."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import playhead
from playhead import registry
from playhead.testing import events, replays, tables
from playhead.testing.conformance import PROMISES, Subject

TOY = Path(__file__).parents[2] / "examples" / "toy_format"
ENTRY = EntryPoint("toy", "playhead_toy:FORMAT", registry.ENTRY_POINT_GROUP)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if ``examples/toy_format`` were installed."""
    monkeypatch.syspath_prepend(TOY)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [ENTRY] if group == ENTRY.group else [])
    for kept in (registry._third_party, registry.vocabulary):
        kept.cache_clear()
    yield
    for kept in (registry._third_party, registry.vocabulary):
        kept.cache_clear()


def test_the_entry_point_is_the_example_s() -> None:
    assert '[project.entry-points."playhead.formats"]\ntoy = "playhead_toy:FORMAT"' in (
        TOY / "pyproject.toml"
    ).read_text(encoding="utf-8")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_promise(promise: Callable[[Subject], None], tmp_path: Path) -> None:
    promise(Subject.sample("toy", tmp_path, damages=100))


@pytest.mark.usefixtures("installed")
def test_opened_by_the_front_door(tmp_path: Path) -> None:
    replay = playhead.open(Subject.sample("toy", tmp_path).path)
    assert [event.text for event in replay.events("chat_sent")] == ["hello", "hello, ada"]
    assert replay.at("0:01").units == {1: (1, 0), 2: (0, -2)}


def test_a_promise_that_is_broken_is_told(tmp_path: Path) -> None:
    subject = Subject.sample("sc2", tmp_path)
    subject.__dict__["tables"] = {**subject.tables, "chat": subject.tables["chat"].drop_columns("text")}
    for promise in (tables.tables_are_as_promised, replays.a_sound_recording_has_no_problems):
        with pytest.raises(AssertionError, match="chat"):
            promise(subject)
    subject = Subject.sample("teehistorian", tmp_path)
    subject.path.write_bytes(subject.data[:-20])
    with pytest.raises(AssertionError, match="TruncatedReplay"):
        replays.a_sound_recording_has_no_problems(subject)
    subject.replay.__dict__["event_kinds"] = {"chat": "A line of chat."}
    with pytest.raises(AssertionError, match="has some in its sample"):
        events.events_are_in_time_order(subject)


@pytest.mark.usefixtures("installed")
def test_its_words_are_known(tmp_path: Path) -> None:
    replay = playhead.open(Subject.sample("toy", tmp_path).path)
    known = registry.vocabulary()
    assert known.is_whole
    assert known.tables >= set(replay.tables)
    assert known.event_kinds >= set(replay.event_kinds)
