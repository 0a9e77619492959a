"""The program: it finds the command that the first words name, and runs it."""

from __future__ import annotations

import os
import sys
import warnings

from playhead.cli.arguments import EXIT_USAGE, Exit, Parser, UsageError
from playhead.cli.commands import GROUPS, MOVED, TITLES, first_paragraph, load, summary
from playhead.cli.output.standard import hush, print_err, print_error, print_note, print_out

_DESCRIPTION = """Game replays as data: Source 2 .dem, StarCraft II .SC2Replay,
Heroes of the Storm .StormReplay, DDNet teehistorian.

Exit status: 0 success, 1 something could not be read or written, 2 wrong usage, 3 read with
problems, 130 interrupted, 143 terminated."""


class _GroupParser(Parser):
    """The options before a command's name; the help lists the commands."""

    def __init__(self, group: str) -> None:
        super().__init__(f"playhead {group}".rstrip(), summary(group) if group else _DESCRIPTION)
        self._group = group
        if not group:
            self.flag("--version", "Show the version, and whether hot modules run compiled.")
            for name, text in (("install", "Install completion for"), ("show", "Print the completion script of")):
                self.add_argument(
                    f"--{name}-completion",
                    metavar="SHELL",
                    nargs="?",
                    const="",
                    help=f"{text} bash, zsh, fish or powershell; $SHELL by default.",
                )
        self.usage = "%(prog)s [options] COMMAND ..."

    def _examples(self) -> str:
        return ""

    def format_help(self) -> str:
        import shutil
        import textwrap

        titles = {"commands": GROUPS[self._group]} if self._group else TITLES
        width = max(map(len, GROUPS[self._group]))
        room = max(shutil.get_terminal_size().columns - width - 4, 20)
        parts = [super().format_help()]
        for title, names in titles.items():
            parts.append(f"\n{title}:\n")
            for name in names:
                first = first_paragraph(f"{self._group} {name}".strip())
                parts.append(f"  {name:<{width}}  {textwrap.shorten(first, room, placeholder='…')}\n")
        return "".join(parts)


def run(words: list[str]) -> int:
    """Run the command that `words` name; return the exit status."""
    hush(notes=False, bars=False)
    with warnings.catch_warnings():
        warnings.showwarning = _show
        return _run(words)


def _show(message: Warning | str, *place: object, **more: object) -> None:
    """Print a warning of the library, as a note, and without the line of its code."""
    print_note(str(message))


def _run(words: list[str]) -> int:
    shell = os.environ.get("_PLAYHEAD_COMPLETE")
    if shell:
        from playhead.cli.completion import print_candidates

        print_candidates(shell, words)
        return 0
    name = ""
    parser: Parser | None = None
    try:
        while name in GROUPS:
            parser = None
            if not words or words[0].startswith("-"):
                parser = _GroupParser(name)
                return _run_options(parser, words)
            word, *words = words
            if not name and word in MOVED:
                print_note(f"`playhead {word}` is `playhead {MOVED[word]}` now; the old name works until 1.0")
                name = MOVED[word]
                break
            if word not in GROUPS[name]:
                parser = _GroupParser(name)
                from playhead.text.names import unknown_name

                raise UsageError(unknown_name(word, GROUPS[name], "command"))
            name = f"{name} {word}".strip()
        parser, command = load(name)
        given = parser.parse(words)
        hush(notes=given.pop("quiet"), bars=given.pop("no_progress"))
        command(**given)
    except Exit as end:
        return end.status
    except UsageError as error:
        if parser is not None:
            print_err(parser.format_usage().rstrip())
        print_error(str(error))
        return EXIT_USAGE
    return 0


def _run_options(parser: Parser, words: list[str]) -> int:
    """Do what the options before a command ask for; without any, print the help and fail."""
    given = vars(parser.parse_args(words))
    if given.get("version"):
        from playhead import __version__
        from playhead.runtime import hot

        print_out(f"playhead {__version__} ({hot.summary()})")
    elif given.get("install_completion") is not None:
        from playhead.cli.completion import install

        print_out(f"{install(given['install_completion'])}: completion works in the next shell")
    elif given.get("show_completion") is not None:
        from playhead.cli.completion import script

        print(script(given["show_completion"]))
    else:
        parser.print_help(sys.stderr)
        return EXIT_USAGE
    return 0
