"""``playhead sample``: synthetic replays to try everything with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playhead import list_formats


def sample(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write to; made if it does not exist.")],
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes",
            min=0.01,
            max=240,
            help="Write instead a Dota 2 match of that length: ten heroes, about 900 entities, full packets.",
        ),
    ] = None,
    broadcast: Annotated[
        bool,
        typer.Option("--broadcast", help="Write the match as the folder of a broadcast instead."),
    ] = False,
) -> None:
    """Write a small synthetic replay of each format, made by playhead's own writers."""
    folder.mkdir(parents=True, exist_ok=True)
    if broadcast:
        from playhead.samples.source2.broadcast import write_sample_broadcast

        print(write_sample_broadcast(folder, minutes))
        return
    if minutes is not None:
        from playhead.samples.source2.match_demo import match_demo

        path = folder / f"sample_dota2_{minutes:g}min.dem"
        path.write_bytes(match_demo(minutes)[0])
        print(path)
        return
    for known in list_formats():
        print(known.write_sample(folder))
