"""What the shell completes after an option: of the replay that the line names already, else of any format."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from playhead import Replay, ReplayError, open
from playhead.io.inputs import STDIN, expand_inputs
from playhead.registry import vocabulary


def complete_tables(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of a table."""
    replay = _replay(ctx)
    return _that_begin(incomplete, vocabulary().tables if replay is None else replay.tables)


def complete_kinds(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the last of the kinds of events that commas separate."""
    replay = _replay(ctx)
    before, comma, last = incomplete.rpartition(",")
    known = vocabulary().event_kinds if replay is None else replay.event_kinds
    return [f"{before}{comma}{kind}" for kind in _that_begin(last, known)]


def _that_begin(start: str, known: Iterable[str]) -> list[str]:
    return sorted(name for name in known if name.startswith(start))


def _replay(ctx: typer.Context) -> Replay | None:
    """Return the replay that the line names, if it is one file that can be opened at once."""
    named = ctx.params.get("files") or ctx.params.get("inputs")
    names = [str(name) for name in named] if isinstance(named, list | tuple) else []
    if len(names) != 1 or names[0] == STDIN or names[0].startswith("@") or "://" in names[0]:
        return None
    try:
        first = next(iter(expand_inputs(names)), None)
        return open(first.path) if first is not None and first.named else None
    except (ReplayError, OSError, ModuleNotFoundError):
        return None
