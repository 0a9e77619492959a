"""Many replays as one: a corpus that decodes, a lake that reads, and the verbs that they share."""
