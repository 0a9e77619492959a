"""``playhead redact``: a recording without what identifies people."""

from __future__ import annotations

import typer

from playhead import ReplayError
from playhead.cli.reading import FileArgument, OutputOption, Reading, StrictOption


def redact(file: FileArgument, output: OutputOption, strict: StrictOption = False) -> None:
    """Write a teehistorian recording without names, clans, codes, addresses and chat; ticks, positions and inputs
    stay as they are."""
    from playhead.teehistorian.replay import TeehistorianReplay

    reading = Reading([file], strict=strict, stream=True)
    for replay in reading:
        if not isinstance(replay, TeehistorianReplay):
            raise typer.BadParameter(
                f"{file} is a {replay.format} replay; only teehistorian files can be redacted"
            )
        try:
            replay.write_redacted(output)
        except (ReplayError, OSError) as error:
            reading.failed(replay.name, error)
            continue
        print(output)
        reading.problems_so_far(replay)
    reading.finish()
