"""Write field paths: the inverse of `source2.entities.field_path`.

Each path is reached from the previous one by a single operation. One of the three operations that change any
level reaches every path; a shorter operation is used if it leads there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from playhead.bits import BitWriter
from playhead.source2.schema.path_codes import FIN, OPERATIONS, codes

_NUMBERS = {name: number for number, (name, _) in enumerate(OPERATIONS)}
_CODES = [(int(code[::-1], 2), len(code)) for code in codes()]


def write_operation(writer: BitWriter, number: int) -> None:
    """Write the code of an operation."""
    writer.write_bits(*_CODES[number])


def write_field_paths(writer: BitWriter, paths: Iterable[Sequence[int]]) -> None:
    """Write paths in the given order, and Fin."""
    current: Sequence[int] = (-1,)
    for path in paths:
        _write_step(writer, current, path)
        current = path
    write_operation(writer, FIN)


def _write_step(writer: BitWriter, current: Sequence[int], path: Sequence[int]) -> None:
    depth, wanted = len(current), len(path)
    if wanted == depth and path[:-1] == current[:-1] and path[-1] > current[-1]:
        _write_plus(writer, path[-1] - current[-1])
    elif wanted == depth + 1 and path[: depth - 1] == current[:-1] and path[depth - 1] >= current[-1]:
        _write_push_one(writer, path[depth - 1] - current[-1], path[-1])
    elif wanted == 1 and depth > 1 and path[0] > current[0]:
        _write_pop_all(writer, path[0] - current[0])
    elif wanted >= depth:
        _write_push_any(writer, current, path)
    else:
        write_operation(writer, _NUMBERS["PopNNonTopo"])
        writer.write_ubit_var_fp(depth - wanted)
        for old, new in zip(current, path, strict=False):
            writer.write_boolean(old != new)
            if old != new:
                writer.write_varint32(new - old)


def _write_plus(writer: BitWriter, step: int) -> None:
    if step <= 4:
        write_operation(writer, step - 1)
    else:
        write_operation(writer, _NUMBERS["PlusN"])
        writer.write_ubit_var_fp(step - 5)


def _write_push_one(writer: BitWriter, step: int, pushed: int) -> None:
    if step == 0 and pushed == 0:
        write_operation(writer, _NUMBERS["Push1L0R0"])
    elif step == 0:
        write_operation(writer, _NUMBERS["Push1L0RN"])
        writer.write_ubit_var_fp(pushed)
    elif step == 1 and pushed == 0:
        write_operation(writer, _NUMBERS["Push1L1R0"])
    elif step == 1:
        write_operation(writer, _NUMBERS["Push1L1RN"])
        writer.write_ubit_var_fp(pushed)
    elif pushed == 0:
        write_operation(writer, _NUMBERS["Push1LNR0"])
        writer.write_ubit_var_fp(step)
    elif step < 10 and pushed < 9:
        write_operation(writer, _NUMBERS["Push1LNRN6"])
        writer.write_bits(step - 2, 3)
        writer.write_bits(pushed - 1, 3)
    elif step < 18 and pushed < 17:
        write_operation(writer, _NUMBERS["Push1LNRN8"])
        writer.write_bits(step - 2, 4)
        writer.write_bits(pushed - 1, 4)
    else:
        write_operation(writer, _NUMBERS["Push1LNRN"])
        writer.write_ubit_var_fp(step - 2)
        writer.write_ubit_var_fp(pushed - 1)


def _write_pop_all(writer: BitWriter, step: int) -> None:
    if step == 1:
        write_operation(writer, _NUMBERS["PopAllP1"])
    elif step <= 8:
        write_operation(writer, _NUMBERS["PopAllP3"])
        writer.write_bits(step - 1, 3)
    elif step <= 64:
        write_operation(writer, _NUMBERS["PopAllP6"])
        writer.write_bits(step - 1, 6)
    else:
        write_operation(writer, _NUMBERS["PopAllPN"])
        writer.write_ubit_var_fp(step - 1)


def _write_push_any(writer: BitWriter, current: Sequence[int], path: Sequence[int]) -> None:
    write_operation(writer, _NUMBERS["PushNNonTopo"])
    for old, new in zip(current, path, strict=False):
        writer.write_boolean(old != new)
        if old != new:
            writer.write_varint32(new - old - 1)
    pushed = path[len(current) :]
    writer.write_ubit_var(len(pushed))
    for number in pushed:
        writer.write_ubit_var_fp(number)
