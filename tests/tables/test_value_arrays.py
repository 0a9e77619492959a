"""Python values as arrays, against what pyarrow makes of them."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.tables.schema import arrow_type
from playhead.tables.value_arrays import array_of, scalar_of

_TIMES = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-7))]))
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "int8": st.integers(-(1 << 7), (1 << 7) - 1),
    "int32": st.integers(-(1 << 31), (1 << 31) - 1),
    "int64": st.integers(-(1 << 63), (1 << 63) - 1),
    "uint16": st.integers(0, (1 << 16) - 1),
    "uint64": st.integers(0, (1 << 64) - 1),
    "float32": st.floats(width=32, allow_nan=False),
    "float64": st.floats(allow_nan=False) | st.integers(-(1 << 53), 1 << 53),
    "bool": st.booleans(),
    "string": st.text(st.characters(exclude_categories=["Cs"])),
    "binary": st.binary(),
    "timestamp": _TIMES,
    "category": st.sampled_from(["one", "two", "", "ü"]),
    "list<int64>": st.lists(st.none() | st.integers(0, 9)),
    "list<string>": st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)),
}


@pytest.mark.long
@pytest.mark.parametrize("name", _VALUES)
@given(st.data())
def test_the_same_as_arrow(name: str, data: st.DataObject) -> None:
    form = arrow_type(name)
    values = data.draw(st.lists(st.none() | _VALUES[name], max_size=20))
    found = array_of(values, form)
    found.validate(full=True)
    assert found.type == form
    assert found.equals(pa.array(values, form))
    assert array_of(tuple(values), form).equals(found)
    for value in values[:2]:
        assert scalar_of(value, form).equals(pa.scalar(value, form))


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([1 << 40], "int32"),
        ([-1], "uint8"),
        (["x", None], "int64"),
        ([1, None], "string"),
        (["\ud800"], "string"),
        ([5], "bool"),
        (["x"], "timestamp"),
        ([3], "list<int32>"),
        ([["x"]], "list<int32>"),
        ([b"x", 1], "binary"),
    ],
)
def test_what_a_type_does_not_hold_is_an_error_of_arrow(values: list[Any], name: str) -> None:
    form = arrow_type(name)
    with pytest.raises((ValueError, TypeError, OverflowError)) as expected:
        pa.array(values, form)
    with pytest.raises(type(expected.value)) as found:
        array_of(values, form)
    assert str(found.value) == str(expected.value)


def test_what_is_no_list_and_other_types_are_left_to_arrow() -> None:
    assert array_of(range(3), pa.int32()).equals(pa.array([0, 1, 2], pa.int32()))
    assert array_of([1, 2], pa.int32()).equals(array_of(memoryview(b"\1\2"), pa.int32()))
    whole = pa.decimal128(5, 1)
    assert array_of([1], whole).equals(pa.array([1], whole))
    naive = datetime(2026, 1, 2)
    assert array_of([naive], arrow_type("timestamp")).equals(pa.array([naive], arrow_type("timestamp")))


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_tables_and_events_need_no_pandas() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed: nothing could import it")
    code = "import sys, playhead\n"
    for module, sample in (
        ("tests.samples.sc2.replay", "sample_bytes()"),
        ("tests.samples.teehistorian", "sample_bytes()"),
        ("tests.samples.source2.dota2", "sample_demo()[0]"),
        ("tests.samples.cs2", "sample_demo()"),
    ):
        code += (
            f"from {module} import {sample.split('(')[0]}\n"
            f"replay = playhead.open({sample}); replay.read_tables(); list(replay.events())\n"
            f"print('{module}', 'pandas' in sys.modules)\n"
        )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(shown.stdout.splitlines()) == 4
    assert "True" not in shown.stdout
