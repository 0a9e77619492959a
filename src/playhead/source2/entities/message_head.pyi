from typing import final

@final
class MessageHead:
    def __init__(self) -> None: ...
