from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, final

from playhead.blizzard.events.conversions import Convert, Scope
from playhead.blizzard.protocol.program import Program

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
