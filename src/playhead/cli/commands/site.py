"""``playhead site``: many matches as static web pages."""

from __future__ import annotations

from pathlib import Path

import playhead
from playhead.cli.arguments import EXIT_FAILED, EXIT_PROBLEMS, Exit, Parser, bounded
from playhead.cli.output.standard import print_err, print_error, print_note, print_out
from playhead.runtime.workers import cores
from playhead.text.names import counted


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "inputs", metavar="FILE|DIR...", nargs="+", help="Replays, folders, patterns, packs or lists."
    )
    parser.option(
        "-o --output DIR", "Folder of the site: new, empty, or a site to add to.", type=Path, required=True
    )
    parser.option("--title TEXT", "Title of the site.", default="Matches")
    parser.option(
        "--url URL", "Where the site will be: links in chats show a picture of the match.", dest="address"
    )
    parser.option("--jobs N", "Number of processes; one per core by default.", type=bounded(int, 0))


def run(inputs: list[str], *, output: Path, title: str, address: str | None, jobs: int | None) -> None:
    """Write many matches as a web site.

    Any server can show it: a list with search, pages of matches, players and maps.

    A later run adds the matches that are new; the others are not read again. `matches.json` has the list for
    programs.
    """
    from playhead.corpus import is_lake
    from playhead.site import build_site

    corpus = playhead.scan(inputs, jobs=jobs)
    if not corpus.files:
        of_lake = next(
            (f"; {each} is a lake, whose tables are no replays" for each in inputs if is_lake(each)), ""
        )
        print_error(f"no replay in {', '.join(inputs)}{of_lake}")
        raise Exit(EXIT_FAILED)
    running = cores() if jobs is None else jobs
    try:
        made = build_site(corpus, output, title=title, address=address, jobs=running, said=print_err)
    except (OSError, ValueError) as error:
        print_error(str(error))
        raise Exit(EXIT_FAILED) from None
    for file, why in made.failed:
        print_note(f"{file}: {why}")
    print_out(f"{output}: {counted(made.matches, 'match', 'matches')}, {made.made} new, {made.bytes / 1e6:.1f} MB")
    if made.failed:
        raise Exit(EXIT_PROBLEMS if made.matches else EXIT_FAILED)
