"""Writers of demos: frames, messages, send tables, entities; slices of a recording."""
