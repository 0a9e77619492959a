from collections.abc import Callable
from typing import final

from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.field_plan import FieldPlan
from playhead.source2.playback.decoding import SharedDecoder
from playhead.source2.playback.dispatch import MessageSink
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.packed import PackedText, Room

@final
class UserMessageRows(MessageSink):
    @property
    def ticks(self) -> Int32Buffer: ...
    @property
    def numbers(self) -> Int32Buffer: ...
    @property
    def decodable(self) -> Any: ...
    @property
    def undecodable(self) -> Any: ...
    def __init__(self, decoder: SharedDecoder, room: Room) -> None: ...
    def accept(self, tick: int, number: int, payload: bytes) -> int: ...
    def close(self) -> int: ...

@final
class MessageTexts:
    def __init__(
        self,
        numbers: pa.Array,
        payloads: PackedText,
        plan_of: Callable[[int], FieldPlan | None],
        fields_of: Callable[[int, bytes], MessageFields | None],
    ) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def read(self, first: int = 0, count: int | None = None) -> pa.ChunkedArray: ...

@final
class DecodingCheck(MessageSink):
    def __init__(self, decoder: SharedDecoder) -> None: ...
    def accept(self, tick: int, number: int, payload: bytes) -> int: ...
