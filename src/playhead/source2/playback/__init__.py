"""The one driver of a recording: playing, seeking, handlers, collectors, the state at a moment."""
