from dataclasses import dataclass
from typing import final

from playhead.source2.schema.encoding import Encoding
from playhead.source2.schema.send_tables import SendTables, Serializer, SerializerField

@dataclass(frozen=True, slots=True)
class Slot:
    name: str
    path: tuple[int, ...]
    field: SerializerField
    encoding: Encoding
    types: tuple[int, ...] = ()

@final
class FieldNode:
    field: SerializerField
    keys: tuple[tuple[str, int], ...]
    def __init__(self, field: SerializerField) -> None: ...
    def encoding(self, of_element: bool) -> Encoding | None: ...

@final
class SerializerNode:
    name: str
    def __init__(self, serializer: Serializer) -> None: ...
    @property
    def names(self) -> tuple[str, ...]: ...

@final
class FieldTree:
    send_tables: SendTables
    def __init__(self, send_tables: SendTables) -> None: ...
    def root(self, class_name: str) -> SerializerNode: ...

@final
class FieldCursor:
    depth: int
    def __init__(self, tree: FieldTree, root: SerializerNode, class_name: str) -> None: ...
    @property
    def prefix(self) -> int: ...
    def describe(self, path: tuple[int, ...], types: tuple[int, ...] = ()) -> Slot: ...
    @property
    def name(self) -> str: ...
    def path_of(self, name: str) -> tuple[int, ...] | None: ...
