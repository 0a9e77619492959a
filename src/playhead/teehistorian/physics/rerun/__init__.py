"""The pass over a recording: inputs that are given or predicted, other messages, and rules of server versions."""
