"""``playhead anonymize``: a replay without the people in it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from playhead import ReplayError, UnsupportedVersion, open
from playhead.cli.reading import EXIT_UNREADABLE, FileArgument
from playhead.whole_file import whole_file


def anonymize(
    file: FileArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="File to write to.")],
    salt: Annotated[
        str | None,
        typer.Option(
            "--salt",
            help="The same text gives the same pseudonyms in every replay, so keep it secret; random by default.",
        ),
    ] = None,
    keep_chat: Annotated[
        bool, typer.Option("--keep-chat", help="Keep the text of chat, with the players' names in it replaced.")
    ] = False,
) -> None:
    """Replace names, clans and accounts in a StarCraft II replay and remove its chat; all else stays as it is."""
    from playhead.sc2.anonymize import anonymize as anonymize_replay
    from playhead.sc2.replay import Sc2Replay

    try:
        replay = open(file)
        if not isinstance(replay, Sc2Replay):
            raise UnsupportedVersion(
                f"expected a StarCraft II replay, found format {replay.format}: others cannot be anonymized yet",
                file=file,
            )
        done = anonymize_replay(replay, salt=None if salt is None else salt.encode(), keep_chat=keep_chat)
        with whole_file(output) as path:
            path.write_bytes(done.data)
    except (ReplayError, OSError) as error:
        text = str(error) if file in str(error) else f"{file}: {error}"
        print(f"playhead: error: {text}", file=sys.stderr)
        raise typer.Exit(EXIT_UNREADABLE) from None
    print(output)
    for name in done.removed:
        print(f"playhead: note: {name} is left out: it may name people", file=sys.stderr)
    for name in done.cut:
        print(f"playhead: note: {name} ends at its first damage", file=sys.stderr)
