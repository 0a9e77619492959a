"""``playhead anonymize``: copies of replays without personal data."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from playhead import Replay, ReplayError
from playhead.cli.arguments import Parser, UsageError, bounded
from playhead.cli.inputs.options import add_files, add_force, add_output, add_strict, check_free
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_note, print_out


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    add_output(parser, "File to write; for several inputs, a folder.")
    add_force(parser)
    parser.option(
        "--salt TEXT",
        "The same text gives the same pseudonyms in every replay, so keep it secret. Random by default, and "
        "the same for all replays of one run.",
    )
    parser.flag("--keep-chat", "Keep the text of chat, with players' names in it replaced.")
    parser.flag("--replace-uuid", "teehistorian: replace ids of games and saves, using the salt.")
    parser.option("--start-time TIME", "teehistorian: start time to write (2020-12-31T23:59:59+0000).")
    parser.option("--port N", "teehistorian: server port to write.", type=bounded(int, 0, 65535))
    add_strict(parser)


def run(
    files: list[str],
    output: Path,
    *,
    force: bool,
    salt: str | None,
    keep_chat: bool,
    replace_uuid: bool,
    start_time: str | None,
    port: int | None,
    strict: bool,
) -> None:
    """Write replays without names, accounts, addresses and chat.

    For several files or a folder, OUT is a folder: replays of a folder keep their places below it, and a person
    has the same pseudonym in all of them. Notes on standard error list all changes. Map, time, orders and inputs
    stay, so someone who knows the game can still recognise the players.
    """
    reading = Reading(files, strict=strict, stream=True)
    if reading.several and salt is None:
        salt = secrets.token_hex(16)
    folders = [Path(name) for name in files if Path(name).is_dir()]
    given = {"game_uuid": "" if replace_uuid else None, "start_time": start_time, "server_port": port}
    replace = {key: str(value) for key, value in given.items() if value is not None}
    written: set[Path] = set()
    for replay in reading:
        if not reading.can(replay, "anonymize"):
            continue
        try:
            target = output
            if reading.several:
                target = _target(replay, folders, output, renamed=replace_uuid)
                if target in written and not replace_uuid:
                    raise FileExistsError(f"{target} was written for another input of the same name")
                written.add(target)
            check_free(target, force)
            notes = replay.write_anonymized(target, salt=salt, keep_chat=keep_chat, replace=replace)
        except (ReplayError, OSError, MemoryError) as error:
            reading.failed(replay.name, error)
            continue
        except ValueError as error:
            raise UsageError(str(error)) from None
        print_out(target)
        for note in notes:
            print_note(note)
        reading.problems_so_far(replay)
    reading.finish()


def _target(replay: Replay, folders: Sequence[Path], output: Path, *, renamed: bool) -> Path:
    """Return the file to write below `output`, or its folder if the copy gets a new name."""
    path = Path(replay.name)
    above = next((folder for folder in folders if path.is_relative_to(folder)), path.parent)
    place = output / path.relative_to(above)
    if place.suffix in (".xz", ".gz", ".bz2", ".zst"):  # the copy is not compressed
        place = place.with_suffix("")
    place.parent.mkdir(parents=True, exist_ok=True)
    return place.parent if renamed else place
