"""What follows from the messages: who is connected, where every tee is, any tick by an index."""
