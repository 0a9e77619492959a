from typing import final

from playhead.tables.int32_columns import Int32Columns

@final
class StateRows:
    @property
    def bodies(self) -> Int32Columns: ...
    @property
    def hooks(self) -> Int32Columns: ...
    def __init__(self) -> None: ...
