"""Decodes bytes to messages with their ticks, and to columns of positions and inputs."""
