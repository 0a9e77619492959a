"""Table ``events`` from columns to columns: what the events one by one say."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from playhead.events import EventSource, event_batches, event_table_of, events_of_tables
from playhead.tables.deferred import DeferredTable


def test_it_is_what_the_events_say(sample: Any) -> None:
    table = sample.replay.table("events")
    one_by_one = pa.concat_tables(event_batches(sample.replay.events()))
    assert table.schema.equals(one_by_one.schema, check_metadata=True)
    assert table.to_pydict() == one_by_one.to_pydict()
    assert table.num_rows > 100


def test_of_one_tick_the_sources_keep_their_order() -> None:
    first = pa.table({"tick": pa.array([3, 1, None, 3], pa.int32()), "kind": ["a", "b", "c", "d"]})
    second = pa.table(
        {
            "tick": pa.array([3, 0], pa.int32()),
            "player": pa.array([7, None], pa.int32()),
            "details": ['{"x":0.5}', None],
            "data": pa.array([b"", b""]),
        }
    )
    tables = {"first": first, "second": second}
    sources = [
        EventSource("one", "", "first", player="", names=(("kind", "what"),)),
        EventSource("two", "", "second"),
        EventSource("none", "", "second", where=(("player", (8,)),)),
    ]

    def seconds(tick: int) -> float | None:
        return tick / 30 if tick else None

    built = event_table_of(sources, tables, seconds)
    assert isinstance(built, DeferredTable)
    table = built.read()
    assert built.select(["kind"]).column_names == ["kind"]
    assert (
        table.to_pydict()
        == pa.concat_tables(event_batches(events_of_tables(sources, tables, seconds))).to_pydict()
    )
    assert list(
        zip(table["tick"].to_pylist(), table["kind"].to_pylist(), table["payload"].to_pylist(), strict=True)
    ) == [
        (0, "two", "{}"),
        (1, "one", '{"what": "b"}'),
        (3, "one", '{"what": "a"}'),
        (3, "one", '{"what": "d"}'),
        (3, "two", '{"details": {"x": 0.5}}'),
    ]
    assert table["player"].to_pylist() == [None, None, None, None, 7]
    assert event_table_of([], {}, seconds).equals(next(event_batches(())))
