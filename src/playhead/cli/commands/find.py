"""``playhead find``: where in many recordings something happened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playhead.cli.inputs.reading import EXIT_PROBLEMS, EXIT_UNREADABLE, FilesArgument, error_text
from playhead.cli.output.progress import ProgressBar
from playhead.cli.output.standard import print_err, print_out
from playhead.clock import format_seconds

#: Exit status where nothing fits, as of grep.
EXIT_NOTHING = 1

if TYPE_CHECKING:
    from playhead.teehistorian.folder.folder import Hit


def find(
    files: FilesArgument,
    player: Annotated[
        str | None,
        typer.Option("--player", metavar="NAME", help="Who had this name at some time, or what they did."),
    ] = None,
    clan: Annotated[str | None, typer.Option("--clan", metavar="NAME", help="Who had this clan.")] = None,
    skin: Annotated[str | None, typer.Option("--skin", metavar="NAME", help="Who had this skin.")] = None,
    version: Annotated[
        str | None,
        typer.Option("--client-version", metavar="VERSION", help="Who had this client: 18090, or its text."),
    ] = None,
    connection_id: Annotated[
        str | None, typer.Option("--connection-id", metavar="UUID", help="Whose client gave itself this UUID.")
    ] = None,
    timeout_hash: Annotated[
        str | None,
        typer.Option(
            "--timeout-hash", metavar="HEX", help="Who used the timeout code with this SHA-256, or its beginning."
        ),
    ] = None,
    map_name: Annotated[
        str | None, typer.Option("--map", metavar="NAME", help="Only recordings of this map.")
    ] = None,
    command: Annotated[
        str | None,
        typer.Option("--command", metavar="TEXT", help="Console commands: a name, or a name with arguments."),
    ] = None,
    finish: Annotated[bool, typer.Option("--finish", help="Finishes of the map (DDNet 18.3 and later).")] = False,
    use_glob: Annotated[bool, typer.Option("--glob", help="In texts, * ? and [...] are wildcards.")] = False,
    use_regex: Annotated[
        bool, typer.Option("--regex", help="Texts are regular expressions, found anywhere.")
    ] = False,
    index: Annotated[
        Path | None,
        typer.Option(
            "--index", "--cache", metavar="FILE", help="Keep what was found here: the next time is quicker."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Find players, maps, commands and finishes in teehistorian recordings: folders of them, or any others.

    Texts are compared whole and as they stand, but for upper and lower case. With nothing asked for, the
    recordings are listed, those of one server process together. Exit status: 1 if nothing was found, 3 if
    something could not be read.
    """
    from playhead.teehistorian.folder.folder import Hit, RecordingFolder
    from playhead.teehistorian.folder.query import Matching, Query

    if use_glob and use_regex:
        raise typer.BadParameter("choose one", param_hint="--glob/--regex")
    try:
        query = Query(
            player=player,
            clan=clan,
            skin=skin,
            version=version,
            connection_id=connection_id,
            timeout_hash=timeout_hash,
            map=map_name,
            command=command,
            finish=finish,
            matching=Matching.glob if use_glob else Matching.regex if use_regex else Matching.literal,
        )
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--regex") from None
    bar = ProgressBar()
    bar.start([None])
    bar.begin(" ".join(files))
    try:
        found = RecordingFolder.scan(files, index=index, progress=bar.update)
    except OSError as error:
        print_err(f"playhead: error: {error_text(str(index), error)}")
        raise typer.Exit(EXIT_UNREADABLE) from None
    finally:
        bar.stop()
    if query.empty:
        hits = [
            Hit(recording, "recording", 0, text="(next of the same server process)" if place else "")
            for session in found.sessions()
            for place, recording in enumerate(session)
        ]
    else:
        hits = list(found.find(query))
    for hit in hits:
        print_out(_as_json(hit) if as_json else _as_line(hit))
    damaged = {one.path: one.facts.damage for one in found.recordings if one.facts.damage is not None}
    for path, reason in {**found.unreadable, **damaged}.items():
        text = reason if path in reason else f"{path}: {reason}"
        print_err(f"playhead: problem: {text}")
    if not found.recordings:
        raise typer.Exit(EXIT_UNREADABLE)
    if found.unreadable or damaged:
        raise typer.Exit(EXIT_PROBLEMS)
    if not hits:
        raise typer.Exit(EXIT_NOTHING)


def _as_json(hit: Hit) -> str:
    facts = hit.recording.facts
    row: dict[str, object] = {
        "file": hit.recording.path,
        "game": facts.game_id,
        "map": facts.map,
        "kind": hit.kind,
        "tick": hit.tick,
        "time": None if hit.time is None else hit.time.isoformat(),
        "client": hit.client,
        "session": hit.session,
        "player": hit.player,
        "text": hit.text,
    }
    visit = facts.visit(hit.session)
    if visit is not None:
        row |= {
            "names": [name for _, name in visit.names],
            "clans": visit.clans,
            "skins": visit.skins,
            "client_versions": visit.versions,
            "connection_ids": visit.connection_ids,
            "timeout_hashes": visit.timeout_hashes,
        }
    return json.dumps(row, ensure_ascii=False)


def _as_line(hit: Hit) -> str:
    from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

    facts = hit.recording.facts
    seconds = (facts.last_tick if hit.kind == "recording" else hit.tick) / TICKS_PER_SECOND
    when = f"{hit.time:%Y-%m-%d %H:%M:%S}" if hit.time is not None else "-"
    parts = [hit.recording.path, when, facts.map or "-", format_seconds(seconds)]
    parts += [part for part in (hit.player, hit.text) if part]
    return "  ".join(parts)
