from typing import final

from playhead.source2.entities.pool import EntityPool

@final
class FieldHistory:
    def __init__(self, pool: EntityPool) -> None: ...
