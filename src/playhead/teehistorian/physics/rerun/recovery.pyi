from typing import final

FAR: int

@final
class Recovery:
    def __init__(self) -> None: ...
