"""The server of ``playhead view``, for this machine."""

from __future__ import annotations

from playhead.serve.app import serve, serve_shelf

__all__ = ["serve", "serve_shelf"]
