"""A replay file from its archive to its players: `HotsRecording`, and the facts of `Info`."""
