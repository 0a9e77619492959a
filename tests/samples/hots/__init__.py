"""A small synthetic replay of Heroes of the Storm."""
