"""``playhead anonymize``: a replay without the people in it, or a folder of them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from playhead import Replay, ReplayError
from playhead.cli.inputs.reading import FilesArgument, Reading, StrictOption
from playhead.cli.output.standard import print_err, print_out


def anonymize(
    files: FilesArgument,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="OUT", help="File to write; of several inputs, a folder.")
    ],
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

    Of several files or a folder, all replays are written into the folder OUT (those of a folder at their places
    below it), and a person has one pseudonym in all of them. What was changed and kept is listed on standard
    error. Map, time, orders and inputs stay: who knows the game still knows who played.
    """
    reading = Reading(files, strict=strict, stream=True)
    if reading.several and salt is None:
        salt = secrets.token_hex(16)
    folders = [Path(name) for name in files if Path(name).is_dir()]
    replace = {
        key: text
        for key, text in {
            "game_uuid": "" if replace_uuid else None,
            "start_time": start_time,
            "server_port": None if port is None else str(port),
        }.items()
        if text is not None
    }
    written: set[Path] = set()
    for replay in reading:
        if not reading.can(replay, "anonymize"):
            continue
        try:
            target = output
            if reading.several:
                target = _target(replay, folders, output, renamed=replace_uuid)
                if target in written and not replace_uuid:
                    raise FileExistsError(f"{target} is another input's already: their names are the same")
                written.add(target)
            notes = replay.write_anonymized(target, salt=salt, keep_chat=keep_chat, replace=replace)
        except (ReplayError, OSError) as error:
            reading.failed(replay.name, error)
            continue
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
        print_out(target)
        for note in notes:
            print_err(f"playhead: note: {note}")
        reading.problems_so_far(replay)
    reading.finish()


def _target(replay: Replay, folders: Sequence[Path], output: Path, *, renamed: bool) -> Path:
    """The place in `output` of a file, as in one of `folders`; a folder where it is to get a name of its own."""
    path = Path(replay.name)
    above = next((folder for folder in folders if path.is_relative_to(folder)), path.parent)
    place = output / path.relative_to(above)
    if place.suffix in (".xz", ".gz", ".bz2", ".zst"):  # what is written is not compressed
        place = place.with_suffix("")
    place.parent.mkdir(parents=True, exist_ok=True)
    return place.parent if renamed else place
