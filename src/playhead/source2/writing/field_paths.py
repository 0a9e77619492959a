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
        _write_named(writer, "PopNNonTopo", depth - wanted)
        _write_levels(writer, current, path, 0)


def _write_plus(writer: BitWriter, step: int) -> None:
    if step <= 4:
        write_operation(writer, step - 1)
    else:
        _write_named(writer, "PlusN", step - 5)


def _write_push_one(writer: BitWriter, step: int, pushed: int) -> None:
    if step < 2 and pushed == 0:
        _write_named(writer, f"Push1L{step}R0")
    elif step < 2:
        _write_named(writer, f"Push1L{step}RN", pushed)
    elif pushed == 0:
        _write_named(writer, "Push1LNR0", step)
    elif step < 10 and pushed < 9:
        _write_named(writer, "Push1LNRN6", step - 2, pushed - 1, bits=3)
    elif step < 18 and pushed < 17:
        _write_named(writer, "Push1LNRN8", step - 2, pushed - 1, bits=4)
    else:
        _write_named(writer, "Push1LNRN", step - 2, pushed - 1)


def _write_pop_all(writer: BitWriter, step: int) -> None:
    if step == 1:
        _write_named(writer, "PopAllP1")
    elif step <= 8:
        _write_named(writer, "PopAllP3", step - 1, bits=3)
    elif step <= 64:
        _write_named(writer, "PopAllP6", step - 1, bits=6)
    else:
        _write_named(writer, "PopAllPN", step - 1)


def _write_named(writer: BitWriter, name: str, *numbers: int, bits: int = 0) -> None:
    """Write an operation and its numbers, each in so many bits; 0 is for a variable length."""
    write_operation(writer, _NUMBERS[name])
    for number in numbers:
        if bits:
            writer.write_bits(number, bits)
        else:
            writer.write_ubit_var_fp(number)


def _write_levels(writer: BitWriter, current: Sequence[int], path: Sequence[int], least: int) -> None:
    """Write the change of each level of both paths, less `least`."""
    for old, new in zip(current, path, strict=False):
        writer.write_boolean(old != new)
        if old != new:
            writer.write_varint32(new - old - least)


def _write_push_any(writer: BitWriter, current: Sequence[int], path: Sequence[int]) -> None:
    _write_named(writer, "PushNNonTopo")
    _write_levels(writer, current, path, 1)
    pushed = path[len(current) :]
    writer.write_ubit_var(len(pushed))
    for number in pushed:
        writer.write_ubit_var_fp(number)
