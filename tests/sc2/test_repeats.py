"""Repeated orders, of which the game writes only the number, in a short stream whose story is known."""

from __future__ import annotations

from array import array

import pytest
from tests.samples.blizzard import EventWriter
from tests.samples.sc2 import replay as sample

import playhead
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream, decode_stream
from playhead.blizzard.events.merged_rows import repeated, unpaired
from playhead.blizzard.protocol.tables import GAME
from playhead.sc2.protocol.tables import event_program, protocol_table
from playhead.sc2.state.orders import repeats
from playhead.sc2.tables.actions import command_rows
from playhead.sc2.tables.registry import TABLES

BUILD = 93333
DRONE, LING = ({"m_abilLink": 183, "m_abilCmdIndex": index, "m_abilCmdData": None} for index in (0, 1))


def stream(*rows: tuple[int, int, str, dict[str, object]]) -> EventStream:
    out = EventWriter(protocol_table(BUILD, BUILD))
    for loop, user, name, fields in rows:
        out.write(loop, user, name, **fields)
    return decode_stream(out.to_bytes(), event_program(BUILD, BUILD, GAME), GAME, capture=TABLES.captured(GAME))


def result(loop: int, user: int, number: int, state: int = 1) -> tuple[int, int, str, dict[str, object]]:
    return loop, user, "SCommandManagerStateEvent", {"m_state": state, "m_sequence": number}


def order(
    loop: int, user: int, ability: dict[str, object], number: int
) -> tuple[int, int, str, dict[str, object]]:
    return loop, user, "SCmdEvent", {"m_abil": ability, "m_data": {"None": None}, "m_sequence": number}


def test_a_result_without_an_update_repeats_the_last_order_of_its_user() -> None:
    point = {"x": 40 * 4096, "y": 50 * 4096, "z": 0}
    game = stream(
        order(10, 0, DRONE, 1),
        order(10, 1, LING, 1),
        result(12, 0, 2),  # one more drone
        (14, 1, "SCmdUpdateTargetPointEvent", {"m_target": point}),
        result(14, 0, 3),  # of the other user, between an update and its result
        result(14, 1, 2),
        result(15, 1, 3),  # the update once more
    )
    assert list(repeats(game).orders) == [2, 4, 6]
    assert list(repeats(game).sequences) == [2, 3, 3]
    rows = command_rows(game)
    kinds = [rows.kinds[part] for part in rows.merged.part]
    assert kinds == [
        "command_given",
        "command_given",
        "command_repeated",
        "command_repeated_at_point",
        "command_repeated",
        "command_repeated",
    ]
    assert list(rows.columns["ability_index"]) == [0, 1, 0, 1, 0, 1]
    assert [x if x != NOTHING else None for x in rows.columns["x"]] == [
        None,
        None,
        None,
        40 * 4096,
        None,
        40 * 4096,
    ]
    assert list(rows.times)[:2] == [2, 2]


def test_another_state_is_no_repeat() -> None:
    """Unknown states are left in the events."""
    assert not repeats(stream(order(10, 0, DRONE, 1), result(11, 0, 2, state=0))).orders


def test_a_repeat_without_an_order_has_no_ability() -> None:
    """As in a recording that begins late."""
    rows = command_rows(stream(result(11, 0, 2)))
    assert list(rows.columns["ability_id"]) == [NOTHING]


@pytest.mark.parametrize("compiled", [unpaired, repeated])
def test_empty_columns_are_accepted(compiled: object) -> None:
    none = array("q")
    assert not list(unpaired(none, array("i"), array("i"), none, 1))
    assert [list(each) for each in repeated(none, array("i"), array("i"))] == [[], [], []]


@pytest.mark.parametrize("user", [0, 255, 256, 1 << 30, -1])
def test_commands_of_any_user_are_repeated(user: int) -> None:
    """Users of real games are few; a damaged file may have any."""
    kinds, users = array("q", [2, 0, 2, 1, 2]), array("i", [user] * 5)
    found = repeated(kinds, array("i", range(5)), users)
    assert [list(each) for each in found] == [
        [0, 1, 1, 1, 1],
        [0, 1, 1, 3, 3],
        [NOTHING, 3, NOTHING, NOTHING, NOTHING],
    ]


def test_the_sample_has_one() -> None:
    """With the ability and the target of the update before it; actions count it too."""
    replay = playhead.open(sample.sample_bytes())
    rows = replay.table("commands").to_pylist()[:3]
    assert [(row["kind"], row["x"], row["updates"]) for row in rows] == [
        ("command_given", 120.0, 2),
        ("command_repeated_at_point", 120.0, None),
        ("command_repeated", 120.0, None),
    ]
    assert {row["ability_id"] for row in rows} == {40}
    assert replay.table("inputs")["kind"].to_pylist().count("command_repeated") == 1
    assert sum(replay.table("apm")["actions"].to_pylist()) == 10
