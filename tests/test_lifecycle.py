"""Replays from opening to closing: pickled to other processes, closed, shared by threads."""

from __future__ import annotations

import io
import lzma
import multiprocessing
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.opened import open_as

import playhead
from playhead import ClosedReplay, Options, Replay
from playhead.io.source import open_source
from playhead.model import Moment
from playhead.runtime.cached import cached_property, shared_property
from playhead.sc2.abilities.names import Catalog
from playhead.sc2.replay import Sc2Replay

FORMATS = ("source2", "sc2", "teehistorian")


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    # A fresh interpreter: what travels there is only what was pickled.
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


def facts(replay: Replay) -> tuple[str, int, int, int]:
    """What a worker finds."""
    last = replay.info.duration_ticks or 0
    return replay.name, replay.table("events").num_rows, len(replay.at(last // 2).players), len(replay.problems)


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("format", FORMATS)
def test_a_replay_travels_to_another_process(
    samples: dict[str, Path], pool: ProcessPoolExecutor, format: str, tmp_path: Path
) -> None:
    data = samples[format].read_bytes()
    packed = tmp_path / f"{samples[format].name}.xz"
    packed.write_bytes(lzma.compress(data))
    for target in (samples[format], data, packed, io.BytesIO(data)):
        replay = playhead.open(target)
        assert pool.submit(facts, replay).result() == facts(replay)
    streamed = playhead.open(samples[format], stream=True)
    assert pickle.loads(pickle.dumps(streamed)).table("players").equals(streamed.table("players"))


def test_options_travel_and_progress_stays(samples: dict[str, Path]) -> None:
    limits = playhead.Limits(string=1 << 20)
    calls: list[int] = []
    replay = playhead.open(
        samples["sc2"], strict=True, limits=limits, progress=lambda done, _total: calls.append(done)
    )
    again = pickle.loads(pickle.dumps(replay))
    assert again.options == Options(strict=True, limits=limits)


def test_a_relative_path_is_found_from_elsewhere(
    samples: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(samples["sc2"].parent)
    replay = playhead.open(samples["sc2"].name)
    pickled = pickle.dumps(replay)
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(pickled)
    assert again.name == replay.name == samples["sc2"].name
    assert again.players == replay.players


def test_problems_of_a_damaged_input_travel(samples: dict[str, Path]) -> None:
    cut = lzma.compress(samples["teehistorian"].read_bytes())[:-300]
    replay = playhead.open(cut)
    assert pickle.loads(pickle.dumps(replay)).problems == replay.problems != ()


def test_a_catalog_of_the_user_travels(samples: dict[str, Path]) -> None:
    replay = open_as(Sc2Replay, samples["sc2"])
    catalog = Catalog("mine", ())
    replay.use_abilities(catalog)
    again = pickle.loads(pickle.dumps(replay))
    assert again._catalog == catalog


@pytest.mark.slow_interpreted
def test_a_broadcast_travels(corpus: Path) -> None:
    replay = playhead.open(corpus / "source2" / "deadlock_broadcast")
    again = pickle.loads(pickle.dumps(replay))
    assert (again.info, again.players, again.problems) == (replay.info, replay.players, replay.problems)


def test_what_comes_only_once_does_not_travel(samples: dict[str, Path]) -> None:
    with samples["teehistorian"].open("rb") as file:
        replay = playhead.open(file, stream=True)
        with pytest.raises(TypeError, match="only once"):
            pickle.dumps(replay)


@pytest.mark.parametrize("format", FORMATS)
def test_closed(samples: dict[str, Path], format: str, tmp_path: Path) -> None:
    path = tmp_path / samples[format].name
    path.write_bytes(samples[format].read_bytes())
    with playhead.open(path) as replay:
        players = replay.table("players")
        assert not replay.closed
    assert players.num_rows
    assert replay.closed
    path.unlink()
    for use in ("info", "players", "problems", "tables_so_far", "source", "options"):
        with pytest.raises(ClosedReplay, match="open it again"):
            getattr(replay, use)
    with pytest.raises(ClosedReplay):
        replay.plot.positions()
    with pytest.raises(ClosedReplay):
        replay.at("0:05")
    with pytest.raises(ClosedReplay), replay:
        pass


def test_an_open_replay_has_no_attributes_of_air(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    with pytest.raises(AttributeError, match="'Sc2Replay' object has no attribute 'tabels'"):
        replay.tabels  # type: ignore[attr-defined]  # noqa: B018


class _Shared:
    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.times = 0

    @shared_property
    def value(self) -> object:
        self.times += 1
        self.begun.set()
        assert self.go_on.wait(10)
        return object()


def test_a_shared_property_is_computed_once() -> None:
    one = _Shared()
    with ThreadPoolExecutor(4) as threads:
        found = [threads.submit(lambda: one.value) for _ in range(4)]
        assert one.begun.wait(10)
        one.go_on.set()
        assert len({id(each.result()) for each in found}) == 1
    assert one.times == 1


class _Crossed:
    """Of two instances, the first of one needs the second, and the second of the other the first."""

    def __init__(self, other_way: bool, meet: threading.Barrier) -> None:
        self.other_way, self.meet = other_way, meet

    @cached_property
    def first(self) -> int:
        if self.other_way:
            return 1
        self.meet.wait(10)
        return self.second

    @cached_property
    def second(self) -> int:
        if not self.other_way:
            return 2
        self.meet.wait(10)
        return self.first


def test_instances_do_not_wait_for_each_other() -> None:
    meet = threading.Barrier(2)
    one, other = _Crossed(False, meet), _Crossed(True, meet)
    with ThreadPoolExecutor(2) as threads:
        results = [threads.submit(lambda: one.first), threads.submit(lambda: other.second)]
        assert [each.result(timeout=20) for each in results] == [2, 1]


def shown(moment: Moment) -> dict[str, object]:
    """All of a moment; a time that was counted from another start differs in its last bit."""
    facts = moment.as_dict()
    time = facts.pop("game_seconds")
    return {**facts, "game_seconds": None if time is None else round(time, 6)}


@pytest.mark.slow_interpreted
@pytest.mark.parametrize("format", FORMATS)
def test_worlds_move_on_side_by_side(samples: dict[str, Path], format: str) -> None:
    """Moments of one replay belong to a thread each, which moves them where its format can."""
    replay = playhead.open(samples[format])
    last = replay.info.duration_ticks or 0
    ticks = [last * step // 16 for step in range(8)]
    expected = [shown(playhead.open(samples[format]).at(tick * 2)) for tick in ticks]

    def walk(tick: int) -> dict[str, object]:
        moment = replay.at(tick)
        if not hasattr(moment, "advance"):
            return shown(replay.at(tick * 2))
        for _ in range(tick):
            moment.advance()
        return shown(moment)

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(walk, ticks)) == expected


@pytest.mark.long
def test_a_source_says_where_it_is_from(samples: dict[str, Path]) -> None:
    limits = playhead.Limits()
    path = samples["sc2"]
    assert open_source(path, limits).location == str(path)
    assert open_source(path.read_bytes(), limits).location is None
