"""Rows of messages that wait for the end of a recording take little memory."""

import tracemalloc
from collections.abc import Iterator

import pytest

from playhead.source2.message_rows import MessageTable
from playhead.tables.packed import Room

_ROWS = 80_000
_TEXT = '{"control_point": 1, "position": {"x": 0.5, "y": 1.5, "z": 2.5}, "orientation": 7}'


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.long
@pytest.mark.usefixtures("traced")
def test_open_rows_are_those_of_a_batch() -> None:
    table = MessageTable(["int32", "float64", "category", "others"], Room(0))
    table.append_row(0, [0, 0.5, "kind", _TEXT])  # which imports what it needs
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    for number in range(1, _ROWS):
        table.append_row(number, [number, 0.5, "kind", _TEXT])
    _, most = tracemalloc.get_traced_memory()
    assert most - before < _ROWS * len(_TEXT) * 0.8, "the text alone takes more"

    numbers, halves, kinds, texts = table.to_arrow()
    assert len(table) == 0
    assert numbers.to_pylist() == list(range(_ROWS))
    assert halves.null_count == 0
    assert kinds.dictionary.to_pylist() == ["kind"]
    assert texts.nbytes < _ROWS * len(_TEXT) / 8
    assert texts.read(_ROWS - 1).to_pylist() == [_TEXT.encode()]
