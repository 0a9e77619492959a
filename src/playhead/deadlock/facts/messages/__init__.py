"""Chat, voice, signals and commands."""
