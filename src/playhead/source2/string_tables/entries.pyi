from collections.abc import Callable, Sequence
from typing import final

from playhead.limits import Limits
from playhead.runtime.typing import Any
from playhead.source2.string_tables.entries import EntryList, StringTableChange

KINDS: tuple[str, ...]
COMPRESSED_VALUES: int

@final
class ChangeColumns:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def begin(self, tick: int, table: str) -> None: ...
    def add(self, number: int, name: bytes, value: object, kind: int) -> int: ...
    def add_brought(self, number: int, name: str, value: bytes | None) -> None: ...
    def to_arrow(self) -> dict[str, Any]: ...

@final
class EntryReader:
    @property
    def applied(self) -> int: ...
    def __init__(
        self, data: Any, fixed_bits: int, compressed: bool, varint_sizes: bool, limits: Limits
    ) -> None: ...
    def read(self, entries: EntryList) -> tuple[int, str, bytes | None]: ...
    def apply(
        self,
        entries: EntryList,
        count: int,
        table: str,
        columns: Sequence[ChangeColumns],
        change: type[StringTableChange],
        on_change: Callable[[StringTableChange], None] | None,
    ) -> None: ...
