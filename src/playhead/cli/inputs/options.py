"""Options and arguments that several commands share."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase

from playhead.cli.arguments import (
    EXIT_FAILED,
    Exit,
    Parser,
    UsageError,
    any_path,
    bounded,
    existing_file,
    existing_path,
    whole_number,
)
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_error, print_out
from playhead.errors import ReplayError
from playhead.events import WILDCARDS
from playhead.registry import vocabulary
from playhead.replay import Replay
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.text.names import matching, unknown_name

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.runtime.libraries import pa
    from playhead.view import MapFile


def add_files(parser: Parser) -> None:
    """Add ``files``: one or more inputs."""
    parser.add_argument(
        "files",
        metavar="FILE|DIR...",
        nargs="+",
        help="Replays: files or URLs, also compressed (.xz .gz .bz2 .zst); folders; patterns ('*.dem'); archives "
        "(zip, tar); lists of these (@list.txt, or @- on standard input); broadcasts; "
        "- is a replay on standard input.",
    )


def add_file(parser: Parser, name: str = "file", metavar: str = "FILE") -> None:
    """Add an argument for exactly one input."""
    parser.add_argument(
        name, metavar=metavar, help="A replay file, the folder of a broadcast, or a URL; - is standard input."
    )


def add_output(parser: Parser, help: str = "File to write.") -> None:
    """Add the required ``output``, a path."""
    parser.option("-o --output OUT", help, type=any_path, required=True)


def add_span(parser: Parser, what: str) -> None:
    """Add ``start``, ``end`` and ``round_num``, the arguments of `span_of`."""
    parser.option("--from TIME", f"First moment of {what}: 14:03, 843s, 42150t or R3 (CS2).", dest="start")
    parser.option("--to TIME", "Last moment, in the same notation; R3 is the end of that round.", dest="end")
    parser.option("--round N", "This round, for --from RN --to RN.", dest="round_num", type=bounded(int, 1))


def span_of(
    replay: Replay, start: str | None, end: str | None, round_num: int | None = None
) -> tuple[int | None, int | None]:
    """Return the first and last tick of a stretch; they may lie outside the recording.

    Raises:
        UsageError: a time is none, or the first is after the last.
    """
    if round_num is not None:
        if start is not None or end is not None:
            raise UsageError("names the whole stretch, without --from and --to", "--round")
        start = end = f"R{round_num}"
    option = "--from"
    try:
        first, _ = replay.span(start, None)
        option = "--to"
        _, last = replay.span(None, end)
    except ValueError as error:
        if round_num is not None and f"'R{round_num}'" in str(error):  # not even read as a time
            raise UsageError(f"{replay.name} is a {replay.format_title}, which has no rounds", "--round") from None
        raise UsageError(str(error), option if round_num is None else "--round") from None
    if first is not None and last is not None and first > last:
        raise UsageError(f"{start} is after {end}", "--from/--to")
    return first, last


@contextmanager
def span_checked() -> Iterator[None]:
    """Make an error of ``--from/--to`` of a ValueError: the recording does not contain the stretch."""
    try:
        yield
    except ReplayError:
        raise
    except ValueError as error:
        raise UsageError(str(error), "--from/--to") from None


def add_force(parser: Parser) -> None:
    """Add ``force``, for commands that write recordings."""
    parser.flag("--force", "Replace files that exist.")


def check_free(path: Path, force: bool) -> None:
    """Check that nothing is overwritten without ``--force``.

    Raises:
        FileExistsError: the file exists.
    """
    if path.is_file() and not force:
        raise FileExistsError(errno.EEXIST, f"{path} exists; add --force to replace it")


def add_strict(parser: Parser) -> None:
    """Add ``strict``."""
    parser.flag("--strict", "Stop reading a file at its first problem instead of skipping it.")


def add_limit(parser: Parser) -> None:
    """Add ``limit``, of the lines of each file."""
    parser.option("--limit N", "Stop after this many.", type=bounded(int, 1))


def add_player(parser: Parser, help: str = "Only this player") -> None:
    """Add ``player``, a list: by number, by name in any case, or by a part of a name."""
    text = f"{help}, by name (in any case, or a part of it) or number (repeat)."
    parser.option("--player NAME|N", text, action="append")


def add_team(parser: Parser, help: str) -> None:
    """Add ``team``: a DDRace team."""
    parser.option("--team N", f"{help}, by its number; 0 is no team.", type=whole_number)


def add_session(parser: Parser, help: str) -> None:
    """Add ``session``: a connection."""
    parser.option("--session N", f"{help}, by its number `player` in table sessions.", type=whole_number)


def choose_team(replay: Replay, team: int) -> list[int]:
    """Return the numbers of the players who were in a DDRace team at some time; everybody begins in team 0."""
    if team == 0:
        return [each.player for each in replay.players if each.player is not None]
    rows = replay.table("teams").to_pylist()
    found = [row["player"] for row in rows if row["team"] == team and row["player"] is not None]
    return list(dict.fromkeys(found))


def choose_players(reading: Reading, replay: Replay, texts: list[str]) -> list[int]:
    """Return the numbers of the players whom any of `texts` names; note those of one that names nobody."""
    known = [
        (each.player, [each.name, *each.details.get("names", ())])
        for each in replay.players
        if each.player is not None
    ]
    found: list[int] = []
    for text in texts:
        named = [number for number, _ in known if str(number) == text] or matching(text, known)
        found += named
        if not named and reading.several:
            reading.lacks(replay, f"has no player {text!r}", all_of_it=len(texts) == 1)
        elif not named:
            there = ", ".join(f"{number} {names[0]}" for number, names in known)
            reading.note(replay, f"{text!r} is not a player of this game: {there}", option="--player")
    return list(dict.fromkeys(found))


def add_json(parser: Parser, help: str) -> None:
    """Add ``as_json``."""
    parser.flag("--json", help, dest="as_json")


def add_formulas(parser: Parser) -> None:
    """Add ``formulas``."""
    parser.switch(
        "--formulas",
        "CSV: write texts unchanged; --no-formulas puts an apostrophe before a text that a spreadsheet would "
        "run as a formula, and escapes control characters.",
    )


def add_map(parser: Parser, help: str, **settings: Any) -> None:
    """Add ``map``, the map of the recording: a file or a folder."""
    parser.option(
        "--map --maps FILE|DIR",
        f"{help}: its own file, or a folder of maps, in which it is found by name and hash.",
        type=existing_path,
        **settings,
    )


def add_simulated_map(parser: Parser, *, required: bool = False) -> None:
    """Add ``map`` and ``other_map``, the arguments of `Replay.simulate`."""
    add_map(parser, "The map that the recording is played again on", required=required)
    parser.flag("--other-map", "Accept another map than that of the recording.")


def add_drawn_map(parser: Parser) -> None:
    """Add ``map``, ``map_bounds`` and ``game_files``, the arguments of `map_file`."""
    add_map(parser, "Draw this map (.SC2Map, DDNet's .map), or a picture")
    parser.switch("--game-files", "Draw the map from the files of the installed game, if there are any.")
    parser.option(
        "--map-bounds LEFT,RIGHT,LOW,HIGH",
        "Area that the picture covers, in the recording's units; the whole known map by default.",
    )


def add_against(parser: Parser) -> None:
    """Add ``against``, a game to compare with."""
    parser.option(
        "--against FILE",
        "Compare the players with those of the same race in this game, in tables for coaches (StarCraft II).",
        type=existing_file,
    )


def check_another(reading: Reading, replay: Replay, other: Replay | None) -> bool:
    """Return whether a game can stand beside that of ``--against``; if it is the same, note it."""
    same = other is not None and replay.source.data == other.source.data
    if same:
        reading.note(replay, "the game to compare with is this one: name another", option="--against")
    return not same


def map_file(path: Path | None, bounds: str | None, game_files: bool) -> MapFile | None:
    """Return the map that the options name; None if it may be looked for.

    Raises:
        UsageError: the bounds are wrong, or given without a file.
    """
    from playhead.view import MapFile

    if path is None:
        if bounds is not None:
            raise UsageError("needs --map", "--map-bounds")
        return None if game_files else MapFile(None)
    if bounds is None:
        return MapFile(str(path))
    try:
        left, right, low, high = (float(part) for part in bounds.split(","))
    except ValueError:
        raise UsageError(f"expected four numbers, got {bounds!r}", "--map-bounds") from None
    if not (left < right and low < high):
        raise UsageError("expected LEFT < RIGHT and LOW < HIGH", "--map-bounds")
    return MapFile(str(path), (left, right, low, high))


def choose_tables(reading: Reading, replay: Replay, asked: Iterable[str]) -> list[str]:
    """Return the requested tables that a replay has; the others become notes.

    Raises:
        UsageError: no format has such a table; or the replay is the only file and lacks it.
    """
    asked = list(asked)
    found = [name for name in asked if name in replay.tables]
    for name in asked:
        if name not in found:
            known = vocabulary()
            if name not in known.tables and known.is_whole:
                _refuse(name, _known(reading, replay.tables, known.tables), "format has a table", "--table")
            reading.lacks(replay, f"has no table {name!r}{_why(replay, name)}", all_of_it=not found)
    return found


def choose_kinds(reading: Reading, replay: Replay, asked: Iterable[str]) -> list[str]:
    """Return the requested kinds of events that a replay can have; the others become notes.

    Raises:
        UsageError: no format has events of that kind.
    """
    asked = list(asked)
    found = [word for word in asked if _has_events(replay, word)]
    for word in asked:
        if word not in found:
            known = vocabulary()
            if known.is_whole and not _fits(word, known.event_kinds | known.event_words | replay.absent.keys()):
                _refuse(
                    word,
                    _known(reading, replay.event_kinds, known.event_kinds),
                    "format has events of kind",
                    "--kind",
                )
            reading.misses(replay, f"has no events of kind {word!r}{_why(replay, word)}")
    return found


def _why(replay: Replay, name: str) -> str:
    return f": {replay.absent[name]}" if name in replay.absent else ""


def _fits(word: str, known: Iterable[str]) -> bool:
    """Return whether a word or pattern matches a known word or pattern."""
    wild = bool(WILDCARDS & set(word))
    return any(word == each or fnmatchcase(word, each) or (wild and fnmatchcase(each, word)) for each in known)


def _has_events(replay: Replay, word: str) -> bool:
    try:
        replay.events(word)  # reads nothing yet
    except KeyError:
        return False
    return True


def _refuse(word: str, known: Iterable[str], noun: str, option: str) -> None:
    raise UsageError(unknown_name(word, known, noun), option)


def _known(reading: Reading, own: Iterable[str], known: Iterable[str]) -> Iterable[str]:
    """Return the names to suggest: of one file its own, of several those of all formats."""
    return {*own, *known} if reading.several else own


def write_file(table: pa.Table, path: Path, *, formulas: bool) -> None:
    """Write a table as a file in the format of its suffix, and print its path.

    Raises:
        UsageError: there is no such format.
        Exit: it cannot be written; the error was printed.
    """
    from playhead.export import FORMATS, write_table

    form = path.suffix.removeprefix(".")
    if form not in FORMATS:
        raise UsageError(f"cannot tell the format from {path.name}; known are {', '.join(FORMATS)}", "-o")
    try:
        print_out(write_table(table, path.parent, path.stem, form, formulas=formulas))
    except OSError as error:
        print_error(f"{path}: {error.strerror or error}")
        raise Exit(EXIT_FAILED) from None
