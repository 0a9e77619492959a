"""Facts that several games on the engine have alike."""
