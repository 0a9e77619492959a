"""Replays for language models: a server of the Model Context Protocol over the replays of a folder."""

from __future__ import annotations

from playhead.agents.server import make_server, serve

__all__ = ["make_server", "serve"]
