"""What the columns of a table become in pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def nullable_types(pandas: Any) -> Callable[[pa.DataType], Any]:
    """For `pyarrow.Table.to_pandas`: whole numbers and truth values get the types of pandas that may be missing,
    else one missing value makes a column of numbers into floats.
    """
    import pyarrow as pa

    mapped = {
        pa.bool_(): pandas.BooleanDtype(),
        pa.int8(): pandas.Int8Dtype(),
        pa.int16(): pandas.Int16Dtype(),
        pa.int32(): pandas.Int32Dtype(),
        pa.int64(): pandas.Int64Dtype(),
        pa.uint8(): pandas.UInt8Dtype(),
        pa.uint16(): pandas.UInt16Dtype(),
        pa.uint32(): pandas.UInt32Dtype(),
        pa.uint64(): pandas.UInt64Dtype(),
    }
    return mapped.get
