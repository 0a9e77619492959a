"""``playhead ddnet find``: players, commands and finishes in many recordings."""

from __future__ import annotations

import glob as patterns
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from playhead.cli.arguments import EXIT_FAILED, EXIT_PROBLEMS, Exit, Parser, UsageError
from playhead.cli.inputs.options import add_files, add_json
from playhead.cli.output.progress import ProgressBar
from playhead.cli.output.standard import print_err, print_error, print_json, print_note, print_out
from playhead.clock import format_seconds
from playhead.runtime.records import replace
from playhead.text.names import counted, nearest_names

#: Exit status if nothing is found, as grep has it.
EXIT_NOTHING = 1

#: Origins of commands, as table `commands` has them.
ORIGINS = ("chat", "rcon", "server")

if TYPE_CHECKING:
    from playhead.teehistorian.folder import Hit, Query, RecordingFolder


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    parser.option("--player NAME", "Players who had this name at some time, and their events.")
    parser.option("--clan NAME", "Players who had this clan.")
    parser.option("--skin NAME", "Players who had this skin.")
    parser.option("--client-version VERSION", "Players who used this client: 18090, or its text.")
    parser.option("--connection-uuid UUID", "Players whose client has this UUID.")
    parser.option(
        "--timeout-hash HEX",
        "Players who used the timeout code with this SHA-256, or with a SHA-256 that begins so.",
    )
    parser.option("--team N", "Players of this team, with --command or --finish what it did.", type=int)
    parser.option("--map-name NAME", "Only recordings of this map.")
    parser.option("--command TEXT", "Console commands: a name, or a name with arguments.")
    parser.option(
        "--origin ORIGIN",
        "Console commands of this origin; server: a vote that passed, the configuration or the server's own "
        "console, the file does not say which.",
        choices=ORIGINS,
    )
    parser.option(
        "--at TIME", "Players who were connected then: 2026-11-28T21:14, in UTC or with an offset (+01:00)."
    )
    parser.flag("--finish", "Finishes of the map (DDNet 18.3 and later).")
    parser.flag("--glob", "In texts, * ? and [...] are wildcards.")
    parser.flag("--regex", "Texts are regular expressions, found anywhere.")
    add_json(parser, "Print one JSON object per hit.")


def run(
    files: list[str],
    *,
    player: str | None,
    clan: str | None,
    skin: str | None,
    client_version: str | None,
    connection_uuid: str | None,
    timeout_hash: str | None,
    team: int | None,
    map_name: str | None,
    command: str | None,
    origin: str | None,
    at: str | None,
    finish: bool,
    glob: bool,
    regex: bool,
    as_json: bool,
) -> None:
    """Find players, maps, commands and finishes.

    A line has file, date and time, map, the time in the recording (of a player from joining to leaving) and name.
    A text matches if it is equal, ignoring case; if no player has the whole name, names that contain it match.
    Without a search option the recordings are listed, grouped by server process.
    Exit status: 1 if nothing was found, 3 if something could not be read.
    """
    from playhead.teehistorian.folder import Hit, Matching, Query, RecordingFolder

    if glob and regex:
        raise UsageError("choose one", "--glob/--regex")
    try:
        query = Query(
            player=player,
            clan=clan,
            skin=skin,
            version=client_version,
            connection_uuid=connection_uuid,
            timeout_hash=timeout_hash,
            team=team,
            map=map_name,
            command=command,
            origin=origin,
            at=None if at is None else _time(at),
            finish=finish,
            matching=Matching.glob if glob else Matching.regex if regex else Matching.literal,
        )
    except ValueError as error:
        raise UsageError(str(error), "--regex" if at is None else "--at") from None
    bar = ProgressBar()
    bar.start([None])
    bar.begin(" ".join(files))
    try:
        found = RecordingFolder.scan(files, progress=bar.update)
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
        if not hits and player is not None and query.matching is Matching.literal:
            part = replace(query, player=f"*{patterns.escape(player)}*", matching=Matching.glob)
            hits = list(found.find(part))
            if hits:
                print_note(f"no player is called {player!r}; these names contain it")
    for hit in hits:
        if as_json:
            print_json(_as_dict(hit))
        else:
            print_out(_as_line(hit))
    if not as_json and any(re.match(r"\(\d+\)", hit.name or "") for hit in hits):
        print_note("(1)NAME: the server so calls another client of the same name")
    if found.duplicates:
        copies = counted(len(found.duplicates), "copy", "copies")
        print_note(f"{copies} of the same game left out: {', '.join(found.duplicates)}")
    damaged = {one.path: one.facts.damage for one in found.recordings if one.facts.damage is not None}
    for path, reason in {**found.unreadable, **damaged}.items():
        text = reason if path in reason else f"{path}: {reason}"
        print_err(f"playhead: problem: {text}")
    if not found.recordings:
        if not found.unreadable:
            print_error(f"no teehistorian recording in {', '.join(files)}")
        raise Exit(EXIT_FAILED)
    if found.unreadable or damaged:
        raise Exit(EXIT_PROBLEMS)
    if not hits:
        print_note(f"nothing found in {counted(len(found.recordings), 'recording')}{_similar(found, query)}")
        raise Exit(EXIT_NOTHING)


