"""Facts and rows as HTML, as notebooks show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_MOST_ROWS = 40


def facts_html(facts: Mapping[str, object]) -> str:
    """Return a paragraph of named values; those that are None or empty are left out."""
    shown = (f"{escape(name)} <b>{_cell(value)}</b>" for name, value in facts.items() if value not in (None, ""))
    return f"<p>{' · '.join(shown)}</p>"


def rows_html(rows: Sequence[Mapping[str, object]], most: int = _MOST_ROWS) -> str:
    """Return a table of the first `most` rows, all of which have the same keys, and how many more there are."""
    if not rows:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
    body = "".join(
        f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in row.values())}</tr>" for row in rows[:most]
    )
    more = f"<p>… {len(rows) - most} more</p>" if len(rows) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return escape(", ".join(map(str, value)))
    return escape(str(value))
