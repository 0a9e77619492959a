"""Tables that all games have, and how a game declares its own: `registry`. A game adds them to its registry."""
