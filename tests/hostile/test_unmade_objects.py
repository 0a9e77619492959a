"""Objects whose `__init__` never ran, failed or ran twice: an error or no data, but no crash of the
interpreter.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from tests.samples.source2.match_schema import declare_field

from playhead.bits import BitReader, ByteReader
from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.errors import TruncatedReplay
from playhead.runtime import hot
from playhead.source2.entities.manager import EntityManager
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.writing.entities import ClassWriter, EntityMessage

# Call every method of every class of the hot modules on an object made by `__new__` alone, with plausible and odd
# arguments. A child tries each class, so a crash does not end the search; the parent prints it.
SCAN = """
import importlib, itertools, os
from playhead.runtime import hot

ARGUMENTS = [b"\\x01\\x02" * 40, 1, None, "x", memoryview(b"abcd" * 9), [1], {}]
SKIPPED = {"__init__", "__new__", "__class__", "__getattribute__", "__setattr__", "__delattr__"}

def tries(made, name):
    try:
        found = getattr(made, name)
    except Exception:
        return
    some = (itertools.islice(itertools.product(ARGUMENTS, repeat=count), 120) for count in range(4))
    more = ([*range(0, 9 * count, 9)] for count in range(4, 9))
    for arguments in itertools.chain(*some, more) if callable(found) else ():
        try:
            found(*arguments)
        except Exception:
            pass

count = 0
for module in map(importlib.import_module, hot.HOT_MODULES):
    for cls in vars(module).values():
        if not isinstance(cls, type) or cls.__module__ != module.__name__ or issubclass(cls, (tuple, Exception)):
            continue
        names = sorted(vars(cls).keys() - SKIPPED)
        count += len(names)
        child = os.fork()
        if not child:
            try:
                made = cls.__new__(cls)
                for name in names:
                    tries(made, name)
            finally:
                os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status:
            print(f"{cls.__qualname__} died of signal {status}")
print(count > 300)
"""


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.skipif(sys.platform == "win32" or sys.platform == "darwin", reason="needs a fork that is safe")
def test_an_object_that_was_never_initialised_does_not_crash() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", textwrap.dedent(SCAN)], capture_output=True, text=True, timeout=300
    )
    assert done.stdout.split("\n") == ["True", ""], done.stdout + done.stderr[-2000:]


READERS: list[tuple[type, Callable[[Any], object]]] = [
    (BitReader, lambda reader: reader.read_bits(8)),
    (ByteReader, lambda reader: reader.read_u8()),
    (BitPackedReader, lambda reader: reader.read_int(8)),
]


@pytest.mark.parametrize(("made", "read"), READERS)
def test_a_second_init_takes_the_new_bytes(made: type, read: Callable[[Any], object]) -> None:
    reader = made(bytearray(b"\x01" * 100))
    assert read(reader) == 1
    reader.__init__(b"\x02")  # type: ignore[misc]
    assert read(reader) == 2
    with pytest.raises(TruncatedReplay):
        read(reader)


@pytest.mark.skipif(hot.summary() == "interpreted", reason="an interpreted reader keeps what it had")
@pytest.mark.parametrize(("made", "read"), READERS)
def test_after_a_failed_second_init_there_is_nothing_to_read(made: type, read: Callable[[Any], object]) -> None:
    held = bytearray(b"\x01" * 100)
    reader = made(held)
    with pytest.raises(TypeError):
        reader.__init__("no bytes")  # type: ignore[misc]
    held.extend(b"x" * 1000)  # no view is left
    with pytest.raises(TruncatedReplay):
        read(reader)


@pytest.mark.parametrize("number", [-1, 5000, 10**6, 2**30, -(2**30)])
def test_a_slot_that_a_class_does_not_have(number: int) -> None:
    unit = Serializer("CUnit", 0, (declare_field("m_iHealth int32"),))
    tables = SendTables({("CUnit", 0): unit})
    manager = EntityManager(tables)
    manager.on_server_info({"max_classes": 1, "tick_interval": 0.5})
    manager.on_class_info({0: "CUnit"})
    message = EntityMessage(1, delta=False)
    message.create(5, 1, ClassWriter(0, "CUnit", tables), {"m_iHealth": 100})
    manager.apply(message.encode()[1])
    (entity,) = manager
    assert entity.slot_value(0) == 100
    for read in (entity.slot_value, entity.cell_value, entity.raw_value):
        with pytest.raises(IndexError):
            read(number)
