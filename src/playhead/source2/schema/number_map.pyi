from typing import final

@final
class NumberMap:
    def __init__(self) -> None: ...
