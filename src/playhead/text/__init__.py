"""Text that playhead writes: JSON, HTML, and text that is safe to print."""
