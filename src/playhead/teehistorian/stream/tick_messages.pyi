from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

MAX_CLIENTS: int
INPUT_LENGTH: int

@final
@dataclass
class PlayerDiff:
    cid: int
    dx: int
    dy: int

@final
@dataclass
class TickSkip:
    dt: int

@final
@dataclass
class PlayerNew:
    cid: int
    x: int
    y: int

@final
@dataclass
class PlayerOld:
    cid: int

class TenNumbers:
    cid: int
    __match_args__ = ("cid", "values")
    def __init__(self, cid: int, values: Sequence[int]) -> None: ...
    @property
    def values(self) -> tuple[int, ...]: ...
    @values.setter
    def values(self, values: Sequence[int]) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

@final
class InputDiff(TenNumbers): ...

@final
class InputNew(TenNumbers): ...
