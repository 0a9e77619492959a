"""Options ``--map`` and ``--map-bounds`` of the viewer and of reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from playhead.view import MapFile

MapOption = Annotated[
    Path | None,
    typer.Option(
        "--map",
        exists=True,
        dir_okay=False,
        metavar="FILE",
        help="Draw the map on this: a map's own file (.SC2Map, DDNet's .map) or a picture.",
    ),
]
BoundsOption = Annotated[
    str | None,
    typer.Option(
        "--map-bounds",
        metavar="LEFT,RIGHT,LOW,HIGH",
        help="What the picture covers, in the recording's units; everything that is known of the map if left out.",
    ),
]


def map_file(path: Path | None, bounds: str | None) -> MapFile | None:
    """Return what the options name.

    Raises:
        typer.BadParameter: the bounds are none, or are of no file.
    """
    from playhead.view import MapFile

    if path is None:
        if bounds is not None:
            raise typer.BadParameter("expected --map with it", param_hint="--map-bounds")
        return None
    if bounds is None:
        return MapFile(str(path))
    try:
        left, right, low, high = (float(part) for part in bounds.split(","))
    except ValueError:
        raise typer.BadParameter(f"expected four numbers, got {bounds!r}", param_hint="--map-bounds") from None
    if not (left < right and low < high):
        raise typer.BadParameter("expected LEFT < RIGHT and LOW < HIGH", param_hint="--map-bounds")
    return MapFile(str(path), (left, right, low, high))
