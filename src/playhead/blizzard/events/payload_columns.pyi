from array import array
from collections.abc import Mapping, Sequence, Set
from typing import final

from playhead.blizzard.events.record import EventKind
from playhead.tables.column_buffers import Int32Buffer, Int64Buffer
from playhead.tables.json_columns import TextColumn

@final
class FieldText:
    before: bytes
    def __init__(
        self,
        kind: int,
        *,
        values: array[int] | None = None,
        more: array[int] | None = None,
        ends: array[int] | None = None,
        items: array[int] | None = None,
        scale: tuple[float, float, float] = (1.0, 1.0, 0.0),
        texts: Sequence[bytes] = (),
        absent: bytes | None = None,
        parts: Sequence[FieldText] = (),
    ) -> None: ...

@final
class KindRows:
    def __init__(
        self, code: int, fields: list[FieldText] | None, players: array[int] | None, kind: EventKind
    ) -> None: ...

@final
class PayloadStream:
    def __init__(
        self,
        heads: Sequence[array[int]],
        data: bytes,
        kinds: Mapping[int, KindRows],
        players: array[int],
        no_user: int,
    ) -> None: ...

@final
class PayloadRows:
    @property
    def ticks(self) -> Int32Buffer: ...
    @property
    def codes(self) -> Int32Buffer: ...
    @property
    def players(self) -> Int64Buffer: ...
    @property
    def payloads(self) -> TextColumn: ...
    def __init__(self, streams: list[PayloadStream]) -> None: ...

def kept(values: array[int], keys: array[int], wanted: Set[int]) -> array[int]: ...
def left_out(values: array[int], keys: array[int], unwanted: int) -> array[int]: ...
