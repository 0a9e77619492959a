"""``playhead serve``: replays in by HTTP, JSON and tables out."""

from __future__ import annotations

import sys
from pathlib import Path

from playhead.cli.arguments import EXIT_FAILED, Exit, Parser, UsageError, bounded
from playhead.cli.output.standard import print_error, print_note
from playhead.runtime.workers import cores

_GIB = 1 << 30


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "folder", metavar="DIR", help="Lake that takes the replays: new, or from an export.", type=Path
    )
    parser.option("--host ADDRESS", "Address to listen on; 0.0.0.0 for all of this machine.", default="127.0.0.1")
    parser.option("--port N", "Port to listen on; 0 for any free port.", type=bounded(int, 0, 65535), default=8000)
    parser.option("--tokens FILE", "Who may ask: NAME TOKEN a line; NAME TOKEN read may not upload.", type=Path)
    parser.option(
        "--allow URL",
        "Beginning of URLs that replays may be fetched from; may be repeated.",
        action="append",
        default=[],
    )
    parser.option(
        "--origin URL",
        "Origin of web pages whose scripts may ask, as https://site.example; may be repeated.",
        action="append",
        default=[],
    )
    parser.option("--jobs N", "Replays to read at once; one per core by default.", type=bounded(int, 1))
    parser.option("--upload MIB", "Greatest size of an upload.", type=bounded(int, 1), default=1024)
    parser.option("--disk GIB", "Greatest size of the lake.", type=bounded(int, 1), default=100)
    parser.option("--memory GIB", "Greatest memory of a process that reads.", type=bounded(int, 1), default=4)
    parser.option("--seconds N", "Greatest time to read a replay.", type=bounded(int, 1), default=300)
    parser.option("--rate N", "Uploads of each token in a minute.", type=bounded(int, 1), default=60)


def run(
    folder: Path,
    *,
    host: str,
    port: int,
    tokens: Path | None,
    allow: list[str],
    origin: list[str],
    jobs: int | None,
    upload: int,
    disk: int,
    memory: int,
    seconds: int,
    rate: int,
) -> None:
    """Serve a lake by HTTP.

    `POST` a replay for JSON of the match, `GET` tables as JSON, CSV, Parquet, Arrow.

    The first page describes all requests. Every request needs a token, as `Authorization: Bearer TOKEN`; without
    --tokens, one is made and printed.
    """
    from playhead.web.access import Tokens, allowed, allowed_origins
    from playhead.web.bounds import Bounds
    from playhead.web.service import run_service

    bounds = Bounds(
        upload=upload << 20,
        disk=disk * _GIB,
        memory=memory * _GIB,
        seconds=float(seconds),
        rate=rate,
        workers=cores() if jobs is None else jobs,
    )
    try:
        places = allowed(allow)
    except ValueError as error:
        raise UsageError(str(error), "--allow") from None
    try:
        origins = allowed_origins(origin)
    except ValueError as error:
        raise UsageError(str(error), "--origin") from None
    try:
        if tokens is None:
            known, token = Tokens.of_one()
            print_note(f"the token of this run is {token}")
        else:
            known = Tokens.read(tokens)
    except (OSError, ValueError) as error:
        raise UsageError(str(error), "--tokens") from None

    def ready(address: str) -> None:
        print(address, flush=True)
        sys.stderr.flush()

    try:
        run_service(folder, known, places, bounds, origins=origins, host=host, port=port, ready=ready)
    except OSError as error:
        print_error(str(error))
        raise Exit(EXIT_FAILED) from None
