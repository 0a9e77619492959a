from collections.abc import Callable
from typing import Any, final

from playhead.limits import Limits
from playhead.source2.string_tables.tables import StringTableChange, StringTableItem

COMPRESSED_VALUES: int

@final
class EntryReader:
    @property
    def applied(self) -> int: ...
    def __init__(
        self, data: Any, fixed_bits: int, compressed: bool, varint_sizes: bool, limits: Limits
    ) -> None: ...
    def read(self, names: Any) -> Any: ...
    def apply(
        self,
        items: dict[int, StringTableItem],
        count: int,
        table: str,
        item: type[StringTableItem],
        change: type[StringTableChange],
        on_change: Callable[[StringTableChange], None] | None,
    ) -> None: ...
