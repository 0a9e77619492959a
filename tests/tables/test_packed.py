"""Columns that wait compressed."""

import pickle

import pyarrow as pa
import pytest

from playhead.tables.packed import PackedText


@pytest.fixture
def column() -> PackedText:
    packed = PackedText(pa.string())
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


def test_the_first_megabytes_stay_as_they_are_and_later_ones_take_little_memory() -> None:
    packed = PackedText(pa.binary())
    text = pa.array([b'{"name": 1}'] * 100_000)
    packed.add(text)
    first = packed.nbytes
    assert first == text.nbytes
    for _ in range(4):
        packed.add(text)
    assert packed.nbytes < 3 * first, "of 5"
    before = packed.nbytes
    packed.add(text)
    assert packed.nbytes - before < first / 5
    assert packed.read(499_999, 2).to_pylist() == [b'{"name": 1}'] * 2
