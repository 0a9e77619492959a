"""Tables with one row per message: orders, signals, voice, effects."""
