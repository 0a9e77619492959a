"""Demos of DDNet's client: what to write on each tick, the file, and its compression."""
