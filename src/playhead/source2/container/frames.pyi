from array import array
from collections.abc import Iterator, Sequence
from typing import final, overload

from playhead.limits import Limits
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any

MAGIC: bytes
HEAD_SIZE: int
COMPRESSED: int
STOP: int
FILE_HEADER: int
FILE_INFO: int
SYNC_TICK: int
SEND_TABLES: int
CLASS_INFO: int
STRING_TABLES: int
PACKET: int
SIGNON_PACKET: int
USER_COMMAND: int
FULL_PACKET: int
SPAWN_GROUPS: int

class Head(NamedTuple):
    file_info: int
    spawn_groups: int

class Frame(NamedTuple):
    offset: int
    command: int
    tick: int
    compressed: bool
    payload: int
    size: int

def read_head(data: memoryview) -> Head: ...
def ends_signon(command: int) -> bool: ...
def read_frame(data: memoryview, offset: int, limits: Limits) -> Frame: ...

@final
class FrameIndex(Sequence[Frame]):
    @property
    def gaps(self) -> dict[Any, Any]: ...
    def __init__(self) -> None: ...
    def read(
        self, data: memoryview, limits: Limits, until: int = -1, start: int = ..., stop: int = 1 << 62
    ) -> int: ...
    def find_again(self, data: memoryview, limits: Limits) -> int | None: ...
    def numbers_of(self, command: int) -> list[int]: ...
    def highest_tick(self) -> int | None: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, number: int) -> Frame: ...
    @overload
    def __getitem__(self, number: slice) -> list[Frame]: ...
    def __iter__(self) -> Iterator[Frame]: ...
    def columns(self) -> list[array[int]]: ...

def command_counts(commands: array[int]) -> dict[int, int]: ...
def packet_ticks(commands: array[int], ticks: array[int], sizes: array[int]) -> tuple[Any, ...]: ...
def iterate_frames(data: memoryview, limits: Limits) -> Iterator[Frame]: ...
def frame_data(data: memoryview, frame: Frame, limits: Limits) -> bytes | memoryview: ...
def stored_data(stored: memoryview, frame: Frame, limits: Limits) -> bytes | memoryview: ...
