from collections.abc import Iterable, Mapping
from typing import final

from playhead.blizzard.encoding.event_decoder import ProgramReader
from playhead.blizzard.encoding.field_column import FieldColumn
from playhead.blizzard.protocol.program import Leaf, Program
from playhead.runtime.libraries import pa
from playhead.tables.column_buffers import Int32Buffer, Int64Buffer

MAX_TEXT: int
MAX_EVENTS: int

@final
class EventColumns(ProgramReader):
    @property
    def orders(self) -> Mapping[int, Int32Buffer]: ...
    @property
    def texts(self) -> list[bytes]: ...
    @property
    def ticks(self) -> Int32Buffer: ...
    @property
    def users(self) -> Int32Buffer: ...
    @property
    def numbers(self) -> Int32Buffer: ...
    @property
    def text_ends(self) -> Int32Buffer: ...
    @property
    def ends(self) -> Int64Buffer: ...
    @property
    def odd(self) -> set[int]: ...
    @property
    def lacking(self) -> set[int]: ...
    def __init__(
        self,
        program: Program,
        data: bytes,
        *,
        tagged: bool = False,
        id_bits: int = 7,
        capture: Iterable[int] = (),
        text: bool = True,
        max_text: int = ...,
        max_events: int = ...,
    ) -> None: ...
    def read_columns(self) -> int: ...
    def columns_of(self, number: int) -> Mapping[str, tuple[Leaf, FieldColumn]]: ...
    @property
    def first_loops(self) -> Mapping[int, int]: ...
    def text_to_arrow(self) -> pa.Array: ...
    @property
    def rows(self) -> int: ...
