"""The clock of rounds: what it shows, and which tick shows a time."""

from __future__ import annotations

import pyarrow as pa
import pytest

from playhead.cs2.sources.clock import BOMB, FREEZE, LIVE, OVER, WARMUP, RoundClock, Segment

RATE = 64.0
#: Warm-up, then round 1 with a pause in its freeze time and a bomb, then round 2, played again after a backup.
SEGMENTS = (
    Segment(10, 0, WARMUP, 10 + 60 * RATE),
    Segment(1000, 1, FREEZE, 1000 + 15 * RATE),
    Segment(1320, 1, FREEZE, 1000 + 15 * RATE, held=10.0),
    Segment(1500, 1, FREEZE, 1500 + 10 * RATE),
    Segment(2140, 1, LIVE, 2140 + 115 * RATE),
    Segment(4000, 1, BOMB, 4000 + 40 * RATE),
    Segment(5000, 1, OVER, None),
    Segment(6000, 2, LIVE, 6000 + 115 * RATE),
    Segment(7000, 2, OVER, None),
    Segment(8000, 2, LIVE, 8000 + 115 * RATE),
)
CLOCK = RoundClock(RATE, stretches=(), label="round time left", segments=SEGMENTS)


@pytest.mark.parametrize(
    ("tick", "shown"),
    [
        (9, None),
        (10, "warmup 1:00"),
        (999, "warmup 0:44"),
        (1000, "R1 freeze 0:15"),
        (1001, "R1 freeze 0:14"),
        (1320, "R1 freeze 0:10"),
        (1499, "R1 freeze 0:10"),  # held in the pause
        (1500, "R1 freeze 0:10"),
        (2140, "R1 1:55"),
        (4000, "R1 bomb 0:40"),
        (5000, "R1"),
        (6000, "R2 1:55"),
        (8000 + 116 * 64, "R2 0:00"),  # not below zero
    ],
)
def test_what_it_shows(tick: int, shown: str | None) -> None:
    assert CLOCK.displayed(tick) == shown


def test_a_column_is_as_its_ticks() -> None:
    ticks = [9, 10, 1000, 1320, 1499, 1500, 4000, 5000, 6000, 8000 + 116 * 64, 10]
    column = CLOCK.game_seconds_column(pa.array(ticks, pa.int32())).to_pylist()
    assert column == [CLOCK.game_seconds(tick) for tick in ticks]
    assert (column[0], column[3], column[-2]) == (None, 10.0, 0.0)


@pytest.mark.parametrize(
    ("when", "tick"),
    [
        ("R1", 2140),  # the end of the freeze time
        ("R1 freeze", 1000),
        ("r1 FREEZE 0:15", 1000),
        ("R1 freeze 0:14", 1001),
        ("R1 freeze 0:10", 1257),  # the first tick with it: after five seconds, before the pause
        ("R1 freeze 0:09", 1501),  # after the pause
        ("R1 1:55", 2140),
        ("R1 1:54", 2141),
        ("R1 1:30", 2140 + 24 * 64 + 1),
        ("R1 bomb 0:39", 4001),
        ("warmup", 10),
        ("Warmup 0:59", 11),
        ("R2 1:55", 8000),  # of a round that was played again, the last one
        ("R2 0:00", 8000 + 114 * 64 + 1),
    ],
)
def test_which_tick_shows_a_time(when: str, tick: int) -> None:
    assert CLOCK.tick_at(when) == tick
    if ":" in when:
        assert (CLOCK.displayed(tick) or "").casefold() == when.casefold()


def test_a_time_of_a_knife_round() -> None:
    segments = (Segment(5, 0, WARMUP, 100.0), Segment(100, 0, FREEZE, 420.0), Segment(420, 0, LIVE, 6820.0))
    clock = RoundClock(RATE, stretches=(), label="round time left", segments=segments)
    for tick in (5, 100, 421):
        assert clock.tick_at(clock.displayed(tick) or "") == tick


def test_a_time_of_an_earlier_try_of_a_round() -> None:
    cut = RoundClock(
        RATE, stretches=(), label="round time left", segments=(*SEGMENTS[:9], Segment(8000, 2, LIVE, None))
    )
    assert cut.tick_at("R2 1:40") == 6000 + 14 * 64 + 1


def test_a_pause_that_shows_what_no_other_tick_does() -> None:
    segments = (Segment(100, 1, FREEZE, 200.0, held=3.5), Segment(300, 1, LIVE, None))
    assert (
        RoundClock(RATE, stretches=(), label="round time left", segments=segments).tick_at("R1 freeze 0:03") == 100
    )


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ("R1 freeze 0:20", r"it starts at R1 freeze 0:15, ends at R1 freeze 0:00"),
        (
            "R1 1:10",
            r"it starts at R1 1:55, ends at R1 1:25, and R1 bomb 0:40 follows",
        ),  # the bomb was planted before
        ("R2 2:00", r"it starts at R2 1:55\)"),  # the recording ends within it
        ("R1 bomb 0:10", r"ends at R1 bomb 0:24\)"),
        ("warmup 2:00", r"it starts at warmup 1:00, ends at warmup 0:44, and R1 freeze 0:15 follows"),
        ("knife 0:10", r"each of the rounds 1 to 2"),
        ("R3", "there is no round 3: the recording has the rounds 1 to 2"),
        ("R2 bomb", r"each of the rounds 1 to 2"),
        ("1:56", r"each of the rounds 1 to 2"),
    ],
)
def test_a_time_that_was_never_shown(when: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        CLOCK.tick_at(when)


def test_a_time_without_a_round_is_the_first_that_shows_it() -> None:
    assert CLOCK.tick_at("1:30") == CLOCK.tick_at("R1 1:30")
    assert CLOCK.tick_at("R1 1:55") == CLOCK.tick_at("1:55")  # what messages suggest


def test_a_round_has_its_first_and_last_tick() -> None:
    first, last = CLOCK.round_ticks(1) or (0, 0)
    assert first == next(each.tick for each in SEGMENTS if each.round_num == 1)
    assert CLOCK.round_ticks(2) == (last + 1, None)
    assert CLOCK.round_ticks(9) is None


def test_a_time_that_would_begin_with_the_next_segment_was_not_shown() -> None:
    segments = (Segment(100, 1, LIVE, 9503.0), Segment(4000, 1, BOMB, 4000 + 40 * RATE))
    clock = RoundClock(RATE, stretches=(), label="round time left", segments=segments)
    assert clock.tick_at("R1 1:26") == 3936
    with pytest.raises(ValueError, match="expected a time that the game displays"):
        clock.tick_at("R1 1:25")


def test_a_recording_of_one_round_or_none_says_so() -> None:
    one = RoundClock(RATE, stretches=(), label="round time left", segments=SEGMENTS[1:7])
    with pytest.raises(ValueError, match="there is no round 7: the recording has round 1 alone"):
        one.tick_at("R7")
    none = RoundClock(RATE, stretches=(), label="round time left", segments=())
    with pytest.raises(ValueError, match="has no round: 10s means seconds"):
        none.tick_at("R1")
    assert none.shown_between(5, 9) is not None
