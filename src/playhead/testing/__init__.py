"""Tests for formats, including third-party ones: `playhead.testing.conformance` checks the promises of
`Replay`."""
