"""``playhead source2 voice``: the voices of a recording as sound."""

from __future__ import annotations

from pathlib import Path

from playhead import ReplayError
from playhead.cli.arguments import Parser
from playhead.cli.inputs.options import add_file, add_output, add_strict
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_note, print_out


def add_arguments(parser: Parser) -> None:
    add_file(parser)
    add_output(parser, "Folder to write; made if it does not exist.")
    add_strict(parser)


def run(file: str, *, output: Path, strict: bool) -> None:
    """Write an Ogg Opus file for each player who spoke.

    Silence is kept: the files play along with the recording."""
    reading = Reading([file], strict=strict, stream=True, one_each=True)
    for replay in reading:
        if not reading.can(replay, "voice"):
            continue
        try:
            written = replay.write_voice(output)
        except (ReplayError, OSError) as error:
            reading.failed(replay.name, error)
            continue
        for path in written:
            print_out(path)
        if not written:
            print_note(f"{replay.name}: nobody spoke")
        reading.problems_so_far(replay)
    reading.finish()
