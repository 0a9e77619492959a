"""What notebooks show of a replay: HTML that decodes nothing beyond what was decoded already."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from playhead.clock import format_seconds
from playhead.html_text import facts_html, rows_html
from playhead.model import ReplayLike

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_PROBLEMS = 10
_PLAYER = ("player", "name", "clan", "kind", "side", "team", "character", "result")


class Tables:
    """The tables of a replay as attributes: ``replay.t.chat`` is ``replay.table("chat")``, and completes."""

    def __init__(self, replay: ReplayLike) -> None:
        self._replay = replay

    def __getattr__(self, name: str) -> pa.Table:
        if name not in self._replay.tables:  # before all, what notebooks and copying look for
            known = ", ".join(self._replay.tables)
            raise AttributeError(f"no table {name!r} in a {self._replay.format} replay; it has {known}")
        return self._replay.table(name)

    def __dir__(self) -> Iterable[str]:
        return list(self._replay.tables)

    def __repr__(self) -> str:
        return f"<tables {', '.join(self._replay.tables)}>"


def replay_html(replay: ReplayLike) -> str:
    """Summary, players, problems met so far, and which tables there are; only the head of the file is needed."""
    info = replay.info
    facts = {
        "game": " ".join(filter(None, (info.game, info.version))),
        "map": info.map,
        "start": info.start_time and info.start_time.isoformat(sep=" ", timespec="seconds"),
        "length": None if info.duration_seconds is None else format_seconds(info.duration_seconds),
        "winner": info.winner,
        "complete": "yes" if info.complete else "no",
    }
    parts = [f"<b>{escape(replay.format)}</b> <code>{escape(replay.name)}</code>", facts_html(facts)]
    rows = [{name: getattr(player, name) for name in _PLAYER} for player in replay.players]
    filled = [name for name in _PLAYER if any(row[name] is not None for row in rows)]
    parts.append(rows_html([{name: row[name] for name in filled} for row in rows]))
    parts.append(_problems(replay))
    listed = [
        {
            "table": name,
            "rows": replay.tables_so_far[name].num_rows if name in replay.tables_so_far else "…",
            "columns": len(schema.columns),
            "meaning": schema.doc.partition(". ")[0],
        }
        for name, schema in replay.tables.items()
    ]
    tables = rows_html(listed, most=len(listed))
    parts.append(f"<details><summary>{len(listed)} tables</summary>{tables}</details>")
    return f"<div>{''.join(parts)}</div>"


def _problems(replay: ReplayLike) -> str:
    problems = replay.problems_so_far
    if not problems:
        return ""
    lines = "".join(f"<li>{escape(str(problem))}</li>" for problem in problems[:_MOST_PROBLEMS])
    more = f"<li>and {len(problems) - _MOST_PROBLEMS} more</li>" if len(problems) > _MOST_PROBLEMS else ""
    return f"<p>problems so far: <b>{len(problems)}</b></p><ul>{lines}{more}</ul>"
