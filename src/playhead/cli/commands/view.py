"""``playhead view``: the viewer in a browser."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from playhead.cli.inputs.map_option import BoundsOption, MapOption, map_file
from playhead.cli.inputs.reading import FilesArgument


def view(
    files: FilesArgument,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on; a free one if 0.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    map: MapOption = None,
    map_bounds: BoundsOption = None,
) -> None:
    """Show replays in the browser: map, timeline, players, events, curves, tables.

    It listens on this machine only, behind an address that nobody can guess, and loads nothing from a network.
    """
    from playhead.view import serve

    def ready(address: str) -> None:
        print(address, flush=True)
        if browser:
            webbrowser.open(address)

    ground = map_file(map, map_bounds)
    try:
        serve(files, port=port, ready=ready, map_file=ground)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="FILE") from None
