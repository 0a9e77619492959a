"""`playhead.runtime.records` behaves as `dataclasses`: each behaviour is compared with the standard library's."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import pydoc
import subprocess
import sys
import typing
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

from playhead.io.stream import Follow
from playhead.limits import Limits
from playhead.model import Check, Info, Options, Player, Problem
from playhead.presentation import Mark
from playhead.runtime import records

#: The library to test, and what it is compared with.
LIBRARIES: Mapping[str, Any] = {"records": records, "dataclasses": dataclasses}


@pytest.fixture(params=[1, records._FEW], ids=["compiled", "first objects"], autouse=True)
def _(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first objects of a class are made without compiling a method for them; both ways have to be alike."""
    monkeypatch.setattr(records, "_FEW", request.param)


def declare(library: Any, **options: Any) -> tuple[type[Any], type[Any]]:
    """A base and a class that has every kind of field, under the decorator of a library."""

    @library.dataclass(**options)
    class Base:
        """A base."""

        shared: ClassVar[int] = 3
        number: int
        named: str = "x"

    @library.dataclass(**options)
    class Whole(Base):
        items: list[int] = library.field(default_factory=list, hash=False)
        secret: float = library.field(default=0.5, repr=False, compare=False)
        role: str = library.field(default="", kw_only=True)

        @property
        def twice(self) -> int:
            return 2 * self.number

    return Base, Whole


def outcome(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except Exception as error:
        return type(error), str(error).replace("declare.<locals>.", "")


BEHAVIOURS: Mapping[str, Callable[[Any, Any], Any]] = {
    "repr": lambda base, whole: (repr(base(1)), repr(whole(1, "y", [2], role="r"))),
    "equal": lambda base, whole: (whole(1) == whole(1), whole(1, secret=1.0) == whole(1), whole(1) == whole(2)),
    "equal to others": lambda base, whole: (base(1) == whole(1), base(1) == 1, base(1) != base(2)),
    "hash": lambda base, whole: (hash(base(1)), hash(whole(1, role="r"))),
    "defaults": lambda base, whole: (whole(1).items, whole(1).items is whole(1).items, base.shared),
    "property": lambda base, whole: whole(4).twice,
    "copies": lambda base, whole: (copy.copy(whole(1, items=[3])) == whole(1, items=[3]), copy.deepcopy(base(2))),
    "set": lambda base, whole: outcome(lambda: setattr(whole(1), "number", 2)),
    "delete": lambda base, whole: outcome(lambda: delattr(base(1), "named")),
    "set another": lambda base, whole: outcome(lambda: setattr(base(1), "other", 2)),
    "too few": lambda base, whole: outcome(base),
    "too many": lambda base, whole: outcome(lambda: whole(1, "a", [], 0.0, "role")),
    "unknown": lambda base, whole: outcome(lambda: base(1, other=2)),
    "match": lambda base, whole: (base.__match_args__, whole.__match_args__),
    "slots": lambda base, whole: (base.__dict__.get("__slots__"), whole.__dict__.get("__slots__")),
    "signature": lambda base, whole: (str(inspect.signature(whole)), str(inspect.signature(base))),
    "fields": lambda base, whole: [
        (f.name, f.type, f.default, f.compare, f.kw_only) for f in dataclasses.fields(whole)
    ],
    "fields of one": lambda base, whole: [f.name for f in dataclasses.fields(base(1))],
    "is_dataclass": lambda base, whole: (dataclasses.is_dataclass(base), dataclasses.is_dataclass(whole(1))),
    "asdict": lambda base, whole: dataclasses.asdict(whole(1, items=[2])),
    "astuple": lambda base, whole: dataclasses.astuple(whole(1)),
    "replace": lambda base, whole: repr(dataclasses.replace(whole(1, role="r"), number=2)),
    "own asdict, fields": lambda base, whole: (records.asdict(base(1)), [f.name for f in records.fields(base)]),
    "own replace": lambda base, whole: repr(records.replace(whole(1, role="r"), number=2)),
    "subclass": lambda base, whole: extended(base),
    "standard subclass": lambda base, whole: standard(base),
}


def extended(base: Any) -> Any:
    class Extended(base):
        pass

    made = Extended(5)
    made.more = 1
    return (
        [repr(made).replace("extended.<locals>.", ""), made == Extended(5), made == base(5), made.more],
        outcome(lambda: setattr(made, "number", 1)),
        repr(records.replace(made, number=6)),
        str(inspect.signature(Extended)),
    )


def standard(base: Any) -> Any:
    def declared() -> Any:
        @dataclasses.dataclass
        class Extended(base):
            more: int = 7

        return repr(Extended(1)).replace("standard.<locals>.declared.<locals>.", "")

    return outcome(declared)


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_a_class_does_what_a_dataclass_does(behaviour: str, slots: bool, frozen: bool) -> None:
    if behaviour in ("set another", "subclass") and slots and frozen:
        pytest.skip("dataclasses raises a TypeError about super() there")
    ours, theirs = (
        outcome(lambda library=library: BEHAVIOURS[behaviour](*declare(library, slots=slots, frozen=frozen)))
        for library in LIBRARIES.values()
    )
    assert repr(ours).replace("<default of the factory>", "<factory>") == repr(theirs)


@pytest.mark.parametrize("own", ["__repr__", "__eq__", "__hash__", "__getstate__"])
def test_a_method_of_the_class_itself_stays(own: str) -> None:
    @records.dataclass(frozen=True, slots=True)
    class Own:
        number: int = 1
        locals()[own] = lambda *_: "own"

    assert getattr(Own, own)(1) == "own"


def test_without_eq_and_repr_they_are_those_of_the_base() -> None:
    @records.dataclass(slots=True, eq=False, repr=False)
    class Plain:
        number: int

    assert Plain.__eq__ is object.__eq__
    assert Plain.__hash__ is object.__hash__
    assert Plain.__repr__ is object.__repr__


def test_an_object_that_holds_itself_is_shown() -> None:
    @records.dataclass(slots=True)
    class Holder:
        held: Any = None

    held = Holder()
    held.held = held
    assert repr(held).endswith("Holder(held=...)")


def test_what_is_not_a_number_is_equal_where_it_is_the_same() -> None:
    @records.dataclass(slots=True)
    class One:
        number: float

    number = float("nan")
    assert One(number) == One(number)
    assert One(number) != One(float("nan"))


def test_a_mutable_default_is_refused() -> None:
    @records.dataclass(slots=True)
    class Shared:
        items: list[int] = []  # noqa: RUF012

    with pytest.raises(ValueError, match=r"mutable default of Shared\.items"):
        Shared()


def test_a_base_of_the_standard_library_is_refused() -> None:
    @dataclasses.dataclass
    class Base:
        number: int

    with pytest.raises(TypeError, match="Base, a dataclass of the standard library"):

        @records.dataclass
        class _Extended(Base):
            more: int


def test_names_of_fields() -> None:
    for library in LIBRARIES.values():
        base, whole = declare(library)
        names = ("number", "named", "items", "secret", "role")
        assert (records.field_names(base(1)), records.field_names(whole)) == (names[:2], names)
    assert records.field_names("none") == ()


def test_records_are_pickled() -> None:
    player = Player(1, "name", details={"a": 1})
    assert pickle.loads(pickle.dumps(player)) == player


@pytest.mark.parametrize("kind", [Info, Player, Problem, Check, Options, Limits])
def test_types_of_fields_are_told(kind: type[Any]) -> None:
    code = "import sys, typing, playhead.limits, playhead.model as m; k = getattr(m, sys.argv[1]); "
    code += "print(*typing.get_type_hints(k))"
    command = [sys.executable, "-c", code, kind.__name__]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert shown == [*kind.__annotations__]


def test_a_signature_shows_the_types_before_there_is_an_object() -> None:
    code = "import inspect; from playhead.model import Problem; print(inspect.signature(Problem))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert shown == (
        "(where: 'str', offset: 'int | None', tick: 'int | None', what: 'str', cost: 'str', "
        "kind: 'str' = 'CorruptReplay') -> None"
    )


