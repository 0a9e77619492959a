"""The viewer: ``playhead view`` serves it to this machine, ``playhead report`` writes it into one file."""

from __future__ import annotations

from playhead.view.match import MapFile
from playhead.view.report import write_report
from playhead.view.server import serve, serve_shelf

__all__ = ["MapFile", "serve", "serve_shelf", "write_report"]
