from typing import final

import pyarrow as pa

@final
class FieldColumn:
    def __init__(self, is_list: bool) -> None: ...
    def to_arrow(self) -> pa.Array: ...
