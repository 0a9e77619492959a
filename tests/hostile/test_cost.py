"""A message costs the same beside thousands of its kind, and of any other kind, in one tick, loop or packet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.hostile.floods import blizzard, source2, teehistorian

import playhead
from playhead import Replay, ReplayError

pytestmark = [pytest.mark.slow_interpreted, pytest.mark.long]


class Flood(NamedTuple):
    """A format: the kinds of its messages, and a writer of a recording with these messages."""

    kinds: Callable[[], Sequence[str]]
    write: Callable[[Path, Sequence[tuple[str, int]]], bytes]
    prepare: Callable[[Path, Replay], None] = lambda folder, replay: None


def _of(module: Any, game: str) -> Flood:
    return Flood(lambda: list(module.kinds(game)), lambda folder, order: module.write(game, order))


FLOODS: Mapping[str, Flood] = {
    "teehistorian": Flood(lambda: list(teehistorian.KINDS), teehistorian.write, teehistorian.prepare),
    **{game: _of(blizzard, game) for game in ("sc2", "hots")},
    **{game: _of(source2, game) for game in ("cs2", "deadlock", "dota2")},
}
#: Kinds that are flooded together, all of them in these many lines; each is a prime, so that lines of every slope
#: through a square of kinds hold each pair once.
SIDE = {"teehistorian": 11, "sc2": 11, "hots": 11, "cs2": 19, "deadlock": 19, "dota2": 23}
#: What the clock cannot tell from nothing, in seconds of CPU.
NOISE = 0.05


def lines(names: Sequence[str], side: int) -> Iterator[list[str]]:
    """Yield `side` groups with every name once, then further ones: every pair is in one group of all of them."""
    square = [list(names[at : at + side]) for at in range(0, len(names), side)]
    assert len(square) <= side
    yield from square
    yield from ([] for _ in range(side - len(square)))
    for slope, first in product(range(side), range(side)):
        places = ((row, (first + slope * number) % side) for number, row in enumerate(square))
        yield [row[at] for row, at in places if at < len(row)]


def test_lines_hold_every_pair_once() -> None:
    names = [str(number) for number in range(107)]
    groups = list(lines(names, 11))
    assert sorted(name for group in groups[:11] for name in group) == sorted(names)
    pairs = [frozenset((a, b)) for group in groups for a in group for b in group if a < b]
    assert len(pairs) == len(set(pairs)) == 107 * 106 // 2


def order(kinds: Sequence[str], count: int) -> list[tuple[str, int]]:
    """Return `count` messages of each kind: half of them behind each other, half by turns."""
    half = count // 2
    return [(kind, i) for kind in kinds for i in range(half)] + [
        (kind, half + i) for i in range(half) for kind in kinds
    ]


def cost(flood: Flood, folder: Path, kinds: Sequence[str], count: int) -> float:
    """Return the seconds of CPU of all tables, events, two moments and checks of a recording."""
    data = flood.write(folder, order(kinds, count))
    began = time.process_time()
    with playhead.open(data) as replay:
        flood.prepare(folder, replay)
        replay.read_tables(list(replay.tables))
        for _ in replay.events():
            pass
        for part in (2, 1):
            with suppress(ReplayError):  # there is no moment
                replay.at((replay.info.duration_ticks or 0) // part)
        replay.verify()
    return time.process_time() - began


def grown(flood: Flood, folder: Path, kinds: Sequence[str]) -> list[float]:
    """Return how many times as long four times as many messages take, without the sample itself, as long as it is
    too much.

    A ratio of 4.5 at some messages is one of 6 at four times as many, if it grows; the latter is measured only
    then, the lower of two, as other work disturbs it.
    """
    alone = min(cost(flood, folder, kinds[:1], 2) for _ in range(2))
    found = []
    few = max(250, 2000 // len(kinds))
    for number, most in ((few, 4.5), (4 * few, 6.0), (4 * few, 6.0)):
        less, more = (max(cost(flood, folder, kinds, times * number) - alone, 0.0) + NOISE for times in (1, 4))
        found.append(more / less)
        if found[-1] < most:
            return []
    return found


def check(name: str, folder: Path, kinds: Sequence[str]) -> None:
    """Check a group of kinds; name the kinds that alone cost too much."""
    if kinds and (found := grown(FLOODS[name], folder, kinds)):
        worst = {kind: alone for kind in kinds if (alone := grown(FLOODS[name], folder, [kind]))}
        pytest.fail(f"four times as many of {', '.join(kinds)} took {found} times as long; of one kind: {worst}")


@pytest.mark.parametrize(
    ("name", "group"), [(name, group) for name, side in SIDE.items() for group in range(side)]
)
def test_messages_of_a_kind(tmp_path: Path, name: str, group: int) -> None:
    check(name, tmp_path, list(lines(FLOODS[name].kinds(), SIDE[name]))[group])


def test_messages_of_one_kind_alone(tmp_path: Path) -> None:
    """Many deaths of one hero in a tick; among other kinds, their square is too small to see."""
    check("deadlock", tmp_path, ["k_EUserMsg_HeroKilled"])


@pytest.mark.parametrize("slope", range(max(SIDE.values())))
@pytest.mark.parametrize("name", SIDE)
def test_messages_of_two_kinds(tmp_path: Path, name: str, slope: int, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--whole"):
        pytest.skip("only with --whole: a group takes a minute")
    side = SIDE[name]
    for group in list(lines(FLOODS[name].kinds(), side))[side * (1 + slope) :][:side]:
        check(name, tmp_path, group)


def test_a_square_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def square(flood: Flood, folder: Path, kinds: Sequence[str], number: int) -> float:
        return 1e-6 * (len(kinds) * number) ** 2

    monkeypatch.setattr("tests.hostile.test_cost.cost", square)
    assert len(grown(FLOODS["sc2"], tmp_path, ["a", "b"])) == 3
