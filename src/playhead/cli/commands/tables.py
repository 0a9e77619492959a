"""``playhead tables``: the tables of a replay with their columns and rows."""

from __future__ import annotations

from playhead import ReplayError
from playhead.cli.arguments import Parser
from playhead.cli.inputs.options import add_files, add_json, add_strict
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_json, print_out


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    add_json(parser, "Print one JSON object per table.")
    add_strict(parser)


def run(files: list[str], *, as_json: bool, strict: bool) -> None:
    """List the tables of replays: name, rows, columns."""
    reading = Reading(files, strict=strict, as_json=as_json)
    for replay in reading:
        try:
            built = replay.read_tables()
            replay.problems  # noqa: B018  (in strict mode this may still raise)
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        width = max(map(len, built))
        if not as_json:
            reading.print_title(replay)
        for name in built:
            schema = replay.tables[name]
            if as_json:
                columns = [{"name": c.name, "type": c.type, "unit": c.unit, "doc": c.doc} for c in schema.columns]
                facts = {"table": name, "version": schema.version, "rows": built.rows(name), "columns": columns}
                print_json({"file": replay.name, **facts})
            else:
                print_out(f"{name:<{width}}  {built.rows(name):>9} rows  {', '.join(schema.column_names)}")
        reading.problems(replay)
    reading.finish()
