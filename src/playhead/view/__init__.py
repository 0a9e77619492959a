"""The viewer: ``playhead view`` serves it to this machine, ``playhead report`` writes it into one file."""

from __future__ import annotations

from playhead.view.match import MapFile
from playhead.view.report import write_report
from playhead.view.server import serve

__all__ = ["MapFile", "serve", "write_report"]
