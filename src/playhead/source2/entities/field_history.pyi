from typing import final

from playhead.source2.entities.classes import EntityPool

@final
class FieldHistory:
    def __init__(self, pool: EntityPool) -> None: ...
