"""``playhead lake status``: replays, failures and rows of a lake."""

from __future__ import annotations

from playhead.cli.arguments import Parser
from playhead.cli.commands.lake import add_lake, lake_errors
from playhead.cli.inputs.options import add_json
from playhead.cli.output.standard import print_json, print_out
from playhead.cli.output.tables import print_columns
from playhead.text.names import counted


def add_arguments(parser: Parser) -> None:
    add_lake(parser)
    add_json(parser, "Print one JSON object.")


def run(lake: str, *, as_json: bool) -> None:
    """Show replays, failures, and the rows of each table."""
    from playhead.corpus import open_lake

    with lake_errors():
        opened = open_lake(lake)
        counts = opened.status()
        reasons = opened.reasons()
        tables = {}
        for name, rows in opened.rows.items():
            files = opened.data_files(name)
            tables[name] = {"rows": rows, "files": len(files), "bytes": sum(file.size for file in files)}
    if as_json:
        print_json({"lake": opened.location, **counts, "reasons": reasons, "tables": tables})
        return
    good = counts["whole"] + counts["partial"]
    copies = f"; {counted(counts['copies'], 'duplicate')} skipped" if counts["copies"] else ""
    print_out(f"{counted(good, 'replay')}, {counts['partial']} of them with problems{copies}")
    why = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    print_out(f"{counts['failed']} failed, {counts['quarantined']} hung or crashed" + (f": {why}" if why else ""))
    lines = [["table", "rows", "files", "MB"]]
    lines += [
        [name, f"{held['rows']:,}", str(held["files"]), f"{held['bytes'] / 1e6:.1f}"]
        for name, held in tables.items()
        if held["rows"]
    ]
    print_columns(lines)
    if empty := sum(not held["rows"] for held in tables.values()):
        print_out(f"{counted(empty, 'more table')} without rows")
