"""``playhead tables``: what tables a replay gives, with their columns and rows."""

from __future__ import annotations

from typing import Annotated

import typer

from playhead import ReplayError
from playhead.cli.inputs.reading import FilesArgument, Reading, StrictOption
from playhead.cli.output.standard import print_out
from playhead.text.json import to_json


def tables(
    files: FilesArgument,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a table, a line each.")] = False,
    strict: StrictOption = False,
) -> None:
    """List the tables of replays: name, rows, columns."""
    reading = Reading(files, strict=strict)
    for replay in reading:
        try:
            built = replay.read_tables()
            replay.problems  # noqa: B018  (in strict mode this may still raise)
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        width = max(map(len, built))
        file = {"file": replay.name} if reading.several else {}
        if reading.several and not as_json:
            print_out(f"==> {replay.name} <==")
        for name, table in built.items():
            schema = replay.tables[name]
            if as_json:
                columns = [{"name": c.name, "type": c.type, "unit": c.unit, "doc": c.doc} for c in schema.columns]
                facts = {"table": name, "version": schema.version, "rows": table.num_rows, "columns": columns}
                print_out(to_json({**file, **facts}))
            else:
                print_out(f"{name:<{width}}  {table.num_rows:>9} rows  {', '.join(schema.column_names)}")
        reading.problems(replay)
    reading.finish()
