"""A replay file as header, archive and streams of events: `Container`, `Streams`."""
