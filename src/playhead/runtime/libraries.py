"""Arrow and NumPy, imported when an attribute is first read, so that a short command starts without them.

`pa` is `pyarrow`, `pc` `pyarrow.compute`, `pq` `pyarrow.parquet`, `np` `numpy`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__all__ = ["np", "pa", "pc", "pq"]

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
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

    np, pa, pc, pq = map(_Library, ("numpy", "pyarrow", "pyarrow.compute", "pyarrow.parquet"))
