"""Arrow and NumPy, imported when an attribute is first read: a short command starts without them.

`pa` is `pyarrow`, `pc` `pyarrow.compute`, `pq` `pyarrow.parquet`, `np` `numpy`. Methods of arrays (`cast`, `take`,
`filter`) import `pyarrow.compute`; code of a first call uses `cast_array` and `pc` instead.
"""

from __future__ import annotations

import importlib

from playhead.runtime.typing import TYPE_CHECKING, Any

__all__ = ["cast_array", "np", "pa", "pc", "pq"]

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow._compute as _compute
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
else:

    class _Library:
        """A module that is imported on first use; each attribute is looked up once."""

        def __init__(self, name):
            self._name = name

        def __getattr__(self, name):
            value = getattr(importlib.import_module(self._name), name)
            setattr(self, name, value)
            return value

    class _Kernels(_Library):
        """`pyarrow.compute`, whose import takes 25 ms: it writes the documentation of 300 functions.

        Kernels are called without it; the module is imported for its functions that are no kernels.
        """

        def __getattr__(self, name):
            try:
                from pyarrow import _compute

                kernel_name = name.removesuffix("_")  # `and_`
                function = _compute.get_function(kernel_name)
                arity, settings = function.arity, function._doc.options_class
            except (ImportError, KeyError, AttributeError):
                return super().__getattr__(name)
            if name in ("cast", "index"):  # functions of the module
                return super().__getattr__(name)

            def kernel(*values, **options):
                most = len(values) if arity is ... else arity
                given = values[most:]
                chosen = getattr(_compute, settings)(*given, **options) if given or options else None
                return function.call(list(values[:most]), chosen)

            setattr(self, name, kernel)
            return kernel

    np, pa, pq, _compute = map(_Library, ("numpy", "pyarrow", "pyarrow.parquet", "pyarrow._compute"))
    pc = _Kernels("pyarrow.compute")


def cast_array(values: Any, target: pa.DataType, *, safe: bool = True) -> Any:
    """Return an `Array` or a `ChunkedArray` as another type, as its method `cast` does."""
    if values.type == target:  # Arrow takes thirty times as long to see that
        return values
    options = _compute.CastOptions.safe(target) if safe else _compute.CastOptions.unsafe(target)
    return _compute.call_function("cast", [values], options)
