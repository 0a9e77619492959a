"""``playhead view``: the viewer in a browser."""

from __future__ import annotations

from pathlib import Path

from playhead.cli.arguments import EXIT_FAILED, Exit, Parser, UsageError, bounded
from playhead.cli.inputs.options import add_against, add_drawn_map, add_files, map_file
from playhead.cli.inputs.reading import missing_input
from playhead.cli.output.standard import print_error, print_note


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    parser.option("--port N", "Port to listen on; 0 for any free port.", type=bounded(int, 0, 65535), default=0)
    parser.switch("--browser", "Open the page in the browser.")
    add_drawn_map(parser)
    add_against(parser)


def run(
    files: list[str],
    *,
    port: int,
    browser: bool,
    map: Path | None,
    map_bounds: str | None,
    game_files: bool,
    against: Path | None,
) -> None:
    """Show replays in the browser: map, timeline, tables.

    Two files are shown side by side; a folder and more files begin with a list.

    The viewer listens on this machine only, at an address that cannot be guessed, and loads nothing from a
    network.
    """
    import webbrowser

    from playhead.web.viewer import serve

    def ready(address: str) -> None:
        print(address, flush=True)
        if browser:
            webbrowser.open(address)

    drawn_on = map_file(map, map_bounds, game_files)
    try:
        serve(files, port=port, ready=ready, map_file=drawn_on, against=against, said=print_note)
    except FileNotFoundError as error:
        raise missing_input(error) from None
    except ValueError as error:
        raise UsageError(str(error), "FILE") from None
    except OSError as error:  # the port is taken
        print_error(str(error))
        raise Exit(EXIT_FAILED) from None
