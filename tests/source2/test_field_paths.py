"""Field paths: the code, all 40 operations, round trips, damage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.bits import BitReader, BitWriter
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.source2.entities.field_path import FieldPathReader
from playhead.source2.schema.path_codes import FIN, LEVELS, OPERATIONS, WIDTHS, codes, pack, unpack
from playhead.source2.writing.field_lists import write_field_paths, write_operation

NUMBERS = {name: number for number, (name, _) in enumerate(OPERATIONS)}


def read(writer: BitWriter) -> list[tuple[int, ...]]:
    return FieldPathReader().read_paths(BitReader(writer.to_bytes()))


def test_codes_are_the_published_ones() -> None:
    assert len(codes()) == 40
    known = {
        "PlusOne": "0",
        "Fin": "10",
        "PlusTwo": "1110",
        "Push1LNRN6": "1111",
        "Push2L0": "1101100011001000",
        "Push3P5L0": "11011000110011101",
        "NonTopo4": "1101100010",
        "PopNNonTopo": "1101100011000000",
        "PushNNonTopo": "110111011",
    }
    assert {name: codes()[NUMBERS[name]] for name in known} == known
    # A complete prefix code.
    assert sum(2.0 ** -len(code) for code in codes()) == 1.0


# For each operation: the starting path, the data after its code (method of BitWriter, value, width), and the
# resulting path. From the published descriptions, one line each.
FP, V, Z, B = "write_ubit_var_fp", "write_ubit_var", "write_varint32", "write_bits"
STEPS = [
    ("PlusOne", (3,), [], (4,)),
    ("PlusTwo", (3,), [], (5,)),
    ("PlusThree", (3,), [], (6,)),
    ("PlusFour", (3,), [], (7,)),
    ("PlusN", (3,), [(FP, 20)], (28,)),
    ("Push1L0R0", (3,), [], (3, 0)),
    ("Push1L0RN", (3,), [(FP, 9)], (3, 9)),
    ("Push1L1R0", (3,), [], (4, 0)),
    ("Push1L1RN", (3,), [(FP, 9)], (4, 9)),
    ("Push1LNR0", (3,), [(FP, 6)], (9, 0)),
    ("Push1LNRN", (3,), [(FP, 6), (FP, 7)], (11, 8)),
    ("Push1LNRN6", (3,), [(B, 5, 3), (B, 2, 3)], (10, 3)),
    ("Push1LNRN8", (3,), [(B, 9, 4), (B, 12, 4)], (14, 13)),
    ("Push2L0", (3,), [(FP, 1), (FP, 2)], (3, 1, 2)),
    ("Push2P5L0", (3,), [(B, 30, 5), (B, 2, 5)], (3, 30, 2)),
    ("Push3L0", (3,), [(FP, 1), (FP, 2), (FP, 3)], (3, 1, 2, 3)),
    ("Push3P5L0", (3,), [(B, 1, 5), (B, 2, 5), (B, 3, 5)], (3, 1, 2, 3)),
    ("Push2L1", (3,), [(FP, 1), (FP, 2)], (4, 1, 2)),
    ("Push2P5L1", (3,), [(B, 1, 5), (B, 2, 5)], (4, 1, 2)),
    ("Push3L1", (3,), [(FP, 1), (FP, 2), (FP, 3)], (4, 1, 2, 3)),
    ("Push3P5L1", (3,), [(B, 1, 5), (B, 2, 5), (B, 3, 5)], (4, 1, 2, 3)),
    ("Push2LN", (3,), [(V, 40), (FP, 1), (FP, 2)], (45, 1, 2)),
    ("Push2P5LN", (3,), [(V, 4), (B, 1, 5), (B, 2, 5)], (9, 1, 2)),
    ("Push3LN", (3,), [(V, 4), (FP, 1), (FP, 2), (FP, 3)], (9, 1, 2, 3)),
    ("Push3P5LN", (3,), [(V, 4), (B, 1, 5), (B, 2, 5), (B, 3, 5)], (9, 1, 2, 3)),
    ("PushN", (3,), [(V, 2), (V, 5), (FP, 1), (FP, 2)], (8, 1, 2)),
    ("PushNNonTopo", (3, 4), [(B, 1, 1), (Z, -2), (B, 0, 1), (V, 1), (FP, 7)], (2, 4, 7)),
    ("Pop1P1", (3, 4), [], (4,)),
    ("Pop1PN", (3, 4), [(FP, 6)], (10,)),
    ("PopAllP1", (3, 4, 5), [], (4,)),
    ("PopAllPN", (3, 4, 5), [(FP, 6)], (10,)),
    ("PopAllP3", (3, 4, 5), [(B, 6, 3)], (10,)),
    ("PopAllP6", (3, 4, 5), [(B, 60, 6)], (64,)),
    ("PopNP1", (3, 4, 5), [(FP, 1)], (3, 5)),
    ("PopNPN", (3, 4, 5), [(FP, 1), (Z, 6)], (3, 10)),
    ("PopNNonTopo", (3, 4, 5), [(FP, 1), (B, 1, 1), (Z, 2), (B, 1, 1), (Z, -4)], (5, 0)),
    ("NonTopo", (3, 4), [(B, 1, 1), (Z, -1), (B, 0, 1)], (2, 4)),
    ("NonTopoPen", (3, 4), [], (4, 4)),
    ("NonTopo4", (3, 4), [(B, 1, 1), (B, 9, 4), (B, 1, 1), (B, 4, 4)], (5, 1)),
]


def test_every_operation_is_listed() -> None:
    assert [step[0] for step in STEPS] == [name for name, _ in OPERATIONS[:FIN]]


@pytest.mark.parametrize(("name", "start", "arguments", "expected"), STEPS, ids=[step[0] for step in STEPS])
def test_operation(name: str, start: tuple[int, ...], arguments: list, expected: tuple[int, ...]) -> None:
    writer = BitWriter()
    # PushNNonTopo from (-1,) reaches any path in one step.
    write_operation(writer, NUMBERS["PushNNonTopo"])
    writer.write_boolean(True)
    writer.write_varint32(start[0])
    writer.write_ubit_var(len(start) - 1)
    for number in start[1:]:
        writer.write_ubit_var_fp(number)
    write_operation(writer, NUMBERS[name])
    for method, *values in arguments:
        getattr(writer, method)(*values)
    write_operation(writer, FIN)
    assert read(writer) == [start, expected]


paths = st.lists(
    st.integers(1, LEVELS).flatmap(
        lambda depth: st.tuples(*(st.integers(0, (1 << width) - 2) for width in WIDTHS[:depth]))
    ),
    max_size=20,
)


@given(paths)
def test_round_trip(wanted: list[tuple[int, ...]]) -> None:
    writer = BitWriter()
    write_field_paths(writer, wanted)
    assert read(writer) == wanted


@given(paths)
def test_packing(wanted: list[tuple[int, ...]]) -> None:
    packed = [pack(path) for path in wanted]
    assert [unpack(number) for number in packed] == wanted
    assert len(set(packed)) == len(set(wanted))


@pytest.mark.parametrize("path", [(), (-1,), (2047,), (0, 4095), (0,) * 8])
def test_paths_that_do_not_fit(path: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"level|fit"):
        pack(path)


def test_too_deep() -> None:
    writer = BitWriter()
    write_operation(writer, 0)
    for _ in range(7):
        write_operation(writer, NUMBERS["Push1L0R0"])
    write_operation(writer, FIN)
    with pytest.raises(CorruptReplay, match="at most 7 levels"):
        read(writer)


@pytest.mark.parametrize("name", ["Pop1P1", "Pop1PN", "NonTopoPen"])
def test_no_level_to_take(name: str) -> None:
    writer = BitWriter()
    write_operation(writer, 0)
    write_operation(writer, NUMBERS[name])
    writer.write_bits(0, 20)
    with pytest.raises(CorruptReplay, match="at least one level"):
        read(writer)


def test_negative_number() -> None:
    writer = BitWriter()
    write_operation(writer, NUMBERS["NonTopo"])
    writer.write_boolean(True)
    writer.write_varint32(-5)
    with pytest.raises(CorruptReplay, match="level 0, NonTopo gives -6"):
        read(writer)


def test_push_from_nowhere() -> None:
    writer = BitWriter()
    write_operation(writer, NUMBERS["Push1L0R0"])
    with pytest.raises(CorruptReplay, match="Push1L0R0 gives -1"):
        read(writer)


def test_no_end() -> None:
    with pytest.raises(TruncatedReplay):
        FieldPathReader().read_paths(BitReader(bytes(8)))


def test_too_many() -> None:
    # NonTopo that changes nothing repeats the path: 8 of them are 12 bytes.
    block = BitWriter()
    for _ in range(8):
        write_operation(block, NUMBERS["NonTopo"])
        block.write_boolean(False)
    eight_times_plus_one = bytes(1)
    with pytest.raises(LimitExceeded):
        FieldPathReader().read_paths(BitReader(eight_times_plus_one + block.to_bytes() * (1 << 15)))


@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    try:
        found = FieldPathReader().read_paths(BitReader(data))
    except ReplayError:
        return
    assert all(1 <= len(path) <= LEVELS for path in found)
