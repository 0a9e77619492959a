"""Tables of players, slots, chat, leaving and outcomes."""
