"""From replays to rows in a lake: identify, read in worker processes, write, commit."""
