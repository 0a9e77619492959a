"""``playhead lake check``: damaged and missing files of a lake, and their repair."""

from __future__ import annotations

from playhead.cli.arguments import EXIT_FAILED, Exit, Parser
from playhead.cli.commands.lake import add_lake, lake_errors
from playhead.cli.inputs.options import add_json
from playhead.cli.output.standard import print_json, print_note, print_out
from playhead.text.names import counted


def add_arguments(parser: Parser) -> None:
    add_lake(parser)
    parser.flag("--sizes", "Compare sizes only, which is fast.")
    parser.flag(
        "--schema",
        "Compare the columns of Parquet files, also of other programs, with the vocabulary of playhead.",
    )
    parser.flag("--repair", "Take damaged files out of the lake; `playhead lake retry` reads their replays again.")
    add_json(parser, "Print one JSON object per damaged file.")


def run(lake: str, *, sizes: bool, schema: bool, repair: bool, as_json: bool) -> None:
    """Compare every file of a lake with the logs of its tables.

    The tables are compared with the rows that each replay has.

    With `--schema`, compare instead the columns of all Parquet files of a folder with the vocabulary: a word has
    one type, unit and meaning.
    """
    from playhead.corpus import check_lake, repair_lake

    if schema:
        _check_schema(lake, as_json=as_json)
        return
    with lake_errors():
        faults, marked = repair_lake(lake) if repair else (check_lake(lake, whole=not sizes), 0)
    for fault in faults:
        if as_json:
            print_json({"file": fault.name, "what": fault.what})
        else:
            print_out(f"{fault.name}: {fault.what}")
    if not faults and not as_json:
        print_out("no damage found")
    if marked:
        print_note(f"{counted(marked, 'replay')} to be read again: playhead lake retry {lake}")
    if faults:
        raise Exit(EXIT_FAILED)


def _check_schema(folder: str, *, as_json: bool) -> None:
    """Print what does not fit the vocabulary.

    Raises:
        Exit: something does not.
    """
    from playhead.corpus.care.fit import misfits_of

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
