"""``playhead mcp``: replays for language models."""

from __future__ import annotations

from playhead.cli.arguments import Parser
from playhead.cli.inputs.options import add_files
from playhead.cli.inputs.reading import missing_input


def add_arguments(parser: Parser) -> None:
    add_files(parser)


def run(files: list[str]) -> None:
    """Serve replays to language models (MCP; extra mcp).

    The model can list and describe the replays, run bounded SQL, read states and events, draw plots and link to
    the viewer. It can read these replays and nothing else, and cannot write.
    """
    from playhead.agents.server import serve

    try:
        serve(files)
    except FileNotFoundError as error:
        raise missing_input(error) from None
