from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.teehistorian.stream.int32 import add_int32
from playhead.teehistorian.stream.ticks import INPUT_FIELDS, Input, InputTracker, PositionTracker

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
TEN = st.tuples(*[INT32] * 10)


@given(INT32, INT32)
def test_sums_wrap_as_in_c(a: int, b: int) -> None:
    assert add_int32(a, b) == int.from_bytes(((a + b) % (1 << 32)).to_bytes(4, "little"), "little", signed=True)


@given(st.integers(0, 127), INT32, INT32, INT32, INT32)
def test_positions_add_up(cid: int, x: int, y: int, dx: int, dy: int) -> None:
    tees = PositionTracker()
    assert not tees.move(cid, dx, dy)
    assert not tees.vanish(cid)
    assert tees.get(cid) is None
    assert tees.appear(cid, x, y)
    assert tees.move(cid, dx, dy)
    assert tees.get(cid) == (add_int32(x, dx), add_int32(y, dy))
    assert tees.appear(cid, x, y)
    assert tees.get(cid) == (x, y)
    assert len(tees) == 1
    assert tees.vanish(cid)
    assert (tees.get(cid), len(tees)) == (None, 0)
    assert not tees.move(cid, dx, dy)


@given(st.integers(0, 127), TEN, TEN)
def test_inputs_add_up_and_outlive_their_player(
    cid: int, values: tuple[int, ...], differences: tuple[int, ...]
) -> None:
    inputs = InputTracker()
    assert not inputs.change(cid, differences)
    assert inputs.get(cid) is None
    assert inputs.replace(cid, values)
    assert inputs.get(cid) == Input(*values)
    assert inputs.change(cid, differences)
    assert inputs.get(cid) == tuple(map(add_int32, values, differences))
    assert inputs.get((cid + 1) % 128) is None


def test_ten_fields_in_the_order_of_the_file() -> None:
    fields = "direction cursor_x cursor_y jump fire hook player_flags wanted_weapon_id next_weapon prev_weapon"
    assert tuple(fields.split()) == INPUT_FIELDS


@pytest.mark.parametrize("cid", [-1, 128])
def test_client_ids_are_checked(cid: int) -> None:
    tees = PositionTracker()
    for change in (lambda: tees.appear(cid, 0, 0), lambda: tees.move(cid, 0, 0), lambda: tees.vanish(cid)):
        with pytest.raises(IndexError):
            change()
    inputs = InputTracker()
    for change in (lambda: inputs.replace(cid, [0] * 10), lambda: inputs.change(cid, [0] * 10)):
        with pytest.raises(IndexError):
            change()
    assert tees.get(cid) is None
    assert inputs.get(cid) is None


def test_an_input_has_ten_numbers() -> None:
    with pytest.raises(ValueError, match="ten numbers"):
        InputTracker().replace(0, [1] * 9)
