"""The tables of a Heroes of the Storm replay, each declared in one file; see `registry`."""
