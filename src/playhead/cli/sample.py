"""``playhead sample``: synthetic replays to try everything with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playhead import list_formats


def sample(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write to; made if it does not exist.")],
) -> None:
    """Write a small synthetic replay of each format, made by playhead's own writers."""
    folder.mkdir(parents=True, exist_ok=True)
    for known in list_formats():
        print(known.write_sample(folder))
