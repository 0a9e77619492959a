"""``playhead slice``: a stretch of a recording as a recording of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from playhead import ReplayError
from playhead.cli.inputs.reading import FileArgument, OutputOption, Reading, StrictOption
from playhead.cli.output.standard import print_out


def slice_command(
    file: FileArgument,
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="TIME",
            help="Its first tick: 14:03 or 1:14:03 as the game shows it, 843s (seconds), or 42150t (ticks).",
        ),
    ],
    end: Annotated[str, typer.Option("--to", metavar="TIME", help="Its last tick, in the same ways.")],
    output: OutputOption,
    strict: StrictOption = False,
) -> None:
    """Write a stretch of a Source 2 or teehistorian recording as a valid recording: same ticks, same state."""
    reading = Reading([file], strict=strict, stream=True, one_each=True)
    for replay in reading:
        if not reading.can(replay, "slice"):
            continue
        try:
            replay.write_slice(output, start, end)
        except ValueError as error:
            if isinstance(error, ReplayError):
                reading.failed(replay.name, error)
                continue
            raise typer.BadParameter(str(error), param_hint="--from/--to") from None
        except (ReplayError, OSError) as error:
            reading.failed(replay.name, error)
            continue
        print_out(output)
        reading.problems_so_far(replay)
    reading.finish()
