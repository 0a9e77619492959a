"""Promises about a replay as an object: opening, closing, pickling, threads, capabilities."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier

from playhead import registry
from playhead.capabilities import CAPABILITIES
from playhead.errors import ClosedReplay, ReplayError
from playhead.io.source import open_source
from playhead.model import Options
from playhead.replay import Replay
from playhead.testing.subject import Subject, refusal


def is_recognised_by_its_content(subject: Subject) -> None:
    """`playhead.open` recognises the format by the first bytes, not by the file's name."""
    assert registry.detect(open_source(subject.data, Options().limits)).name == subject.format
    assert subject.replay.format == subject.format


def a_sound_recording_has_no_problems(subject: Subject) -> None:
    """`problems` is empty, every check of `verify` passes, and strict reading gives the same tables."""
    assert subject.replay.problems == (), subject.replay.problems
    for check in subject.replay.verify():
        assert check.failed == 0, check
    strict = subject.open(strict=True)
    assert strict.problems == (), strict.problems
    for name, table in strict.read_tables().items():
        assert table.equals(subject.tables[name]), name


def opening_is_lazy(subject: Subject) -> None:
    """Opening reads only the head: damage at the end appears only to later reads."""
    cut = subject.open(subject.data[: len(subject.data) * 3 // 4])
    assert cut.problems_so_far == ()


def a_replay_pickles(subject: Subject) -> None:
    """A pickled replay, as sent to another process, is the same recording, from a path and from bytes."""
    for replay in (subject.open(), subject.open(subject.data)):
        again = pickle.loads(pickle.dumps(replay))
        assert type(again) is type(replay)
        assert (again.name, again.info, again.players) == (replay.name, replay.info, replay.players)
        for name, table in again.read_tables().items():
            assert table.equals(subject.tables[name]) or name == "info", name


def a_replay_closes(subject: Subject) -> None:
    """A replay is a context manager; closed, it raises `ClosedReplay`, and returned data stays usable."""
    with subject.open() as replay:
        table = replay.table("players")
    assert replay.closed
    assert table.equals(subject.tables["players"])
    uses: tuple[Callable[[], object], ...] = (
        lambda: replay.info,
        lambda: replay.players,
        lambda: replay.problems,
        lambda: replay.table("players"),
        lambda: replay.read_tables(),
        lambda: replay.verify(),
        lambda: replay.name,
        lambda: list(replay.batches("players")),
        lambda: replay.export(subject.folder / "closed"),
        lambda: pickle.dumps(replay),
        replay.__enter__,
        *([lambda: replay.at(0)] if "moment" in replay.capabilities else []),
        *([lambda: list(replay.events())] if subject.replay.event_kinds else []),
    )
    for use in uses:
        assert subject.path.name in refusal(ClosedReplay, use)
    assert "closed" in repr(replay)
    replay.close()


def threads_get_what_one_would(subject: Subject) -> None:
    """Eight threads that read tables and moments of one replay at once get the result of a single thread."""
    replay = subject.open()
    last = replay.info.duration_ticks or 0
    ticks = [last * step // 7 for step in range(8)] if "moment" in replay.capabilities else []
    moments = {tick: subject.replay.at(tick).as_dict() for tick in ticks}
    events = [(event.tick, event.kind, event.player) for event in subject.replay.events()]
    names = list(subject.tables)
    start = Barrier(8)

    def ask(number: int) -> None:
        start.wait()
        for tick in (ticks[number:] + ticks[:number])[:3]:  # any two threads share some
            assert replay.at(tick).as_dict() == moments[tick], f"moment at {tick}"
        for name in names[number:] + names[:number]:
            assert replay.table(name).equals(subject.tables[name]), name
        assert [(event.tick, event.kind, event.player) for event in replay.events()] == events
        assert (replay.info, replay.players) == (subject.replay.info, subject.replay.players)
        assert replay.problems == ()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))


def capabilities_are_kept(subject: Subject) -> None:
    """Each of `capabilities` works on the sample; the others raise an error that says so."""
    replay = subject.replay
    middle = (replay.info.duration_ticks or 0) // 2
    written = subject.folder / "written"
    no_map = subject.folder / "no.map"
    no_map.write_bytes(b"no map of any game")
    attempts: dict[str, Callable[[], object]] = {
        "moment": lambda: replay.at(middle).as_dict(),
        "messages": lambda: next(replay.messages()),
        "game_events": lambda: list(replay.game_events()),
        "entities": lambda: replay.entity_table("*"),
        "schema": lambda: replay.table("schema"),
        "slice": lambda: replay.write_slice(written, 0, middle),
        "voice": lambda: _written_voice(replay, subject.folder / "voice"),
        "anonymize": lambda: replay.write_anonymized(written, salt="salt"),
        "map": lambda: refusal(ReplayError, lambda: replay.read_map(b"no map of any game")),
        "patterns": lambda: json.dumps(replay.patterns()),
        "runs": lambda: json.dumps(replay.runs()),
        "simulate": lambda: refusal(ReplayError, lambda: replay.simulate(no_map)),
    }
    assert attempts.keys() == CAPABILITIES.keys()
    assert replay.capabilities <= CAPABILITIES.keys()
    assert ("schema" in replay.capabilities) == ("schema" in replay.tables)
    for name, attempt in attempts.items():
        if name in replay.capabilities:
            attempt()
        elif name != "schema":
            assert f"a {replay.format_title} cannot" in refusal(NotImplementedError, attempt), name
        if written.exists():
            copy = subject.open(written.read_bytes())
            assert copy.format == subject.format, name
            assert copy.problems == (), name
            written.unlink()


def _written_voice(replay: Replay, folder: Path) -> None:
    with suppress(ModuleNotFoundError):  # the extra is not installed
        replay.write_voice(folder)


def the_sample_is_deterministic(subject: Subject) -> None:
    """``write_sample``, which wrote the subject, writes the same bytes again."""
    folder = subject.folder / "again"
    folder.mkdir(exist_ok=True)
    assert Subject.sample(subject.format, folder).data == subject.data
