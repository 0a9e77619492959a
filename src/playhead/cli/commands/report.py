"""``playhead report``: a match as one file to send to somebody."""

from __future__ import annotations

from playhead import ReplayError
from playhead.cli.inputs.map_option import BoundsOption, MapOption, map_file
from playhead.cli.inputs.reading import FileArgument, OutputOption, Reading, StrictOption
from playhead.cli.output.standard import print_out


def report(
    file: FileArgument,
    output: OutputOption,
    strict: StrictOption = False,
    map: MapOption = None,
    map_bounds: BoundsOption = None,
) -> None:
    """Write a match as one HTML file that opens from disk: the page of `playhead view` with the match in it."""
    from playhead.view import write_report

    ground = map_file(map, map_bounds)
    reading = Reading([file], strict=strict, one_each=True)
    for replay in reading:
        try:
            size = write_report(replay, output, ground)
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        print_out(f"{output}: {size / 1e6:.2f} MB")
        reading.problems_so_far(replay)
    reading.finish()