def test_rows_have_the_fields_in_their_order() -> None:
    assert [*Info("f", "g", "s", True).as_dict()][:3] == ["format", "game", "source"]


def points(base: Any) -> Any:
    class Point(base):
        """A point."""

        x: int
        y: float | None = None
        z: int = 7

        @property
        def twice(self) -> int:
            return 2 * self.x

        def __str__(self) -> str:
            return f"at {self.x}"

    return Point


def test_a_named_tuple_is_that_of_typing() -> None:
    shown = []
    for base in (records.NamedTuple, typing.NamedTuple):
        point = points(base)
        one = point(1, z=3)
        shown.append(
            (
                [
                    one,
                    one._asdict(),
                    str(one),
                    repr(one),
                    one.twice,
                    one._replace(y=2.0),
                    hash(one),
                    one == (1, None, 3),
                ],
                [point._fields, point._field_defaults, point.__doc__, point.__match_args__, point.__bases__],
                [point.__qualname__, point.__module__, point._make([4, 5, 6]), copy.deepcopy(one)],
                [name for name in dir(point) if name != "__signature__"],
                [list(point.__annotations__), list(point.__new__.__annotations__), str(inspect.signature(point))],
                [outcome(lambda point=point: point()), outcome(lambda one=one: setattr(one, "x", 2))],
            )
        )
    ours, theirs = (repr(each).replace("ForwardRef(", "").replace("')", "'") for each in shown)
    assert ours.replace("')", "'") == theirs.replace("'__orig_bases__', ", "")


def test_named_tuples_of_modules_are_pickled() -> None:
    mark = Mark("tower", 1.0, 2.0)
    assert pickle.loads(pickle.dumps(mark)) == mark


def test_help_shows_the_meaning_of_a_field() -> None:
    assert inspect.getdoc(Limits.string) == "one text of a teehistorian message."
    assert (inspect.getdoc(Limits.rows) or "").endswith("in addition to one per 16 bytes of the demo.")
    shown = pydoc.render_doc(Follow, renderer=pydoc.plaintext)
    assert "seconds between two checks." in shown.partition("descriptors")[2]


def test_a_class_of_many_objects_compiles_its_methods() -> None:
    base, _ = declare(records)
    point = points(records.NamedTuple)
    first = base.__init__, point.__new__
    made = [(base(number), point(number, z=3)) for number in range(records._FEW + 1)]
    assert base.__init__ is not first[0]
    assert point.__new__ is not first[1]
    assert [(one.number, one.named, two) for one, two in made] == [
        (number, "x", (number, None, 3)) for number in range(records._FEW + 1)
    ]
