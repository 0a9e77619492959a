"""Tables of whole event streams, and of the checks that players' games agreed."""
