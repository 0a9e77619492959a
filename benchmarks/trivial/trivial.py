"""A module of one function."""


def double(number: int) -> int:
    """Return twice the number."""
    return number * 2
