from collections.abc import Callable, Sequence
from typing import final

from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any
from playhead.source2.message_rows.entity_names import EntityNames
from playhead.source2.messages.field_plan import FieldPlan
from playhead.source2.playback.decoding import SharedDecoder
from playhead.source2.playback.dispatch import MessageSink
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.packed import PackedText

@final
class CellPlan:
    @property
    def content(self) -> int: ...
    @property
    def lone(self) -> int: ...
    def __init__(
        self, content: int, slot: int = 0, count: int = 0, step: int = 1, number: int = 0, extra: Any = None
    ) -> None: ...

@final
class RowPlan:
    def __init__(self, fields: FieldPlan, cells: Sequence[CellPlan]) -> None: ...

@final
class MessageTable:
    @property
    def ticks(self) -> Int32Buffer: ...
    @property
    def unknown(self) -> int: ...
    def __init__(self, types: Sequence[str], names: EntityNames | None = None) -> None: ...
    def __len__(self) -> int: ...
    def append(self, plan: RowPlan, tick: int, payload: bytes) -> bool: ...
    def append_row(self, tick: int, values: Sequence[Any]) -> None: ...
    def to_arrow(self) -> list[pa.Array | pa.ChunkedArray | PackedText]: ...

@final
class MessageAppender(MessageSink):
    def __init__(
        self, table: MessageTable, plan: RowPlan, decoder: SharedDecoder, otherwise: Callable[[int, bytes], None]
    ) -> None: ...
    def accept(self, tick: int, number: int, payload: bytes) -> int: ...
