"""``playhead lake check``: damaged and missing files of a lake, and their repair."""

from __future__ import annotations

from playhead.cli.arguments import EXIT_FAILED, Exit, Parser, bounded
from playhead.cli.commands.lake.opening import add_lake, lake_errors
from playhead.cli.commands.lake.retry import read_again
from playhead.cli.inputs.options import add_json
from playhead.cli.output.standard import print_json, print_out
from playhead.text.names import counted


def add_arguments(parser: Parser) -> None:
    add_lake(parser)
    parser.flag("--sizes", "Compare sizes only, which is fast.")
    parser.flag(
        "--schema",
        "Compare the columns of Parquet files, also of other programs, with the vocabulary of playhead.",
    )
    parser.flag("--repair", "Remove damaged files with their manifests; read their inputs again.")
    parser.option("--jobs N", "Number of processes; one per core by default.", type=bounded(int, 1))
    add_json(parser, "Print one JSON object per damaged file, and progress as JSON.")


def run(lake: str, *, sizes: bool, schema: bool, repair: bool, jobs: int | None, as_json: bool) -> None:
    """Compare every file of a lake with its manifest: existence, size and SHA-256.

    With `--schema`, compare instead the columns of all Parquet files of a folder with the vocabulary: a word has
    one type, unit and meaning.
    """
    from playhead.corpus import check_lake, repair_lake

    if schema:
        _check_schema(lake, as_json=as_json)
        return
    failed = 0
    with lake_errors():
        done = repair_lake(lake) if repair else None
        faults = check_lake(lake, whole=not sizes) if done is None else done.faults
        for fault in faults:
            if as_json:
                print_json({"file": fault.name, "what": fault.what, "manifest": fault.manifest})
            else:
                print_out(f"{fault.name}: {fault.what}")
        if not faults and not as_json:
            print_out("no damage found")
        if done is not None and faults:
            again: dict[str, list[str]] = {}
            for file, wanted in done.inputs:
                again.setdefault(wanted, []).append(file)
            if not as_json:
                files, inputs = counted(len(done.removed), "file"), counted(len(done.inputs), "input")
                print_out(f"{files} removed, {inputs} to read")
            failed = read_again(lake, again, jobs=jobs, as_json=as_json)
    if failed or (faults and done is None):
        raise Exit(EXIT_FAILED)


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
