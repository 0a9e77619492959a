from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, final

from playhead.blizzard.events.scope import Convert, Scope
from playhead.blizzard.protocol.program import Program
from playhead.tables.column_buffers import Int32Buffer, Int64Buffer
from playhead.tables.json_columns import TextColumn

COMMON: tuple[str, ...]
PLAYER_FIELDS: tuple[str, ...]

@final
class AddedFields:
    @property
    def of(self) -> type[EventRecord]: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    def __init__(
        self,
        type_: Any,
        names: tuple[str, ...],
        paths: tuple[tuple[tuple[str, ...], ...], ...],
        converts: tuple[Convert | None, ...],
        defaults: tuple[Any, ...],
        settle: Callable[[dict[str, Any], Mapping[str, Any], Scope], None] | None,
    ) -> None: ...
    def payload(self, values: tuple[Any, ...]) -> dict[str, Any]: ...
    def make(self, fields: Mapping[str, Any], scope: Scope) -> tuple[Any, ...]: ...

@final
class EventKind:
    @property
    def name(self) -> str: ...
    @property
    def plan(self) -> AddedFields: ...
    def __init__(
        self,
        name: str,
        number: int,
        plan: AddedFields,
        program: Program,
        *,
        tagged: bool,
        id_bits: int,
        rate: float,
        players: Mapping[int, int],
        scope: Scope,
        decoders: list[Any],
    ) -> None: ...

class EventRecord:
    def hold_fields(self, values: Iterable[Any]) -> None: ...
    def field_at(self, place: int) -> Any: ...
    def all_fields(self) -> tuple[Any, ...]: ...
    @property
    def tick(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def user(self) -> int | None: ...
    @property
    def player(self) -> int | None: ...
    @property
    def name(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def raw(self) -> Any: ...

@final
class FriendlyField:
    def __init__(self, place: int) -> None: ...
    def __get__(self, event: Any, type_: Any) -> Any: ...

def records(
    heads: Sequence[Sequence[int]],
    data: bytes,
    kinds: dict[int, EventKind],
    wanted: frozenset[int] | None,
    no_user: int,
) -> Iterator[Any]: ...

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