def _time(text: str) -> datetime:
    """Return a time of ISO 8601; in UTC, as results are printed, without an offset.

    Raises:
        ValueError: it is none.
    """
    time = datetime.fromisoformat(text)
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _similar(found: RecordingFolder, query: Query) -> str:
    """Return the similar words of the recordings for each of a query that none of them has."""
    words: dict[str, set[str | None]] = {option: set() for option in ("player", "clan", "skin", "map", "command")}
    for recording in found.recordings:
        words["map"].add(recording.facts.map)
        words["command"].update(row.command for row in recording.facts.commands)
        for visit in recording.facts.visits:
            words["player"].update(name for _, name in visit.names)
            words["clan"].update(visit.clans)
            words["skin"].update(visit.skins)
    text = ""
    if query.command is not None and (origin := query.command.rstrip("*. ").lower()) in ORIGINS:
        text = f"; {origin} is where commands come from: --origin {origin}"
    for option, known in words.items():
        asked = getattr(query, option)
        if asked is not None and asked.casefold() not in {word.casefold() for word in known if word}:
            near = nearest_names(asked, sorted(word for word in known if word))
            text += f"; no {option} {asked!r}" + (f", {near}" if near else "")
    return text


def _as_dict(hit: Hit) -> dict[str, Any]:
    facts = hit.recording.facts
    row: dict[str, Any] = {
        "file": hit.recording.path,
        "game": facts.game_id,
        "map": facts.map,
        "kind": hit.kind,
        "tick": hit.tick,
        "time": None if hit.time is None else hit.time.isoformat(),
        "client": hit.client,
        "player": hit.player,
        "name": hit.name,
        "text": hit.text,
    }
    visit = facts.visit(hit.player)
    if visit is not None:
        row |= {
            "end_tick": visit.end_tick,
            "names": [name for _, name in visit.names],
            "clans": visit.clans,
            "skins": visit.skins,
            "client_versions": visit.versions,
            "connection_uuids": visit.connection_uuids,
            "timeout_hashes": visit.timeout_hashes,
        }
    return row


def _as_line(hit: Hit) -> str:
    from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

    facts = hit.recording.facts
    seconds = (facts.last_tick if hit.kind == "recording" else hit.tick) / TICKS_PER_SECOND
    when = f"{hit.time:%Y-%m-%d %H:%M:%S}" if hit.time is not None else "-"
    visit = facts.visit(hit.player) if hit.kind == "visit" else None
    end = facts.last_tick if visit is None or visit.end_tick is None else visit.end_tick
    stay = "" if visit is None else f"–{format_seconds(end / TICKS_PER_SECOND)}"
    parts = [hit.recording.path, when, facts.map or "-", format_seconds(seconds) + stay]
    parts += [part for part in (hit.name, hit.text, _target(hit)) if part]
    return "  ".join(parts)


def _target(hit: Hit) -> str | None:
    """Return who had the slot that a kick or ban names by its number."""
    match hit.text.split() if hit.kind == "command" else ():
        case ["kick" | "ban", slot, *_]:
            for visit in hit.recording.facts.visits:
                left = visit.end_tick is not None and visit.end_tick < hit.tick
                if str(visit.client) == slot and visit.tick <= hit.tick and not left:
                    return f"({slot}: {visit.name_at(hit.tick)})"
    return None
