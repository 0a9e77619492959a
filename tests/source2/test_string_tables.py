"""String tables: round trips, updates that keep unsent values, checks by full packets."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import playhead
from playhead import CorruptReplay, LimitExceeded, Limits, ReplayError, TruncatedReplay
from playhead.bits import BitReader, BitWriter
from playhead.source2.messages import wire
from playhead.source2.string_tables.entries import KINDS, ChangeColumns, DumpedTable, EntryList
from playhead.source2.string_tables.items import StringTableChange, StringTableItem
from playhead.source2.string_tables.tables import (
    StringTable,
    StringTables,
    handle_create,
    handle_update,
    parse_string_table,
    unpack_lzss,
)
from playhead.source2.writing.demo import (
    DemoWriter,
    StringTableEntry,
    create_string_table,
    encode_string_table_entries,
    update_string_table,
)

LIMITS = Limits()
KEYS = st.text("abc_", max_size=40).map(str.encode)
INDICES = st.lists(st.integers(0, 300), unique=True, max_size=40).map(sorted)


@st.composite
def entry_lists(draw: st.DrawFn) -> list[StringTableEntry]:
    return [(index, draw(KEYS), draw(st.none() | st.binary(max_size=20))) for index in draw(INDICES)]


def _created(message: tuple[int, bytes]) -> StringTables:
    tables = StringTables(LIMITS)
    handle_create(wire.decode("CSVCMsg_CreateStringTable", message[1]), tables)
    return tables


@given(entry_lists(), st.booleans(), st.booleans())
def test_created_tables_round_trip(entries: list[StringTableEntry], varint: bool, compress: bool) -> None:
    table = _created(create_string_table("t", entries, varint_sizes=varint, compress=compress))["t"]
    assert list(table) == [StringTableItem(index, (key or b"").decode(), value) for index, key, value in entries]


@given(INDICES, st.integers(1, 20), st.data())
def test_values_of_fixed_size_in_bits(indices: list[int], bits: int, draw: st.DataObject) -> None:
    size = -(-bits // 8)
    values = [draw.draw(st.integers(0, 2**bits - 1)).to_bytes(size, "little") for _ in indices]
    entries = [(i, b"k", value) for i, value in zip(indices, values, strict=True)]
    table = _created(create_string_table("t", entries, fixed_bits=bits))["t"]
    assert [item.value for item in table] == values


@given(entry_lists(), entry_lists())
def test_an_update_keeps_names_and_unsent_values(
    first: list[StringTableEntry], second: list[StringTableEntry]
) -> None:
    tables = _created(create_string_table("t", first))
    expected = {index: ((key or b"").decode(), value) for index, key, value in first}
    for index, key, value in second:
        name, old = expected.get(index, ((key or b"").decode(), None))
        expected[index] = (name, value if value is not None else old)
    _, payload = update_string_table(0, second)
    changes: list[StringTableChange] = []
    handle_update(wire.decode("CSVCMsg_UpdateStringTable", payload), tables, changes.append)
    assert {item.index: (item.key, item.value) for item in tables["t"]} == expected
    assert [(c.index, c.sent) for c in changes] == [(index, value) for index, _, value in second]
    known = {index for index, *_ in first}
    assert [c.created for c in changes] == [index not in known for index, *_ in second]


def test_an_entry_without_a_key_keeps_its_name() -> None:
    tables = _created(create_string_table("t", [(0, b"name", b"old")]))
    message = wire.decode("CSVCMsg_UpdateStringTable", update_string_table(0, [(0, None, b"new")])[1])
    assert handle_update(message, tables) is tables["t"]
    assert list(tables["t"]) == [StringTableItem(0, "name", b"new")]
    assert tables["t"].by_key("name") == StringTableItem(0, "name", b"new")
    assert tables["t"].by_key("other") is None


@given(entry_lists(), entry_lists())
def test_entries_are_parsed_without_a_change_of_the_table(
    first: list[StringTableEntry], second: list[StringTableEntry]
) -> None:
    table = _created(create_string_table("t", first))["t"]
    before = dict(table.items)
    names = {item.index: item.key for item in table}
    parsed = parse_string_table(encode_string_table_entries(second), len(second), table)
    assert parsed == [
        StringTableItem(index, names.get(index, (key or b"").decode()), value) for index, key, value in second
    ]
    assert table.items == before


def test_handlers_act_when_called_and_up_to_the_damage() -> None:
    tables = StringTables()
    data = encode_string_table_entries([(0, b"a", b"1"), (1, b"b", b"2")])
    seen: list[StringTableChange] = []
    message = {"name": "t", "num_entries": 9, "using_varint_bitcounts": True, "string_data": data}
    with pytest.raises(TruncatedReplay):
        handle_create(message, tables, seen.append)
    assert [item.key for item in tables["t"]][:2] == [change.key for change in seen][:2] == ["a", "b"]
    with pytest.raises(TruncatedReplay):
        handle_update({"table_id": 0, "num_changed_entries": 9, "string_data": data}, tables, seen.append)
    assert [change.created for change in seen if change.key == "b"] == [True, False]


def test_a_table_that_is_not_followed_has_a_number_and_no_entries() -> None:
    tables = StringTables(followed=("other",))
    message = {"name": "t", "num_entries": 1, "string_data": encode_string_table_entries([(0, b"a", b"1")])}
    assert len(handle_create(message, tables)) == 0
    assert len(handle_update({"table_id": 0, **message}, tables)) == 0
    assert tables.by_id[0].name == "t"


def test_keys_borrow_from_the_last_32_and_no_further() -> None:
    names = [f"npc_dota_hero_{i:03}".encode() for i in range(80)]
    entries = [(i, name, None) for i, name in enumerate(names)]
    data = encode_string_table_entries(entries)
    assert len(data) < sum(map(len, names)) / 2
    table = StringTable("t", 0)
    table.apply(data, len(entries), LIMITS)
    assert [item.key.encode() for item in table] == names
    assert [table.key_of(number) for number in (79, 80, 1 << 64)] == ["npc_dota_hero_079", None, None]


def test_a_key_borrowed_from_nowhere() -> None:
    writer = BitWriter()
    for bit in (1, 1, 1):  # next index, has a key, from history
        writer.write_boolean(bool(bit))
    writer.write_bits(3, 5)
    writer.write_bits(1, 5)
    writer.write_bytes(b"x\0\0")
    with pytest.raises(CorruptReplay, match="reference to 3"):
        StringTable("t", 0).apply(writer.to_bytes(), 1, LIMITS)


def test_snappy_values() -> None:
    import cramjam

    writer = BitWriter()
    for bit in (1, 0, 1, 1):  # next index, no key, has a value, compressed
        writer.write_boolean(bool(bit))
    packed = bytes(cramjam.snappy.compress_raw(b"abc" * 50))
    writer.write_ubit_var(len(packed))
    writer.write_bytes(packed)
    table = StringTable("t", 0, flags=1)
    table.apply(writer.to_bytes(), 1, LIMITS)
    assert table.items[0].value == b"abc" * 50


def test_an_index_beyond_the_limit() -> None:
    data = encode_string_table_entries([(1 << 21, b"x", None)])
    with pytest.raises(LimitExceeded, match="index"):
        StringTable("t", 0).apply(data, 1, LIMITS)


def test_entries_before_the_end_of_the_data_stay_applied() -> None:
    data = encode_string_table_entries([(0, b"a", b"1"), (1, b"b", b"2")])
    table = StringTable("t", 0)
    with pytest.raises(TruncatedReplay):
        table.apply(data, 2**31 - 1, LIMITS)
    assert [item.key for item in table][:2] == ["a", "b"]


def test_an_update_of_no_table() -> None:
    with pytest.raises(CorruptReplay, match="number 5"):
        handle_update({"table_id": 5}, StringTables())


def test_clear_begins_numbering_anew() -> None:
    tables = _created(create_string_table("old", []))
    tables.clear()
    handle_create(wire.decode("CSVCMsg_CreateStringTable", create_string_table("new", [])[1]), tables)
    assert [(table.id, table.name) for table in tables] == [(0, "new")]
    assert "old" not in tables
    assert len(tables) == 1


@given(st.binary(max_size=60), st.integers(0, 40), st.booleans())
def test_any_bits_decode_or_raise_a_replay_error(data: bytes, count: int, varint: bool) -> None:
    table = StringTable("t", 0, flags=1, varint_sizes=varint)
    try:
        table.apply(data, count, LIMITS)
    except ReplayError:
        assert len(table) < count
    else:
        assert len(table) == count


def _dump(name: str, items: list[tuple[str, bytes]]) -> dict[str, Any]:
    return {"tables": [{"table_name": name, "items": [{"str": key, "data": data} for key, data in items]}]}


def test_the_first_full_packet_catches_up_and_later_ones_check() -> None:
    writer = DemoWriter({"game": "dota"})
    writer.signon([create_string_table("t", [(0, b"a", b"1")])])
    dumps = [
        _dump("t", [("a", b"2"), ("b", b"")]),
        _dump("t", [("a", b"2"), ("b", b"")]),
        _dump("t", [("a", b"9"), ("b", b"")]),
        _dump("t", [("a", b"9")]),
        _dump("unknown", []),
    ]
    for tick, dump in enumerate(dumps, 1):
        writer.full_packet(tick, dump["tables"], [])
    replay = playhead.open(writer.finish(5, {}))
    rows = replay.table("string_tables").to_pylist()
    assert [(row["tick"], row["index"], row["data"], row["change"]) for row in rows] == [
        (-1, 0, b"1", "created"),
        (1, 0, b"2", "full_packet"),
        (1, 1, b"", "full_packet"),
        (3, 0, b"9", "full_packet"),
    ]
    assert [(problem.tick, problem.where) for problem in replay.problems] == [
        (tick, "string tables") for tick in (3, 4, 5)
    ]
    for problem, what in zip(
        replay.problems,
        (
            "1 of 2 entries of table t differ, the first is number 0",
            "has 2 entries, expected 1",
            "never created",
        ),
        strict=True,
    ):
        assert what in problem.what


def _demo(*, tamper: bool) -> bytes:
    writer = DemoWriter({"game": "dota"})
    writer.signon([create_string_table("t", [(0, b"a", b"1")])])
    writer.full_packet(1, _dump("t", [("a", b"1")])["tables"], [])
    writer.packet(2, [update_string_table(0, [(0, None, b"2"), (1, b"d", b"4")])])
    value = b"tampered" if tamper else b"2"
    writer.full_packet(3, _dump("t", [("a", value), ("d", b"4")])["tables"], [])
    return writer.finish(3, {})


def test_the_table_of_a_recording() -> None:
    replay = playhead.open(_demo(tamper=False))
    rows = replay.table("string_tables").to_pylist()
    assert [(r["tick"], r["table"], r["index"], r["key"], r["data"], r["change"]) for r in rows] == [
        (-1, "t", 0, "a", b"1", "created"),
        (2, "t", 0, "a", b"2", "updated"),
        (2, "t", 1, "d", b"4", "created"),
    ]


def test_a_full_packet_that_disagrees_is_a_problem() -> None:
    replay = playhead.open(_demo(tamper=True))
    (problem,) = replay.problems
    assert (problem.where, problem.tick) == ("string tables", 3)
    assert "1 of 2 entries" in problem.what


def test_a_damaged_change_is_a_problem_and_later_ones_apply() -> None:
    writer = DemoWriter({"game": "dota"})
    writer.signon([create_string_table("t", [(0, b"a", b"1")])])
    writer.packet(2, [(45, wire.encode("CSVCMsg_UpdateStringTable", {"num_changed_entries": 9}))])
    writer.packet(3, [update_string_table(0, [(1, b"b", b"2")])])
    replay = playhead.open(writer.finish(3, {}))
    assert [row["key"] for row in replay.table("string_tables").to_pylist()] == ["a", "b"]
    (problem,) = replay.problems
    assert (problem.where, problem.tick, problem.kind) == ("string tables", 2, "TruncatedReplay")


# By hand: literals "ab", then a copy of 4 bytes at distance 2, then the end mark.
LZSS = b"LZSS" + (6).to_bytes(4, "little") + b"\x0c" + b"ab" + b"\x00\x13" + b"\x00\x00"


def test_lzss() -> None:
    assert unpack_lzss(LZSS, 100) == b"ababab"


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (LZSS[:-1], TruncatedReplay, "integer"),
        (b"LZSS" + (7).to_bytes(4, "little") + LZSS[8:], CorruptReplay, "expected 7"),
        (b"LZSS" + (5).to_bytes(4, "little") + LZSS[8:], CorruptReplay, "expected 5"),
        (b"LZSS\x06\0\0\0\x01\x00\x13", CorruptReplay, "distance 2"),
        (b"LZSS\xff\xff\xff\xff", LimitExceeded, "over the limit"),
        (b"LZMA", CorruptReplay, "magic"),
    ],
)
def test_damaged_lzss(data: bytes, error: type[ReplayError], words: str) -> None:
    with pytest.raises(error, match=words):
        unpack_lzss(data, 1 << 20)


def test_an_lzss_table() -> None:
    message = {"name": "t", "num_entries": 0, "string_data": LZSS}
    tables = StringTables(LIMITS)
    assert list(handle_create(message, tables)) == []
    assert "t" in tables


def _read(dump: DumpedTable) -> tuple[str, list[tuple[bytes, bytes | None]]]:
    return dump.name, list(zip(dump.names, dump.values, strict=True))


def test_a_dump_is_read_as_far_as_its_tables_are_followed() -> None:
    listed = [{"table_name": name, "items": [{"str": f"in {name}", "data": b"1"}]} for name in ("a", "b")]
    payload = wire.encode("CDemoStringTables", {"tables": listed})
    a, b = (("a", [(b"in a", b"1")]), ("b", [(b"in b", b"1")]))
    assert [_read(each) for each in StringTables(LIMITS).read_dump(payload)] == [a, b]
    assert [_read(each) for each in StringTables(LIMITS, {"b", "c"}).read_dump(payload)] == [b]
    odd = payload.replace(b"in a", b"\xff\xff\xff\xff")
    assert [_read(each) for each in StringTables(LIMITS, {"b"}).read_dump(odd)] == [b]
    assert _read(StringTables(LIMITS).read_dump(odd)[0]) == ("a", [(("\ufffd" * 4).encode(), b"1")])
    with pytest.raises(ReplayError):
        StringTables(LIMITS, {"b"}).read_dump(payload[:-1])


LISTED = st.lists(
    st.fixed_dictionaries({}, optional={"str": st.text("ab", max_size=1), "data": st.binary(max_size=1)})
)


def _dumped(listed: list[dict[str, Any]]) -> DumpedTable:
    packed = wire.encode("CDemoStringTables.table_t", {"table_name": "t", "items": listed, "table_flags": 1})
    return DumpedTable(packed)


@given(LISTED, LISTED)
def test_changes_found_only_in_a_dump(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    entries = EntryList(StringTableItem)
    entries.restore(_dumped(before))
    known = dict(entries.items())
    assert list(known.values()) == [
        StringTableItem(i, each.get("str", ""), each.get("data")) for i, each in enumerate(before)
    ]
    expected = []
    for i, each in enumerate(after):
        old = known.get(i)
        key, value = each.get("str", ""), each.get("data")
        if old is None or (old.key, old.value or b"") != (key, value or b""):
            expected.append((i, key, value, old is None))
    assert entries.news(_dumped(after)) == expected
    if len(before) == len(after):
        assert entries.places_that_differ(_dumped(after)) == [i for i, *_ in expected]
    entries.restore(_dumped(after))
    taken = entries.items()
    assert list(taken.values()) == [
        StringTableItem(i, each.get("str", ""), each.get("data")) for i, each in enumerate(after)
    ]
    if len(before) <= len(after):
        assert all(taken[i] is known[i] for i in taken.keys() & known.keys() if taken[i] == known[i])


@pytest.mark.parametrize(
    ("packed", "name", "entries"),
    [
        (b"\x12\x06\x12\x01v\x0a\x01k", "", [(b"k", b"v")]),  # the data before the name
        (b"\x12\x06\x0a\x01k\x0a\x01l", "", [(b"l", None)]),  # a name twice
        (b"\x12\x05\x0a\x01k\x18\x07\x0a\x01t", "t", [(b"k", None)]),  # an unknown field, the name last
        (b"\x0a\x01t\x1a\x03\x0a\x01c", "t", []),  # an entry of the client's side
        (b"\x0a\x01t\x12\x03\x0a\x01\xe4", "t", [("\ufffd".encode(), None)]),
    ],
)
def test_dumps_in_unusual_forms(packed: bytes, name: str, entries: list[tuple[bytes, bytes | None]]) -> None:
    assert _read(DumpedTable(packed)) == (name, entries)


@given(st.binary(max_size=40))
def test_dumps_of_any_bytes_equal_their_definition(packed: bytes) -> None:
    try:
        expected = wire.decode("CDemoStringTables.table_t", packed)
    except ReplayError as error:
        with pytest.raises(type(error), match=r".*"):
            DumpedTable(packed)
        return
    entries = [(each.get("str", "").encode(), each.get("data")) for each in expected.get("items", ())]
    assert _read(DumpedTable(packed)) == (expected.get("table_name", ""), entries)


@given(st.lists(entry_lists(), max_size=4))
def test_lazy_entries_equal_eager_ones(lists: list[list[StringTableEntry]]) -> None:
    late, at_once = StringTable("t", 0), StringTable("t", 0)
    seen: list[StringTableChange] = []
    columns = ChangeColumns()
    for tick, entries in enumerate(lists):
        data = encode_string_table_entries(entries)
        columns.begin(tick, "t")
        late.apply(data, len(entries), LIMITS, seen.append, [columns])
        at_once.apply(data, len(entries), LIMITS)
        items = at_once.items
        assert list(items) == [item.index for item in at_once]
    assert late.items == at_once.items
    assert list(late.items) == list(at_once.items)
    assert late.items == {change.index: late.items[change.index] for change in seen}
    made = columns.to_arrow()
    assert made["index"].to_pylist() == [change.index for change in seen]
    assert made["key"].to_pylist() == [change.key for change in seen]
    assert made["data"].to_pylist() == [change.sent for change in seen]
    assert made["change"].to_pylist() == [KINDS[change.created] for change in seen]
    assert made["tick"].to_pylist() == [tick for tick, entries in enumerate(lists) for _ in entries]


def test_numbers_with_gaps_and_invalid_names() -> None:
    entries: list[StringTableEntry] = [(7, b"\xffa", b"1"), (9, b"b", None)]
    table = StringTable("t", 0)
    table.apply(encode_string_table_entries(entries), 2, LIMITS)
    table.apply(encode_string_table_entries([(3, b"c", None), (7, None, b"2")]), 2, LIMITS)
    assert list(table) == [
        StringTableItem(7, "\ufffda", b"2"),
        StringTableItem(9, "b", None),
        StringTableItem(3, "c", None),
    ]
    assert list(table.news(_dumped([{"str": "x"}]))) == [StringTableChange("t", 0, "x", None, True)]
    table.restore(_dumped([{"str": "x"}, {"str": "y", "data": b""}]))
    assert list(table) == [StringTableItem(0, "x", None), StringTableItem(1, "y", b"")]


@given(
    st.binary(max_size=300).map(lambda text: text.replace(b"\0", b"")), st.integers(0, 9), st.binary(max_size=30)
)
def test_two_texts_in_a_row(text: bytes, bits: int, begin: bytes) -> None:
    writer = BitWriter()
    writer.write_bits(0, bits)
    writer.write_bytes(text + b"\0rest")
    reader = BitReader(writer.to_bytes())
    reader.read_bits(bits)
    assert reader.read_string_after(begin) == begin + text
    assert reader.read_bytes(4) == b"rest"
    with pytest.raises(TruncatedReplay):
        reader.read_string_after(begin)
    assert reader.rem_bits() < 8


def test_a_table_that_comes_twice_keeps_the_numbers_of_the_others() -> None:
    tables = StringTables()
    handle_create({"name": "first"}, tables)
    with pytest.raises(CorruptReplay, match="found first twice"):
        handle_create({"name": "first"}, tables)
    assert handle_create({"name": "second"}, tables).id == 1
