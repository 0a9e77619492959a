"""The viewer's page: its answers about a recording, and ``playhead report``, which writes both into one file."""

from __future__ import annotations

from playhead.view.match import MapFile
from playhead.view.report import write_report

__all__ = ["MapFile", "write_report"]
