"""Units: their history from the tracker's events, their lives and spans, and the units alive at a loop."""
