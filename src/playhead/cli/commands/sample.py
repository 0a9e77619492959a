"""``playhead sample``: synthetic replays to try everything with."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from playhead import list_formats


class Size(StrEnum):
    """How much a synthetic match has in it."""

    SMALL = "small"
    REAL = "real"


def sample(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write to; made if it does not exist.")],
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes",
            min=0.01,
            max=240,
            help="Write instead longer ones of that length: a Dota 2 match (ten heroes, about 900 entities, full "
            "packets) and a StarCraft II game (two economies, a fight every 90 seconds).",
        ),
    ] = None,
    broadcast: Annotated[
        bool,
        typer.Option("--broadcast", help="Write the match as the folder of a broadcast instead."),
    ] = False,
    size: Annotated[
        Size,
        typer.Option(
            "--size",
            help="Of that match: small (12 MB for 40 minutes), or real: as many classes, fields, changes and "
            "messages as were measured on real recordings (114 MB for 40 minutes).",
        ),
    ] = Size.SMALL,
) -> None:
    """Write a small synthetic replay of each format, made by playhead's own writers."""
    if size == Size.REAL and (minutes is None or broadcast):
        what = "is not written as a broadcast" if broadcast else "needs --minutes"
        raise typer.BadParameter(f"a match of real size {what}", param_hint="--size")
    folder.mkdir(parents=True, exist_ok=True)
    if broadcast:
        from playhead.samples.source2.broadcast import write_sample_broadcast

        print(write_sample_broadcast(folder, minutes))
        return
    if minutes is not None:
        from playhead.samples.sc2.game import write_game
        from playhead.samples.source2.match_demo import match_demo
        from playhead.samples.source2.real_size.demo import write_real_match

        if size == Size.REAL:
            path = folder / f"sample_dota2_{minutes:g}min_real.dem"
            write_real_match(path, minutes)
        else:
            path = folder / f"sample_dota2_{minutes:g}min.dem"
            path.write_bytes(match_demo(minutes)[0])
        print(path)
        if size == Size.SMALL:
            print(write_game(folder, minutes))
        return
    for known in list_formats():
        print(known.write_sample(folder))
