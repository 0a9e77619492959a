"""The arguments of one command: argparse, in any order, with values that may begin with a dash."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence

from playhead.runtime.typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from pathlib import Path


EXAMPLES = {
    "info": ("replays/", "match.dem --json"),
    "tables": ("match.dem", "replays/ --json"),
    "events": ("match.dem --kind chat_sent,player_killed", "match.dem --from 5:00 --to 6:30 --player Ferris"),
    "at": ("match.dem 12:30", "match.dem 'R3 0:40' --player Ferris"),
    "diff": ("before.dem after.dem", "a.SC2Replay b.SC2Replay --table units"),
    "verify": ("match.dem", "replays/ --json"),
    "export": ("match.dem -o out", "replays/ -o lake --table kills --table players"),
    "sql": (
        '"SELECT map, count(*) FROM info GROUP BY map" replays/',
        '"SELECT * FROM kills" match.dem --format csv -o kills.csv',
    ),
    "stats": ("replays/", "lake --by player,map --least 5 --sort wins"),
    "view": ("match.dem", "replays/"),
    "report": ("match.dem -o match.html", "match.dem --from 5:00 --to 6:30 -o fight.html"),
    "site": ("replays/ -o site", "replays/ -o site --title Season"),
    "lake status": ("lake", "lake --json"),
    "lake problems": ("lake", "lake --json"),
    "lake retry": ("lake", "lake --json"),
    "lake check": ("lake", "lake --repair"),
    "lake compact": ("lake", "s3://bucket/lake"),
    "lake remove": ("lake SHA256", "s3://bucket/lake SHA256 SHA256"),
    "lake publish": ("lake -o dataset", "lake -o dataset --train 0.9 --validation 0.05"),
    "serve": ("lake", "lake --port 8080"),
    "mcp": ("replays/", "lake"),
    "sc2 buildorder": ("game.SC2Replay", "season/ --player Needle --no-workers"),
    "sc2 coach": ("game.SC2Replay --against pro.SC2Replay", "season/ --player Needle"),
    "ddnet runs": ("recordings/", "run.teehistorian --json"),
    "ddnet verify-runs": ("recordings/ --maps maps/", "run.teehistorian --map Tutorial.map"),
    "ddnet simulate": ("run.teehistorian --map Tutorial.map", "run.teehistorian --maps maps/ --demo run.demo"),
    "ddnet find": ("recordings/ --player nameless", "recordings/ --command 'kick*' --glob"),
    "ddnet patterns": ("recordings/", "run.teehistorian --player brownbear"),
    "source2 messages": ("match.dem --count", "match.dem --name 'DOTA_UM_*' --limit 10"),
    "source2 schema": ("match.dem --grep Hero", "before.dem after.dem"),
    "source2 voice": ("match.dem -o voices", "match.dem.xz -o voices"),
    "slice": ("match.dem --from 5:00 --to 6:30 -o fight.dem", "match.dem --round 3 -o round3.dem"),
    "anonymize": ("game.SC2Replay -o shared.SC2Replay", "replays/ -o shared --salt SECRET"),
    "sample": ("replays", "replays --game sc2"),
}


Number = TypeVar("Number", int, float)

#: Something could not be read or written.
EXIT_FAILED = 1
EXIT_USAGE = 2
#: All was read, with problems.
EXIT_PROBLEMS = 3


class Exit(Exception):
    """Ends the command with an exit status, after everything has been printed.

    Attributes:
        status: the exit status.
    """

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class UsageError(Exception):
    """The command line is wrong; `option` names the option or argument that is."""

    def __init__(self, text: str, option: str | None = None) -> None:
        super().__init__(text if option is None else f"{option}: {text}")


class Parser(argparse.ArgumentParser):
    """Parses the words after a command's name.

    Attributes:
        declared: the options and arguments, in their order.
    """

    # argparse makes a formatter for each option, to check it; only the help needs the terminal's width.
    _width = 80

    def __init__(self, name: str, description: str) -> None:
        self.declared: list[argparse.Action] = []
        super().__init__(prog=name, description=description, formatter_class=self._formatter, allow_abbrev=False)

    def _formatter(self, prog: str) -> argparse.HelpFormatter:
        return _HelpFormatter(prog, width=self._width)

    def _fit(self) -> None:
        import shutil  # it opens all libraries of compression

        self._width = shutil.get_terminal_size().columns - 2

    def format_usage(self) -> str:
        self._fit()
        return super().format_usage()

    def format_help(self) -> str:
        self._fit()
        return super().format_help() + self._examples()

    def _examples(self) -> str:
        lines = [f"  {self.prog} {words}\n" for words in EXAMPLES.get(self.prog.removeprefix("playhead "), ())]
        return "".join(["\nexamples:\n", *lines]) if lines else ""

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """Add an option or argument; its help ends in its default."""
        text = settings.get("help", "").replace("%", "%%")
        if settings.get("default") not in (None, False, True, "", argparse.SUPPRESS):
            text += " [default: %(default)s]"
        action = super().add_argument(*names, **{**settings, "help": text})
        self.declared.append(action)
        self.usage = " ".join(["%(prog)s [options]", *self._required()]).replace("N%", "N%%")
        return action

    def option(self, names: str, text: str, **settings: Any) -> None:
        """Add an option with a value: ``"-o --output DIR"``, or without a word for a value of `choices`."""
        words = names.split()
        if not words[-1].startswith("-"):
            settings["metavar"] = words.pop()
        self.add_argument(*words, help=text, **settings)

    def switch(self, name: str, text: str) -> None:
        """Add an option that is on by default, with ``--no-NAME`` to turn it off."""
        self.add_argument(name, action=argparse.BooleanOptionalAction, default=True, help=text)

    def flag(self, name: str, text: str, **settings: Any) -> None:
        """Add an option without a value."""
        self.add_argument(name, action="store_true", help=text, **settings)

    def _required(self) -> Iterator[str]:
        for action in self.declared:
            if action.option_strings and action.required:
                yield f"{action.option_strings[0]} {action.metavar}"
            elif not action.option_strings:
                yield str(action.metavar)

    def parse(self, words: Sequence[str]) -> dict[str, Any]:
        """Return the values of all options and arguments, by name.

        Raises:
            UsageError: a word is wrong or missing.
            Exit: help was printed.
        """
        return vars(self.parse_args(self._options_first(words)))

    def _options_first(self, words: Sequence[str]) -> list[str]:
        """Join options to their values, and put the arguments last.

        argparse by itself refuses options between the arguments, and values such as ``-0:45`` or ``-=nick=-``.
        """
        known = {name: action for action in self.declared for name in action.option_strings}
        options: list[str] = []
        rest: list[str] = []
        once: set[str] = set()
        left = iter(words)
        for word in left:
            name = word.partition("=")[0] if word.startswith("--") else word[:2]
            if word == "--":
                rest += left
            elif not re.match(r"-\D", word):
                rest.append(word)
            elif name not in known:
                from playhead.text.names import unknown_name

                raise UsageError(unknown_name(name, known, "option"))
            else:
                action = known[name]
                takes_value = action.nargs != 0 and word == name
                if name in once:
                    hint = "separate several by commas" if "," in str(action.metavar) else "it takes one value"
                    raise UsageError(f"given twice; {hint}", name)
                if action.nargs != 0 and not isinstance(action, argparse._AppendAction):
                    once.update(action.option_strings)
                value = next(left, None) if takes_value else None
                equals = "=" if word.startswith("--") else ""
                options.append(word if value is None else f"{word}{equals}{value}")
        return [*options, "--", *rest] if rest else options

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` instead of ending the process."""
        raise UsageError(message.removeprefix("argument "))

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raise `Exit` instead of ending the process."""
        raise Exit(status)


class _HelpFormatter(argparse.HelpFormatter):
    """Keeps the paragraphs of a description apart."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(prog, max_help_position=32, **settings)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = re.split(r"\n\s*\n", text.strip())
        return "\n\n".join(super(_HelpFormatter, self)._fill_text(each, width, indent) for each in paragraphs)


