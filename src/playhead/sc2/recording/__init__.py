"""A replay file from its archive to its players: `Container`, `Members`, `Streams`, `Sc2Recording`."""
