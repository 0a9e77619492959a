"""The program itself: which commands there are, and what holds for all of them."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from playhead.text.visible import visible

#: Each command's module has a function of its name (``slice`` is a builtin: ``slice_command``). It is imported
#: when the command is run, completed or listed.
COMMANDS = (
    *("info", "events", "tables", "export", "sql", "schema", "messages", "patterns", "runs"),
    *("anonymize", "buildorder", "find", "diff", "verify", "sample", "at", "slice", "view", "report"),
    "lake",
)

#: A time may be negative.
_SETTINGS: dict[str, dict[str, Any]] = {"at": {"ignore_unknown_options": True}}


class _Commands(TyperGroup):
    """The commands, each imported when it is needed: the others would only cost time."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            self.commands[cmd_name] = _load(cmd_name)
        return self.commands.get(cmd_name)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = visible(error.message)  # it may name what a file holds
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS:
            for name in COMMANDS:  # it suggests those that are loaded
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)


def _load(name: str) -> Any:
    """Return a command as click has it."""
    module = importlib.import_module(f"playhead.cli.commands.{name}")
    if name == "lake":
        group = typer.main.get_command(module.lake)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    function = getattr(module, "slice_command" if name == "slice" else name)
    alone.command(name, context_settings=_SETTINGS.get(name))(function)
    return typer.main.get_command(alone)


app = typer.Typer(
    name="playhead",
    cls=_Commands,
    help="Game replays as data: Source 2 .dem, StarCraft II .SC2Replay, DDNet teehistorian.\n\n"
    "Exit status: 0 fine, 1 something could not be read or written, 2 usage, 3 read with problems, "
    "130 interrupted.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from playhead import __version__
        from playhead.runtime import hot

        print(f"playhead {__version__} ({hot.summary()})")
        raise typer.Exit


@app.callback()
def _everywhere(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the version, and whether the hot modules run compiled or interpreted (slow).",
        ),
    ] = False,
) -> None:
    """Holds the options that come before any command."""
