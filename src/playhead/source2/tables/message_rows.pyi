from collections.abc import Sequence
from typing import Any, final

import pyarrow as pa

from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages.field_reader import FieldPlan
from playhead.tables.column_buffers import Int32Buffer

NOTHING: int
NUMBER: int
NOT_NEGATIVE: int
NOT_ZERO: int
HANDLE: int
CODE: int
CODE_OF: int
NAME: int
AXIS: int
BYTES: int
STRING: int
OTHERS: int
NUMBERS: int
NAMES: int
PLAYERS: int
CALL: int

def index_of(handle: int | None) -> int | None: ...

@final
class EntityNames:
    def __init__(self, manager: EntityManager) -> None: ...
    def name(self, index: int | None) -> str | None: ...

@final
class RowPlan:
    def __init__(self, fields: FieldPlan, columns: Sequence[tuple[int, int, int, int, int, Any]]) -> None: ...

@final
class MessageTable:
    @property
    def ticks(self) -> Int32Buffer: ...
    def __init__(self, types: Sequence[str], names: EntityNames | None = None) -> None: ...
    def __len__(self) -> int: ...
    def add(self, plan: RowPlan, tick: int, payload: bytes) -> bool: ...
    def add_row(self, tick: int, values: Sequence[Any]) -> None: ...
    def to_arrow(self) -> list[pa.Array]: ...
