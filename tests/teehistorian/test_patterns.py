"""Figures of made-up inputs whose answers are known."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence

import pytest
from tests.opened import open_as
from tests.samples.teehistorian import sample_bytes

from playhead.teehistorian.patterns import SHORTEST_STRETCH, SequenceIndex, chosen_connections, reports_of
from playhead.teehistorian.patterns.figures import (
    InputTables,
    Visit,
    describe_aim,
    describe_effects,
    describe_presses,
    find_presses,
    summarise,
    turn,
)
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.stream.extensions import PlayerName
from playhead.teehistorian.stream.messages import Drop, Finish, Join
from playhead.teehistorian.stream.ticks import INPUT_FIELDS, Input
from playhead.teehistorian.writing.writer import TeehistorianWriter


def visit(ticks: Sequence[int], path: Sequence[tuple[int, int, int]] = (), **columns: Sequence[int]) -> Visit:
    inputs: Mapping[str, list[int]] = {name: [0] * len(ticks) for name in INPUT_FIELDS}
    return Visit(
        Connection(0, 0, "join"),
        list(ticks),
        {**inputs, **{name: list(values) for name, values in columns.items()}},
        list(path),
    )


def test_a_summary() -> None:
    found = summarise([1, 2, 2, 7])
    assert (found["count"], found["mean"], found["median"], found["least"], found["greatest"]) == (4, 3, 2, 1, 7)
    assert found["deviation"] == pytest.approx(5.5**0.5)
    assert (found["p5"], found["p95"]) == (1, 7)
    assert found["histogram"] == [[1, 1], [2, 2], [7, 1]]
    assert summarise([0.5, 4.9, 5.0], bin_width=5.0)["histogram"] == [[0.0, 2], [5.0, 1]]
    nothing = summarise([])
    assert (nothing["count"], nothing["mean"], nothing["histogram"]) == (0, None, [])


def test_presses_of_a_switch() -> None:
    found = find_presses(visit([1, 2, 5, 9, 12, 13], hook=[1, 0, 1, 1, 0, 1]), "hook")
    assert (found.ticks, found.held) == ([5, 13], [7, None])


@pytest.mark.parametrize(
    ("values", "ticks", "held", "left_out"),
    [
        ([0, 1, 2, 3], [2, 3 + 1], [1, None], 0),
        ([1, 2, 3, 4], [3], [1], 0),  # held at first: that press is not seen
        ([0, 4, 5, 6], [2, 2, 3], [0, 0, 1], 0),  # two presses between two ticks
        ([63, 64, 65, 66], [3], [1], 0),
        ([62, 63, 0, 1], [2, 4], [1, None], 0),  # compared modulo 64
        ([5, 4, 5, 6], [3], [1], 1),  # a counter does not go back by one
        ([0, -(1 << 31), 1, 2], [3], [1], 0),
    ],
)
def test_presses_of_a_counter(values: list[int], ticks: list[int], held: list[int | None], left_out: int) -> None:
    found = find_presses(visit([1, 2, 3, 4], fire=values), "fire")
    assert (found.ticks, found.held, found.left_out) == (ticks, held, left_out)


def test_regular_clicks_are_the_most_regular_stretch() -> None:
    steady = [100 + 5 * n for n in range(20)]
    uneven = [300 + 5 * n + (n * n) % 3 for n in range(15)]
    slow = [1000 + 30 * n for n in range(20)]
    presses = steady + uneven + slow
    ticks = sorted({1} | set(presses) | {tick + 2 for tick in presses})
    jump = [int(tick in presses) for tick in ticks]
    found = describe_presses([visit(ticks, jump=jump)], "jump")
    assert (found["presses"], found["stretches"], found["left_out"]) == (55, 2, 0)
    first, second = found["most_regular_stretches"]
    assert (first["first_tick"], first["last_tick"], first["presses"]) == (100, 195, 20)
    assert (first["period_mean"], first["period_deviation"], set(first["periods"])) == (5, 0, {5})
    assert second["first_tick"] == 300
    assert second["period_deviation"] > 0
    assert found["held"]["histogram"] == [[2, 55]]
    assert dict(map(tuple, found["period"]["histogram"]))[30] == 19


def test_a_pause_is_no_part_of_the_rhythm() -> None:
    presses = [tick + pause for pause in (0, 2000) for tick in range(10, 1010, 10)]
    ticks = sorted({1, *presses, *(tick + 1 for tick in presses)})
    found = describe_presses([visit(ticks, jump=[int(tick in presses) for tick in ticks])], "jump")
    assert (found["rhythm"], found["period"]["deviation"] > 50) == (0, True)
    assert describe_presses([], "jump")["rhythm"] is None


def test_a_client_that_takes_a_slot_over_neither_turns_nor_presses() -> None:
    ticks = [10, 20, 30, 40, 50]
    both = visit(
        ticks, cursor_x=[9, 9, 9, -9, -9], cursor_y=[1] * 5, fire=[60, 60, 60, 0, 1], hook=[0, 0, 0, 1, 1]
    )
    assert (describe_aim([both])["snaps"], describe_presses([both], "fire")["presses"]) == (1, 3)
    both.connection.taken_over.append((38, 7))
    parts = list(both.parts())
    assert [part.tick for part in parts] == [[10, 20, 30], [40, 50]]
    assert describe_aim(parts)["snaps"] == 0
    assert [describe_presses(parts, button)["presses"] for button in ("fire", "hook")] == [1, 0]


def test_periods_do_not_go_from_one_visit_to_the_next() -> None:
    one = visit([1, 2, 3], hook=[0, 1, 0])
    two = visit([10, 11, 12], hook=[0, 1, 0])
    found = describe_presses([one, two], "hook")
    assert (found["presses"], found["period"]["count"]) == (2, 0)


def test_turns_take_the_short_way() -> None:
    assert turn(170, -170) == 20
    assert turn(-170, 170) == -20
    assert turn(0, 180) == turn(0, -180) == 180
    assert turn(90, 90) == 0


def test_a_snap_is_a_jump_between_moments_of_rest() -> None:
    #         rest  snap  back         turn quickly on two ticks   no aim at all
    ticks = [10, 20, 24, 40, 41, 60]
    x = [100, 0, 100, 0, -100, 0]
    y = [0, 100, 0, 100, 0, 0]
    found = describe_aim([visit(ticks, cursor_x=x, cursor_y=y, hook=[0, 1, 1, 1, 1, 1])])
    assert found["turn"]["count"] == 4
    assert found["turn"]["histogram"] == [[90.0, 4]]
    assert (found["snaps"], found["snaps_with_press"], found["snaps_taken_back"]) == (2, 1, 1)
    first, second = found["first_snaps"]
    assert (first["tick"], first["degrees"], first["press"], first["taken_back_after"]) == (20, 90, "hook", 4)
    assert (second["tick"], second["degrees"], second["press"], second["taken_back_after"]) == (
        24,
        -90,
        None,
        None,
    )


def test_slow_turns_are_no_snaps() -> None:
    found = describe_aim([visit([1, 2, 3], cursor_x=[100, 100, 100], cursor_y=[0, 50, 99])])
    assert (found["snaps"], found["turn"]["count"]) == (0, 2)


def test_delays_from_press_to_movement() -> None:
    path = [(1, 0, 50), (20, 1, 50), (21, 3, 50), (40, 3, 45), (41, 3, 41), (100, 4, 41)]
    ticks = [1, 20, 30, 38, 60]
    found = describe_effects([visit(ticks, path, direction=[0, 1, 0, 0, 1], jump=[0, 0, 0, 1, 1])])
    assert found["move"]["delay"]["histogram"] == [[0, 1], [40, 1]]
    assert found["jump"]["delay"]["histogram"] == [[2, 1]]
    never = describe_effects([visit([1, 20], [(1, 0, 0), (90, 5, 0)], direction=[0, 1], jump=[0, 1])])
    assert (never["move"]["delay"]["count"], never["move"]["without_effect"]) == (0, 1)
    moving = describe_effects([visit([1, 20], [(1, 0, 0), (19, 5, 0), (20, 9, 0)], direction=[0, 1])])
    assert (moving["move"]["delay"]["count"], moving["move"]["without_effect"]) == (0, 0)
    rising = describe_effects([visit([1, 20], [(18, 0, 9), (19, 0, 8), (20, 0, 7)], jump=[0, 1])])
    assert (rising["jump"]["delay"]["count"], rising["jump"]["without_effect"]) == (0, 0)


def wandering(start: int, count: int, *, seed: int = 1) -> Visit:
    """Inputs on uneven ticks that aim around."""
    ticks, x, fire = [start], [seed], [seed]
    for n in range(1, count):
        ticks.append(ticks[-1] + 1 + (n * n * seed) % 3)
        x.append((x[-1] * 31 + seed) % 997)
        fire.append(fire[-1] + n % 2)
    return visit(ticks, cursor_x=x, fire=fire, jump=[n % 2 for n in range(count)])


def test_the_same_inputs_later_are_found_whole() -> None:
    own = wandering(100, 80)
    other = wandering(1000, 80)
    other.inputs["fire"][:] = [value + 20 for value in other.inputs["fire"]]  # counters need not be equal
    (found,) = SequenceIndex([own]).find(other)
    assert (found["first_tick"], found["last_tick"], found["inputs"]) == (own.tick[1], own.tick[-1], 79)
    assert (found["other_first_tick"], found["ticks_later"]) == (other.tick[1], 900)
    assert found["different_aims"] > 20


def test_a_part_that_is_the_same_is_found() -> None:
    own = wandering(100, 80)
    other = wandering(2000, 70)
    other.inputs["cursor_x"][30] += 1
    found = [(one["inputs"], one["other_first_tick"]) for one in SequenceIndex([own]).find(other)]
    assert found == [(29, other.tick[1]), (39, other.tick[31])]


@pytest.mark.parametrize("count", [SHORTEST_STRETCH, SHORTEST_STRETCH + 1])
def test_short_stretches_do_not_count(count: int) -> None:
    found = list(SequenceIndex([wandering(1, count)]).find(wandering(5, count)))
    assert len(found) == count - SHORTEST_STRETCH


def test_other_inputs_and_a_mouse_at_rest_are_not_found() -> None:
    own = wandering(1, 200)
    assert list(SequenceIndex([own]).find(wandering(1, 200, seed=2))) == []
    still = visit(list(range(100)), jump=[n % 2 for n in range(100)])
    assert list(SequenceIndex([still]).find(still)) == []


# -- a whole recording ----------------------------------------------------------------------------------------


def recording() -> TeehistorianReplay:
    writer = TeehistorianWriter({"version": "2", "version_minor": "22", "uuids": [PlayerName.extension_name]})
    model = wandering(10, 60)
    for cid, name in enumerate(("a", "copy", "c")):
        writer.record(Join(cid))
        writer.record(PlayerName(cid, name))
    for n, tick in enumerate(model.tick):
        writer.set_tick(tick)
        values = {name: model.inputs[name][n] for name in INPUT_FIELDS}
        writer.set_input(0, Input(**values))
        writer.set_input(1, Input(**values))
        writer.set_input(2, Input(**{**values, "cursor_x": n % 7, "cursor_y": 1}))
    writer.set_tick(300)
    writer.record(Drop(0, ""))
    writer.set_tick(310)
    writer.record(Join(0))
    writer.record(PlayerName(0, "late"))
    writer.set_input(0, Input(*range(10)))
    writer.record(Finish())
    return open_as(TeehistorianReplay, writer.to_bytes())


def test_a_visit_holds_what_its_connection_did() -> None:
    first, second = InputTables(recording()).visits(0)
    model = wandering(10, 60)
    assert first.tick == [tick + 1 for tick in model.tick]
    assert first.inputs["cursor_x"] == model.inputs["cursor_x"]
    assert (second.tick, second.inputs["cursor_x"], second.connection.name) == ([311], [1], "late")


def test_a_report_of_a_recording() -> None:
    replay = recording()
    assert [one.name for one in chosen_connections(replay)] == ["a", "copy", "c", "late"]
    (report,) = replay.patterns("a")
    assert (report["inputs"], report["player"], report["client"], report["names"]) == (60, 0, 0, ["a"])
    (same,) = report["same_inputs"]
    assert (same["other_name"], same["ticks_later"], same["inputs"]) == ("copy", 0, 59)
    assert "same_inputs" not in replay.patterns()[0]
    (late,) = replay.patterns("late")
    assert (late["inputs"], late["seconds"], late["same_inputs"], late["player"]) == (1, 0, [], 3)
    assert replay.patterns(client=0) == [report, late]
    assert replay.patterns(3) == [late] == replay.patterns("late", client=0)
    with pytest.raises(KeyError, match="'copy'"):
        replay.patterns("nobody")
    with pytest.raises(KeyError, match="no player fits; there are 4, in slots 0"):
        replay.patterns("late", client=1)


def test_damaged_recordings_have_figures_or_typed_errors() -> None:
    original = sample_bytes()
    dice = random.Random(11)
    reports = 0
    for _ in range(60):
        data = bytearray(original)
        for _ in range(dice.choice((1, 3, 20))):
            data[dice.randrange(1200, len(data))] = dice.randrange(256)
        replay = open_as(TeehistorianReplay, bytes(data))
        for report in reports_of(replay, chosen_connections(replay)):
            json.dumps(report)
            reports += 1
    assert reports > 60


def test_a_report_of_a_stretch_is_one_of_its_rows() -> None:
    replay = recording()
    first, last = 30, 120
    (report,) = replay.patterns("a", start=first, end=last)
    ticks = [tick + 1 for tick in wandering(10, 60).tick if first <= tick + 1 <= last]
    assert report["inputs"] == len(ticks)
    assert report["seconds"] == (ticks[-1] - ticks[0]) / 50
    (same,) = report["same_inputs"]
    assert (same["first_tick"], same["last_tick"]) == (ticks[1], ticks[-1])
    assert replay.patterns("a", start=0, end=5)[0]["inputs"] == 0
    assert replay.patterns("a", start=0) == replay.patterns("a")
