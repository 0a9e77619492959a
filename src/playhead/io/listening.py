"""The address at which a server of this machine listens."""

from __future__ import annotations

import socket


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that accepts connections at once: a reader of its address may ask before the server runs.

    uvicorn's own way to bind ends the process if it fails.

    Raises:
        OSError: the port is taken, or the host is none of this machine.
    """
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
