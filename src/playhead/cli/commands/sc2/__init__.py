"""StarCraft II: build orders, and why players lost."""
