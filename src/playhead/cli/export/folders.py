"""`playhead export` into a folder of tables for each replay."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from playhead import Replay, ReplayError
from playhead.cli.arguments import UsageError
from playhead.cli.inputs.known_words import choose_tables
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_out
from playhead.export.files import FORMATS
from playhead.export.folder import other_tables, read_manifest
from playhead.registry import vocabulary
from playhead.runtime.workers import cores
from playhead.text.names import unknown_name


def check_document(format: str, *, tables: bool) -> None:
    """Check the name of an export form that is not one of `FORMATS`.

    Raises:
        UsageError: no game has it, or tables are chosen too.
    """
    known = vocabulary()
    if known.is_whole and format not in known.documents:
        raise UsageError(unknown_name(format, (*FORMATS, *known.documents), "export format"), "--format")
    if tables:
        raise UsageError(f"{format} is one file with the whole replay", "--table")


def export_folders(
    files: list[str],
    output: Path,
    format: str,
    tables: list[str] | None,
    *,
    stream: bool,
    strict: bool,
    formulas: bool,
    jobs: int | None,
) -> None:
    """Write one replay into `output`, or each of several into a folder in it."""
    reading = Reading(files, strict=strict, stream=stream)
    if reading.several and read_manifest(output) is not None:
        raise UsageError(f"{output} holds the tables of a replay: choose another folder", "-o")
    taken: set[Path] = set()
    for replay in reading:
        chosen = choose_tables(reading, replay, tables) if tables else None
        if chosen == []:
            continue
        if format not in FORMATS and format not in replay.documents:
            reading.lacks(replay, f"has no export format {format!r}", all_of_it=True)
            continue
        try:
            folder = _folder(replay, output, taken) if reading.several else output
            paths = replay.export(folder, format=format, tables=chosen, formulas=formulas, jobs=jobs or cores())
            replay.problems  # noqa: B018  (in strict mode this may still raise)
        except (ReplayError, OSError) as error:
            # An error of the output names its file; any other is the replay's.
            about = error.filename if isinstance(error, OSError) else None
            reading.failed(replay.name if about is None else str(about), error)
            continue
        for path in paths:
            print_out(path)
        reading.problems(replay)
    reading.finish()


def _folder(replay: Replay, output: Path, taken: set[Path]) -> Path:
    """Return a folder in `output` named as the file, with a number if another replay has that name."""
    base = Path(replay.name).name
    for number in count(1):
        folder = output / (base if number == 1 else f"{base}-{number}")
        if folder not in taken and other_tables(folder, replay, FORMATS) is None:
            taken.add(folder)
            return folder
    raise AssertionError
