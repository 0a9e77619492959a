"""Tables of places: bases, creep, engagements."""
