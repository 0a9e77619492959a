from typing import final

@final
class DeletionLists:
    def __init__(self) -> None: ...
