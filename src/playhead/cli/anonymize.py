"""``playhead anonymize``: a replay without the people in it, or a folder of them."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from playhead import Replay, ReplayError
from playhead.cli.reading import FileArgument, OutputOption, Reading, StrictOption, require


def anonymize(
    file: FileArgument,
    output: OutputOption,
    salt: Annotated[
        str | None,
        typer.Option(
            "--salt",
            help="The same text gives the same pseudonyms in every replay, so keep it secret; random by default, "
            "and one for all of a folder.",
        ),
    ] = None,
    keep_chat: Annotated[
        bool, typer.Option("--keep-chat", help="Keep the text of chat, with the players' names in it replaced.")
    ] = False,
    replace_uuid: Annotated[
        bool,
        typer.Option("--replace-uuid", help="teehistorian: other ids of games and saves, made with the salt."),
    ] = False,
    start_time: Annotated[
        str | None,
        typer.Option(
            "--start-time", metavar="TIME", help="teehistorian: say it began then (2020-12-31T23:59:59+0000)."
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="teehistorian: the server's port to write.")
    ] = None,
    strict: StrictOption = False,
) -> None:
    """Replace names, clans, accounts and addresses in a replay and remove its chat; all else stays as it is.

    Of a folder, all replays below it are written into the folder OUT, and a person has one pseudonym in all of
    them. What was changed and kept is listed on standard error. Map, time, orders and inputs stay: who knows the
    game still knows who played.
    """
    folder = Path(file) if file != "-" and Path(file).is_dir() else None
    if folder is not None and salt is None:
        salt = secrets.token_hex(16)
    replace = {
        key: text
        for key, text in {
            "game_uuid": "" if replace_uuid else None,
            "start_time": start_time,
            "server_port": None if port is None else str(port),
        }.items()
        if text is not None
    }
    reading = Reading([file], strict=strict, stream=True, skip_foreign=True)
    for replay in reading:
        if folder is not None and "anonymize" not in replay.capabilities:
            print(f"playhead: note: {replay.name}: left out, a {replay.format} replay", file=sys.stderr)
            continue
        require(replay, "anonymize")
        try:
            target = output if folder is None else _target(replay, folder, output, renamed=replace_uuid)
            notes = replay.write_anonymized(target, salt=salt, keep_chat=keep_chat, replace=replace)
        except (ReplayError, OSError) as error:
            reading.failed(replay.name, error)
            continue
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
        print(target)
        for note in notes:
            print(f"playhead: note: {note}", file=sys.stderr)
        reading.problems_so_far(replay)
    reading.finish()


def _target(replay: Replay, folder: Path, output: Path, *, renamed: bool) -> Path:
    """The place in `output` of what is in `folder`; a folder where the file is to get a name of its own."""
    place = output / Path(replay.name).relative_to(folder)
    if place.suffix in (".xz", ".gz", ".bz2", ".zst"):  # what is written is not compressed
        place = place.with_suffix("")
    place.parent.mkdir(parents=True, exist_ok=True)
    return place.parent if renamed else place
