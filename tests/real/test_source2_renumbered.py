"""Real recordings in which each message that facts read has another number."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from tests.opened import open_as
from tests.renumbered import renumber

from playhead.source2.messages.numbers import message_names
from playhead.source2.replay import Source2Replay
from playhead.tables.deferred import BuiltTables

pytestmark = pytest.mark.slow_interpreted

NEW = 1240
#: Messages that facts and state are made of.
ENGINE = (4, 40, 44, 45, 51, 55, 205)
READ = {
    "cs2_14090.dem": (*ENGINE, 6, 76, 207, 452),
    "dota2_build9912_10bots.dem": (*ENGINE, 46, 554),
    "deadlock_broadcast": (*ENGINE, 76, 207, 300, 303, 450, 461),
    "dota2_pov.dem": (*ENGINE, 46, 466, 612),
}
#: Their shape is that of other messages too.
ALIKE = {466, 612}
#: Tables with places in the file, or with its name.
PLACED = {"frames", "messages", "info"}


@cache
def _replay(path: Path) -> Source2Replay:
    return open_as(Source2Replay, path)


@cache
def _tables(path: Path) -> BuiltTables:
    return open_as(Source2Replay, renumber(_replay(path).recording, {})).read_tables()


@pytest.mark.stepped
@pytest.mark.parametrize(("file", "number"), [(file, number) for file in READ for number in READ[file]])
def test_a_message_that_moved_is_recognised_or_named(corpus: Path, file: str, number: int) -> None:
    path = corpus / "source2" / file
    replay = open_as(Source2Replay, renumber(_replay(path).recording, {number: NEW}))
    expected, found = _tables(path), replay.read_tables()
    assert any(str(NEW) in problem.what for problem in replay.problems)
    if number in ALIKE:
        assert not replay.recording.numbers.moved
        return
    assert replay.recording.numbers.moved == {NEW: number}
    assert found.keys() == expected.keys()
    assert [name for name in found if name not in PLACED and not found[name].equals(expected[name])] == []


@pytest.mark.parametrize("file", ["cs2_14065.dem", "deadlock_10423.dem", "dota2_build9912_10bots.dem"])
def test_no_message_is_taken_for_another(corpus: Path, file: str, short_step: int) -> None:
    """Several kinds at once, whether facts read them or not, under new numbers in any order."""
    replay, known = (
        _replay(corpus / "source2" / file),
        message_names(_replay(corpus / "source2" / file).recording.game),
    )
    numbers = sorted(number for number, name in known.items() if name in replay.message_counts())
    chance, right = random.Random(file), Counter[bool]()
    for _ in range(70 // short_step):
        chosen = chance.sample(numbers, chance.randint(1, min(8, len(numbers))))
        moved = dict(zip(chosen, chance.sample(range(1000, 2040), len(chosen)), strict=True))
        other = open_as(Source2Replay, renumber(replay.recording, moved))
        other.message_counts()
        right.update(moved[to] == number for number, to in other.recording.numbers.moved.items())
    assert right[True] > 10
    assert right[False] == 0
