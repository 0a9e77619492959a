from collections.abc import Callable, Sequence
from typing import final

from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages.wire_decoder import FieldPlan
from playhead.source2.playback.decoding import SharedDecoder
from playhead.source2.playback.fast_path import MessageSink
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.packed import PackedText, Room

class Content:
    NOTHING: int
    NUMBER: int
    NOT_NEGATIVE: int
    NOT_ZERO: int
    HANDLE: int
    CONSTANT: int
    TEXT_OF: int
    NAME: int
    AXIS: int
    BYTES: int
    OTHERS: int
    NUMBERS: int
    NAMES: int
    PLAYERS: int
    CALL: int
    FIELD: int

CONTENTS: Any

@final
class EntityNames:
    def __init__(self, manager: EntityManager) -> None: ...
    def name(self, index: object) -> str | None: ...
    def number(self, index: int | None, field: str) -> int | None: ...

@final
class CellPlan:
    @property
    def content(self) -> int: ...
    @property
    def slot(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def step(self) -> int: ...
    def __init__(
        self, content: int, slot: int = 0, count: int = 0, step: int = 1, number: int = 0, extra: Any = None
    ) -> None: ...

@final
class RowPlan:
    @property
    def fields(self) -> FieldPlan: ...
    def __init__(self, fields: FieldPlan, cells: Sequence[CellPlan]) -> None: ...

@final
class MessageTable:
    @property
    def ticks(self) -> Int32Buffer: ...
    @property
    def numbers(self) -> Int32Buffer: ...
    @property
    def plans(self) -> list[Any]: ...
    @property
    def unknown(self) -> int: ...
    def __init__(self, types: Sequence[str], room: Room, names: EntityNames | None = None) -> None: ...
    def __len__(self) -> int: ...
    def append(self, plan: RowPlan, tick: int, payload: bytes) -> bool: ...
    def append_row(self, tick: int, values: Sequence[Any]) -> None: ...
    def to_arrow(self) -> list[pa.Array | pa.ChunkedArray | PackedText]: ...

@final
class MessageAppender(MessageSink):
    def __init__(
        self,
        table: MessageTable,
        plan_of: Callable[[], RowPlan],
        decoder: SharedDecoder,
        otherwise: Callable[[RowPlan, int, bytes], None],
    ) -> None: ...
    def accept(self, tick: int, number: int, payload: bytes) -> int: ...
