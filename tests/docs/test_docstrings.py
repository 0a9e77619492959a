"""Public functions have docstrings with units of arguments and results, and exceptions."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

import playhead
from playhead.clock import Clock
from playhead.cs2.replay import Cs2Replay
from playhead.deadlock.replay import DeadlockReplay
from playhead.dota2.replay import Dota2Replay
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.timeline import State
from playhead.show.plots import Plots
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.manager import EntityManager
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.world import World
from playhead.source2.replay import Source2Replay
from playhead.tables.schema import TableSchema
from playhead.teehistorian.replay import TeehistorianReplay

REPLAYS = (playhead.Replay, Source2Replay, Cs2Replay, DeadlockReplay, Dota2Replay, Sc2Replay, TeehistorianReplay)
CLASSES = (
    *REPLAYS,
    Clock,
    State,
    World,
    Playback,
    EntityManager,
    Entity,
    TableSchema,
    playhead.Corpus,
    playhead.Lake,
    Plots,
)
EXPORTED = [getattr(playhead, name) for name in playhead.__all__ if name != "__version__"]


def _public(kind: type) -> Iterator[tuple[str, object]]:
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        if name.startswith("_") or not getattr(kind, "__module__", "").startswith("playhead"):
            continue
        if inspect.isroutine(member) or isinstance(member, property) or hasattr(member, "func"):
            yield name, getattr(member, "func", member)


@pytest.mark.parametrize("thing", EXPORTED, ids=lambda thing: thing.__name__)
def test_exported_names_have_docstrings(thing: object) -> None:
    assert inspect.getdoc(thing)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_public_methods_and_properties_have_docstrings(kind: type) -> None:
    members = list(_public(kind))
    assert members
    assert inspect.getdoc(kind)
    assert [name for name, member in members if not inspect.getdoc(member)] == []


@pytest.mark.parametrize("kind", REPLAYS, ids=lambda kind: kind.__name__)
def test_time_arguments_have_units(kind: type) -> None:
    words = ("tick", "second", "loop", "time")
    for name in ("at", "window", "write_slice", "to_tick", "entity_table"):
        method = getattr(kind, name, None)
        if method is not None:
            assert any(word in (inspect.getdoc(method) or "") for word in words), name


def test_exceptions_are_documented() -> None:
    for thing in (playhead.open, playhead.Replay.table, playhead.Replay.batches, Source2Replay.entity_table):
        assert "Raises:" in (inspect.getdoc(thing) or "")
