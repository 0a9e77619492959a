from collections.abc import Sequence
from typing import Any

import pyarrow as pa

def array_of(values: Sequence[Any], form: pa.DataType) -> pa.Array: ...
def scalar_of(value: Any, form: pa.DataType) -> pa.Scalar: ...
