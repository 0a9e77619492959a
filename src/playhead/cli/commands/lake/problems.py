"""``playhead lake problems``: the inputs that failed or had problems."""

from __future__ import annotations

from typing import Any

from playhead.cli.arguments import Parser
from playhead.cli.commands.lake import add_lake, lake_errors
from playhead.cli.inputs.options import add_json
from playhead.cli.output.standard import print_json, print_out
from playhead.corpus.facts import problems_of
from playhead.text.names import counted


def add_arguments(parser: Parser) -> None:
    add_lake(parser)
    add_json(parser, "Print one JSON object per input.")


def run(lake: str, *, as_json: bool) -> None:
    """List inputs that could not be read whole, with reasons."""
    from playhead.corpus import open_lake

    with lake_errors():
        rows = [row for row in open_lake(lake).inputs.to_pylist() if row["status"] != "whole"]
    for row in rows:
        if as_json:
            print_json({name: value for name, value in row.items() if value not in (None, [])})
            continue
        print_out(f"{row['status']}: {_described(row)}")
        for problem in problems_of(row):
            print_out(f"    {problem}")
        if row["problem_count"] > len(row["problems"]):
            print_out(f"    and {row['problem_count'] - len(row['problems'])} more")


def _described(row: dict[str, Any]) -> str:
    if row["error"] is None:
        return f"{row['file']}: {counted(row['problem_count'], 'problem')}"
    facts = [row["reason"]]
    facts += [row["signal"]] if row["signal"] else []
    facts += [f"{row['attempts']} attempts"] if row["attempts"] > 1 else []
    facts += [f"{row['peak_memory'] >> 20} MiB"] if row["peak_memory"] and row["status"] == "quarantined" else []
    text = row["error"] if row["file"] in row["error"] else f"{row['file']}: {row['error']}"
    return f"{text} ({', '.join(facts)})"
