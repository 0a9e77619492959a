from typing import final

from playhead.source2.entities.entity import Entity, EntityPool

@final
class PastState:
    @property
    def entity(self) -> Entity: ...
    @property
    def fields(self) -> Entity: ...
    @property
    def active(self) -> bool: ...
    def __init__(self, entity: Entity, pool: EntityPool) -> None: ...

@final
class PastStates:
    def __init__(self, pool: EntityPool) -> None: ...
