"""Players at fixed time steps, and the same as arrays for models."""
