"""A folder of tables for each replay, as `playhead export` writes it."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import typer

from playhead import Replay, ReplayError
from playhead.cli.inputs.known_words import choose_tables
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_out
from playhead.export.files import FORMATS
from playhead.export.folder import other_tables, read_manifest


def export_folders(
    files: list[str],
    output: Path,
    format: str,
    table: list[str] | None,
    *,
    stream: bool,
    strict: bool,
    formulas: bool,
) -> None:
    """Write a folder of one replay, or one for each of several."""
    reading = Reading(files, strict=strict, stream=stream)
    if reading.several and read_manifest(output) is not None:
        raise typer.BadParameter(f"{output} holds the tables of a replay: choose another folder", param_hint="-o")
    taken: set[Path] = set()
    for replay in reading:
        chosen = choose_tables(reading, replay, table) if table else None
        if chosen == []:
            continue
        try:
            folder = _folder(replay, output, taken) if reading.several else output
            paths = replay.export(folder, format=format, tables=chosen, formulas=formulas)
            replay.problems  # noqa: B018  (in strict mode this may still raise)
        except (ReplayError, OSError) as error:
            # What could not be written is the output's fault, not the replay's.
            about = error.filename if isinstance(error, OSError) else None
            reading.failed(replay.name if about is None else str(about), error)
            continue
        for path in paths:
            print_out(path)
        reading.problems(replay)
    reading.finish()


def _folder(replay: Replay, output: Path, taken: set[Path]) -> Path:
    """Return a folder in `output` with the file's name, or that and a number if that one is another replay's."""
    base = Path(replay.name).name
    for number in count(1):
        folder = output / (base if number == 1 else f"{base}-{number}")
        if folder not in taken and other_tables(folder, replay, FORMATS) is None:
            taken.add(folder)
            return folder
    raise AssertionError