#: Numbers that fit into 64 bits, as tables have them.
_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1


def bounded(kind: type[Number], least: Number, greatest: Number | None = None) -> Callable[[str], Number]:
    """Return a `type` for `Parser.add_argument`: a number from `least` to `greatest`, by default of 64 bits."""

    def parsed(text: str) -> Number:
        value = kind(text)
        if kind is int and not _LEAST <= value <= _GREATEST:
            raise argparse.ArgumentTypeError(f"expected a number of at most 64 bits, got {text[:40]}")
        if value < least or (greatest is not None and value > greatest):
            bound = f"at least {least}" if greatest is None else f"{least} to {greatest}"
            raise argparse.ArgumentTypeError(f"expected {bound}, got {text}")
        return value

    parsed.__name__ = "whole number" if kind is int else "number"
    return parsed


#: A `type` for `Parser.add_argument`: a whole number of at most 64 bits.
whole_number = bounded(int, _LEAST)


def any_path(text: str) -> Path:
    """A `type` for `Parser.add_argument`: a path."""
    from pathlib import Path  # a help needs none

    return Path(text)


def existing_path(text: str) -> Path:
    """A `type` for `Parser.add_argument`: the path of a file or folder that exists."""
    path = any_path(text)
    if not path.exists():
        raise argparse.ArgumentTypeError(f"there is no file or folder {text}")
    return path


def existing_file(text: str) -> Path:
    """A `type` for `Parser.add_argument`: the path of a file that exists."""
    path = any_path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return path
