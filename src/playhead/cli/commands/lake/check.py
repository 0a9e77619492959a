"""``playhead lake check``: damaged and missing files of a lake, and their repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.cli.arguments import EXIT_FAILED, Exit, Parser, bounded
from playhead.cli.commands.lake.opening import add_lake, lake_errors
from playhead.cli.inputs.options import add_json
from playhead.cli.output.lake_progress import LakeProgress
from playhead.cli.output.standard import print_error, print_json, print_note, print_out
from playhead.runtime.workers import cores
from playhead.text.names import counted

if TYPE_CHECKING:
    from playhead.corpus import Repair
    from playhead.corpus.decode import Outcome


def add_arguments(parser: Parser) -> None:
    add_lake(parser)
    parser.flag("--sizes", "Compare sizes only, which is fast.")
    parser.flag(
        "--schema",
        "Compare the columns of Parquet files, also of other programs, with the vocabulary of playhead.",
    )
    parser.flag("--repair", "Read the inputs of damaged files again; keep what cannot be.")
    parser.option("--jobs N", "Number of processes; one per core by default.", type=bounded(int, 1))
    add_json(parser, "Print one JSON object per damaged file, and progress as JSON.")


def run(lake: str, *, sizes: bool, schema: bool, repair: bool, jobs: int | None, as_json: bool) -> None:
    """Compare every file of a lake with its manifest.

    Existence, size and SHA-256 are checked.

    With `--schema`, compare instead the columns of all Parquet files of a folder with the vocabulary: a word has
    one type, unit and meaning.
    """
    from playhead.corpus import check_lake

    if schema:
        _check_schema(lake, as_json=as_json)
        return
    with lake_errors():
        done = _repaired(lake, jobs, as_json=as_json) if repair else None
        faults = check_lake(lake, whole=not sizes) if done is None else done.faults
    for fault in faults:
        if as_json:
            print_json({"file": fault.name, "what": fault.what, "manifest": fault.manifest})
        else:
            print_out(f"{fault.name}: {fault.what}")
    if not faults and not as_json:
        print_out("no damage found")
    if done is not None:
        _print_repair(done, as_json=as_json)
    if done.lost if done is not None else faults:
        raise Exit(EXIT_FAILED)


def _repaired(lake: str, jobs: int | None, *, as_json: bool) -> Repair:
    """Repair a lake and show the progress."""
    from playhead.corpus import repair_lake
    from playhead.corpus.export import Progress

    shown, progress = LakeProgress(json=as_json), Progress(phase="read")

    def count(outcome: Outcome, total: int) -> None:
        progress.total = total
        progress.add(outcome)
        shown.update(progress)

    try:
        return repair_lake(lake, jobs=jobs if jobs is not None else cores(), on_outcome=count)
    finally:
        shown.stop()


def _print_repair(done: Repair, *, as_json: bool) -> None:
    if as_json:
        lost = [{"file": file, "error": why, "tables": tables} for file, why, tables in done.lost]
        print_json({"event": "done", "read": done.read, "lost": lost, "kept": done.kept})
        return
    if done.read or done.faults:
        print_out(f"{counted(done.read, 'input')} read again")
    for file, why, tables in done.lost:
        print_error(f"{file}: not read again: {why}; the lake lacks its tables: {tables}")
    for name in done.kept:
        print_note(f"a copy of the damaged file is {name}")


def _check_schema(folder: str, *, as_json: bool) -> None:
    """Print what does not fit the vocabulary.

    Raises:
        Exit: something does not.
    """
    from playhead.corpus.fit import misfits_of

    with lake_errors():
        found = list(misfits_of(folder))
    for file, text in found:
        if as_json:
            print_json({"file": file or None, "what": text})
        else:
            print_out(f"{file}: {text}" if file else text)
    if found:
        raise Exit(EXIT_FAILED)
    if not as_json:
        print_out("every column fits the vocabulary")
