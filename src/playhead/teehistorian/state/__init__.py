"""State derived from the messages: connections, positions of tees, seeking by an index."""
