"""``playhead anonymize``: a replay without the people in it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from playhead import ReplayError
from playhead.cli.reading import FileArgument, OutputOption, Reading, StrictOption, require


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
    """Replace names, clans, accounts and addresses in a replay and remove its chat; all else stays as it is.

    Map, time, orders and inputs stay too: who knows the game still knows who played.
    """
    reading = Reading([file], strict=strict, stream=True)
    for replay in reading:
        require(replay, "anonymize")
        try:
            notes = replay.write_anonymized(output, salt=salt, keep_chat=keep_chat)
        except (ReplayError, OSError) as error:
            reading.failed(replay.name, error)
            continue
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
        print(output)
        for note in notes:
            print(f"playhead: note: {note}", file=sys.stderr)
        reading.problems_so_far(replay)
    reading.finish()
