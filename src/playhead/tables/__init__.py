"""Table schemas: one place, documented, versioned."""

from playhead.tables.schema import Column, TableSchema

__all__ = ["Column", "TableSchema"]
