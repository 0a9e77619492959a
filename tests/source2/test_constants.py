"""The enums of the .pxd files equal the Python constants."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import playhead
from playhead.source2.entities.entity import INDEX_MASK
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.manager import MOST_ENTITIES
from playhead.source2.message_rows.table import CONTENTS
from playhead.source2.messages.definitions import fields
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.wire_decoder import KINDS
from playhead.source2.schema import quantized_float
from playhead.source2.schema.encoding import ENCODINGS
from playhead.source2.schema.path_codes import LEVELS, OPERATIONS, codes

_ROOT = Path(playhead.__file__).parent


def _enums(module: str) -> list[dict[str, int]]:
    text = (_ROOT / f"{module}.pxd").read_text(encoding="utf-8")
    blocks = re.findall(r"^cdef enum:\n((?:    \w+ = -?\d+\n)+)", text, re.MULTILINE)
    return [{name: int(value) for name, value in re.findall(r"(\w+) = (-?\d+)", block)} for block in blocks]


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def test_forms_of_values() -> None:
    kinds, flags = _enums("source2/schema/decoder")
    assert kinds == ENCODINGS
    assert flags == {f"SENDS_{name}": getattr(quantized_float, name) for name in ("LOW", "HIGH", "ZERO")}


def test_operations_on_field_paths() -> None:
    operations, fin, _most = _enums("source2/entities/field_path")
    code = codes()[operations["FIN"]]
    assert fin == {"FIN_CODE": int(code[::-1], 2), "FIN_BITS": len(code)}
    assert list(operations.values()) == list(range(len(OPERATIONS)))
    assert [_plain(name) for name in operations] == [name.lower() for name, _ in OPERATIONS]
    assert _enums("source2/schema/tree") == [{"LEVELS": LEVELS}]


def test_kinds_of_message_fields() -> None:
    _wires, kinds, *_plans = _enums("source2/messages/wire_decoder")
    assert [name.lower() for name in kinds] == list(KINDS)
    assert list(kinds.values()) == list(range(len(KINDS)))


def test_fields_of_entity_messages() -> None:
    (numbers,) = _enums("source2/messages/packet")
    _entries, _bits, operations, limits, _settled = _enums("source2/entities/manager")
    others, _states = _enums("source2/entities/baselines")
    assert others.items() <= operations.items()
    assert limits == {"ENTITIES": MOST_ENTITIES}
    declared = {field.name.upper(): field.number for field in fields("CSVCMsg_PacketEntities")}
    assert numbers == {name: declared[name] for name in numbers}
    assert operations == {f"OP_{op}": getattr(EntityOp, op) for op in (name[3:] for name in operations)}


@pytest.mark.parametrize("module", ["source2/container/snappy", "source2/entities/path_rows"])
def test_every_enum_is_found(module: str) -> None:
    text = (_ROOT / f"{module}.pxd").read_text(encoding="utf-8")
    assert len(_enums(module)) == text.count("cdef enum")


def test_messages_with_their_own_tables() -> None:
    counted, numbers = _enums("source2/tables/message_columns")
    assert counted == {"MOST_COUNTED": 4096}
    assert numbers == {name: getattr(Engine, name) for name in numbers}
    assert numbers.keys() == {"GAME_EVENT_LIST", "GAME_EVENT"}


def test_messages_collected_into_columns() -> None:
    index_bits, contents, _lone, _size_bits = _enums("source2/message_rows/table")
    assert contents == CONTENTS
    assert index_bits == {"INDEX_BITS_SET": INDEX_MASK}
