"""The service of ``playhead serve``: replays in by HTTP, JSON and tables out."""

from __future__ import annotations

from playhead.service.access import Tokens, allowed
from playhead.service.app import run_service
from playhead.service.bounds import Bounds

__all__ = ["Bounds", "Tokens", "allowed", "run_service"]
