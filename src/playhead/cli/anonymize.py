"""``playhead anonymize``: a replay without the people in it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from playhead import ReplayError
from playhead.cli.reading import FileArgument, OutputOption, Reading, StrictOption
from playhead.io.atomic import whole_file


def anonymize(
    file: FileArgument,
    output: OutputOption,
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
    strict: StrictOption = False,
) -> None:
    """Replace names, clans and accounts in a StarCraft II replay and remove its chat; all else stays as it is.

    Map, time and orders stay too: who knows the game still knows who played.
    """
    from playhead.sc2.replay import Sc2Replay
    from playhead.sc2.writing.anonymize import anonymize as anonymize_replay

    reading = Reading([file], strict=strict)
    for replay in reading:
        if not isinstance(replay, Sc2Replay):
            raise typer.BadParameter(
                f"{file} is a {replay.format} replay; only StarCraft II replays can be anonymized"
            )
        try:
            done = anonymize_replay(replay, salt=None if salt is None else salt.encode(), keep_chat=keep_chat)
            with whole_file(output) as path:
                path.write_bytes(done.data)
            reading.problems(replay)
        except (ReplayError, OSError) as error:
            reading.failed(replay.name, error)
            continue
        print(output)
        for name in done.removed:
            print(f"playhead: note: {name} is left out: it may name people", file=sys.stderr)
        for name in done.cut:
            print(f"playhead: note: {name} ends at its first damage", file=sys.stderr)
    reading.finish()
