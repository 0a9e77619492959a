"""Eight threads on one replay get what one gets, whatever each asks for first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.samples.source2.match_demo import match_demo

import playhead
from playhead.registry import BUILTIN_FORMATS, list_formats

THREADS = 8

pytestmark = pytest.mark.slow_interpreted

#: What a thread asks of a replay, in an order of its own.
QUESTIONS: tuple[Callable[[playhead.Replay], Any], ...] = (
    lambda replay: replay.info,
    lambda replay: replay.players,
    lambda replay: [str(event) for event in replay.events()],
    lambda replay: replay.table("players").to_pylist(),
    lambda replay: {
        name: table.to_pylist() for name, table in replay.read_tables(list(replay.tables)[:6]).items()
    },
    lambda replay: replay.at((replay.info.duration_ticks or 0) // 2).as_dict(),
    lambda replay: [str(check) for check in replay.verify()],
    lambda replay: sorted(map(str, replay.problems)),
)


def sample(name: str, folder: Path) -> bytes:
    """The sample of a format; of Source 2 a short match, whose second half begins with damage."""
    if name != "source2":
        path: Path = next(each for each in BUILTIN_FORMATS if each.name == name).write_sample(folder)
        return path.read_bytes()
    data = bytearray(match_demo(10 / 60, full_packet_every=120)[0])
    data[len(data) // 2 : len(data) // 2 + 8] = bytes(8)
    return bytes(data)


@pytest.mark.long
@pytest.mark.parametrize("name", [each.name for each in list_formats()])
def test_threads_get_what_one_gets(name: str, tmp_path: Path) -> None:
    data = sample(name, tmp_path)
    alone = playhead.open(data)
    expected = [question(alone) for question in QUESTIONS]
    assert bool(alone.problems) == (name == "source2")
    replay = playhead.open(data)
    together = threading.Barrier(THREADS)

    def ask(first: int) -> list[Any]:
        together.wait(30)
        order = [(first + step) % len(QUESTIONS) for step in range(len(QUESTIONS))]
        found = {number: QUESTIONS[number](replay) for number in order}
        return [found[number] for number in range(len(QUESTIONS))]

    with ThreadPoolExecutor(THREADS) as threads:
        for found in threads.map(ask, range(THREADS)):
            assert found[:-1] == expected[:-1]
    # Whoever asks before all is read knows of fewer problems.
    assert sorted(map(str, replay.problems)) == expected[-1]
