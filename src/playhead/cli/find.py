"""``playhead find``: where in a folder of recordings something happened."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playhead.cli.progress import ProgressBar
from playhead.cli.reading import EXIT_PROBLEMS, EXIT_UNREADABLE
from playhead.clock import format_seconds

if TYPE_CHECKING:
    from playhead.teehistorian.folder.folder import Hit


def find(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder of teehistorian files, also compressed.")
    ],
    player: Annotated[
        str | None, typer.Option("--player", metavar="NAME", help="When they were connected, or what they did.")
    ] = None,
    map_name: Annotated[
        str | None, typer.Option("--map", metavar="NAME", help="Only recordings of this map.")
    ] = None,
    command: Annotated[
        str | None,
        typer.Option("--command", metavar="TEXT", help="Console commands: a name, or a name with arguments."),
    ] = None,
    finish: Annotated[bool, typer.Option("--finish", help="Finishes of the map (DDNet 18.3 and later).")] = False,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="FILE", help="Keep what was found here: the next time is quicker."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Find players, maps, commands and finishes in a folder of teehistorian recordings.

    Names may hold * and ?. Without any, the recordings are listed, those of one server process together.
    """
    from playhead.teehistorian.folder.folder import Hit, RecordingFolder

    bar = ProgressBar()
    bar.start(str(folder))
    try:
        found = RecordingFolder.scan(folder, cache=cache, progress=bar.update)
    except OSError as error:
        print(f"playhead: error: {error}", file=sys.stderr)
        raise typer.Exit(EXIT_UNREADABLE) from None
    finally:
        bar.stop()
    if player is None and map_name is None and command is None and not finish:
        hits = [
            Hit(recording, "recording", 0, None, None, "" if index == 0 else "(next of the same server process)")
            for session in found.sessions()
            for index, recording in enumerate(session)
        ]
    else:
        hits = list(found.find(player=player, map=map_name, command=command, finish=finish))
    for hit in hits:
        print(_as_json(hit) if as_json else _as_line(hit))
    for path, reason in found.unreadable.items():
        text = reason if str(path) in reason else f"{path}: {reason}"
        print(f"playhead: problem: {text}", file=sys.stderr)
    if found.unreadable:
        raise typer.Exit(EXIT_PROBLEMS)


def _as_json(hit: Hit) -> str:
    facts = hit.recording.facts
    row = {
        "file": str(hit.recording.path),
        "game": facts.game_id,
        "map": facts.map,
        "kind": hit.kind,
        "tick": hit.tick,
        "time": None if hit.time is None else hit.time.isoformat(),
        "client": hit.client,
        "player": hit.player,
        "text": hit.text,
    }
    return json.dumps(row, ensure_ascii=False)


def _as_line(hit: Hit) -> str:
    from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

    facts = hit.recording.facts
    seconds = (facts.last_tick if hit.kind == "recording" else hit.tick) / TICKS_PER_SECOND
    when = f"{hit.time:%Y-%m-%d %H:%M:%S}" if hit.time is not None else "-"
    parts = [str(hit.recording.path), when, facts.map or "-", format_seconds(seconds)]
    parts += [part for part in (hit.player, hit.text) if part]
    return "  ".join(parts)
