"""For tests of formats, yours too: `playhead.testing.conformance` holds a format to what `Replay` promises."""
