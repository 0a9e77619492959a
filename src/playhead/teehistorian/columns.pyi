from collections.abc import Callable
from typing import final
from uuid import UUID

from playhead.tables.int32_columns import Int32Columns
from playhead.teehistorian.inputs import InputTracker
from playhead.teehistorian.messages import Message
from playhead.teehistorian.positions import PositionTracker
from playhead.teehistorian.reader import MessageReader

APPEARED: int
MOVED: int
GONE: int
NOTHING: int

@final
class ColumnPass:
    @property
    def positions(self) -> PositionTracker: ...
    @property
    def inputs(self) -> InputTracker: ...
    @property
    def message_columns(self) -> Int32Columns: ...
    @property
    def position_columns(self) -> Int32Columns: ...
    @property
    def input_columns(self) -> Int32Columns: ...
    @property
    def extension_codes(self) -> dict[UUID, int]: ...
    @property
    def stray_positions(self) -> int: ...
    @property
    def stray_inputs(self) -> int: ...
    @property
    def first_stray_offset(self) -> int: ...
    @property
    def first_stray_tick(self) -> int: ...
    def __init__(
        self,
        reader: MessageReader,
        *,
        messages: bool = False,
        positions: bool = False,
        inputs: bool = False,
        listener: Callable[[int, Message], object] | None = None,
    ) -> None: ...
    def longest(self) -> int: ...
    def run(self, count: int) -> bool: ...
