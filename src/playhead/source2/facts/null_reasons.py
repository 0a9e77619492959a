"""Reasons why columns are null, written once for all columns that they are true of."""

from __future__ import annotations

from collections.abc import Iterable


def reasons_by_column(reasons: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the reason of each ``table.column``, from reasons with their columns: ``table: column column; table:
    column``."""
    return {
        f"{table.strip()}.{column}": reason
        for reason, tables in reasons
        for table, columns in (each.split(":") for each in tables.split(";"))
        for column in columns.split()
    }
