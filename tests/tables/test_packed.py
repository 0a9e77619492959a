"""Columns that wait compressed."""

import pickle

import pyarrow as pa
import pytest

from playhead.tables.packed import PackedText, Room


@pytest.fixture
def column() -> PackedText:
    packed = PackedText(pa.string(), Room(0))
    packed.add(pa.array(["a", None, "ccc"]))
    packed.add(pa.chunked_array([pa.array(["d"]), pa.array(["e", "f"])]))
    return packed


def test_rows_are_read_from_any_place(column: PackedText) -> None:
    rows = ["a", None, "ccc", "d", "e", "f"]
    assert len(column) == len(rows)
    for first in range(len(rows) + 1):
        for count in (0, 1, 2, 9, None):
            end = None if count is None else first + count
            assert column.read(first, count).to_pylist() == rows[first:end], (first, count)
    assert column.read().type == pa.string()


def test_columns_join_and_go_to_other_processes(column: PackedText) -> None:
    column.extend(pickle.loads(pickle.dumps(column)))
    assert column.read(5, 2).to_pylist() == ["f", "a"]


def test_columns_share_room_and_take_little_memory_without_it() -> None:
    text = pa.array([b'{"name": 1}'] * 100_000)
    room = Room(2 * text.nbytes)
    columns = [PackedText(pa.binary(), room) for _ in range(3)]
    for column in columns:
        column.add(text)
    first, second, third = (column.nbytes for column in columns)
    assert first == second == text.nbytes
    assert third < first / 5
    first_of_all = columns[0]
    first_of_all.add(text)
    assert first_of_all.nbytes == first + third
    assert first_of_all.read(99_999, 2).to_pylist() == [b'{"name": 1}'] * 2
