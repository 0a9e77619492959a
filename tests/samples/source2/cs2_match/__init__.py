"""A written CS2 match of any length, with the story that it tells."""
