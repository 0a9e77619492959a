"""This room owns the page of one recording: its answers, and ``playhead report``, which writes both into one file.
`playhead.web` serves it."""

from __future__ import annotations

from playhead.view.match import MapFile
from playhead.view.report import write_report

__all__ = ["MapFile", "write_report"]
