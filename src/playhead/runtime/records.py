"""Dataclasses and named tuples that are cheap to declare, because most of each class is made on first use.

The `dataclasses` of the standard library import inspect, ast, dis and tokenize and compile six methods of every
class. With them the first file of a process takes 1.32 to 1.41 times as long, and `playhead info` 1.16 to 1.45
times. Here ``__init__`` is compiled when a class has made `_FEW` objects, all classes share the other methods, and
the attributes for the functions of `dataclasses` are made on first access. Type checkers see the standard
library's own.

`NamedTuple` does the same with ``__new__``: `collections.namedtuple` compiles one and makes five functions for
every class.

Not supported, because unused: ``InitVar``, ``order``, ``unsafe_hash`` and ``init=False``.
"""

from __future__ import annotations

import sys
from collections import _tuplegetter  # type: ignore[attr-defined]
from operator import attrgetter
from reprlib import recursive_repr

__all__ = ["NamedTuple", "asdict", "dataclass", "field", "field_names", "fields", "replace"]

TYPE_CHECKING = False  # `typing` is not imported; type checkers take it for True
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from dataclasses import asdict, dataclass, field, fields, replace
    from typing import Any, NamedTuple


class _Unset:
    """The value of an argument that was not given."""

    def __repr__(self) -> str:
        return "<default of the factory>"


_UNSET = _Unset()
_set = object.__setattr__

#: So many objects of a class are made before its ``__init__`` or ``__new__`` is compiled, which takes as long as
#: making some eighty without: most classes of a start make fewer.
_FEW = 20


class _Spec:
    """The arguments of `field`."""

    __slots__ = ("arguments", "compare", "default", "default_factory", "hash", "kw_only", "repr")

    def __init__(self, **given: Any) -> None:
        self.arguments = given
        self.default = given.get("default", _UNSET)
        self.default_factory = given.get("default_factory", _UNSET)
        self.repr: bool = given.get("repr", True)
        self.compare: bool = given.get("compare", True)
        self.hash: bool = self.compare if given.get("hash") is None else given["hash"]
        self.kw_only: bool = given.get("kw_only", False)


class _Declared:
    """The declaration of a class.

    Attributes:
        owner: the class.
        types: annotation of each field by name, those of bases first.
        specs: arguments of each field.
        options: arguments of the decorator.
        placed: names of the fields that a call may give by their place.
    """

    __slots__ = ("compared", "hashed", "options", "owner", "placed", "shown", "specs", "types")

    owner: type[Any]

    def __init__(self, types: dict[str, str], specs: dict[str, _Spec], options: dict[str, bool]) -> None:
        self.types = types
        self.specs = specs
        self.options = options
        self.placed = tuple([name for name, spec in specs.items() if not spec.kw_only])
        self.compared = _values_of([name for name, spec in specs.items() if spec.compare])
        self.hashed = _values_of([name for name, spec in specs.items() if spec.hash])
        self.shown = [name for name, spec in specs.items() if spec.repr]

    def make_init(self) -> None:
        """Compile ``__init__``, for a class of many objects, for arguments that do not fit, or for
        `inspect.signature`."""
        known: dict[str, Any] = {"_set": _set, "_unset": _UNSET}
        by_place: list[str] = []
        by_name: list[str] = []
        body: list[str] = []
        for name, spec in self.specs.items():
            parameter = name
            if spec.default is not _UNSET:
                if spec.default.__class__.__hash__ is None:
                    raise ValueError(f"mutable default of {self.owner.__name__}.{name}: use default_factory")
                known[f"_default_{name}"] = spec.default
                parameter = f"{name}=_default_{name}"
            elif spec.default_factory is not _UNSET:
                known[f"_make_{name}"] = spec.default_factory
                parameter = f"{name}=_unset"
                body.append(f"if {name} is _unset: {name} = _make_{name}()")
            (by_name if spec.kw_only else by_place).append(parameter)
            body.append(f"_set(self, {name!r}, {name})" if self.options["frozen"] else f"self.{name} = {name}")
        if hasattr(self.owner, "__post_init__"):
            body.append("self.__post_init__()")
        parameters = ", ".join(["self", *by_place, *(["*", *by_name] if by_name else [])])
        lines = "\n  ".join(body or ["pass"])
        exec(f"def __init__({parameters}):\n  {lines}", known)  # names of fields only, no text of a file
        init = known["__init__"]
        init.__qualname__ = f"{self.owner.__qualname__}.__init__"
        init.__module__ = self.owner.__module__
        init.__annotations__ = {**self.types, "return": None}
        type.__setattr__(self.owner, "__init__", init)

    def values(self, args: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any] | None:
        """Return the value of each field by name; None if the arguments do not fit, or a default is refused."""
        values = dict(zip(self.placed, args, strict=False))
        if len(args) > len(self.placed) or not values.keys().isdisjoint(given):
            return None
        values.update(given)
        for name, spec in self.specs.items():
            if name not in values:
                if spec.default is not _UNSET and spec.default.__class__.__hash__ is not None:
                    values[name] = spec.default
                elif spec.default_factory is not _UNSET:
                    values[name] = spec.default_factory()
                else:
                    return None
        return values if len(values) == len(self.specs) else None

    def make_standard(self) -> None:
        """Add the attributes that the functions of `dataclasses` read, taken from a dataclass with the same
        fields."""
        import dataclasses

        options: Any = self.options
        same = dataclasses.make_dataclass(
            self.owner.__name__,
            [(name, self.types[name], dataclasses.field(**spec.arguments)) for name, spec in self.specs.items()],
            namespace={"__module__": self.owner.__module__},
            **options,
        )
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            type.__setattr__(self.owner, name, getattr(same, name))


class _Slots(dict[str, "str | None"]):
    """The names of slots, each with its meaning under ``Attributes:`` of the class's docstring, for `help`."""

    def __init__(self, names: Iterable[str], doc: str | None) -> None:
        super().__init__(dict.fromkeys(names))
        self._doc = doc or ""

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __getitem__(self, name: str) -> str | None:
        import inspect
        import re

        # Python 3.13 takes the indent of a docstring away when it compiles.
        section = inspect.cleandoc(self._doc).partition("Attributes:\n")[2]
        for names, text in re.findall(r"^ {4}([\w, ]+): (.+(?:\n {8}.+)*)", section, re.MULTILINE):
            if name in names.split(", "):
                return " ".join(text.split())
        return None


def _values_of(names: list[str]) -> Callable[[object], tuple[Any, ...]]:
    """Return a function that returns these attributes of an object as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda held: tuple([getattr(held, name) for name in names])


class _Later:
    """An attribute of a class that `_Declared.make_standard` sets on first access."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, held: object, owner: Any) -> Any:
        declared: _Declared = owner.__declared__
        declared.make_standard()
        return declared.owner.__dict__[self._name]


class _Signature:
    """``__signature__`` as None: the access makes ``__init__``, which `inspect.signature` reads next."""

    __slots__ = ()

    def __get__(self, held: object, owner: Any) -> None:
        declared: _Declared = owner.__declared__
        declared.make_init()
        type.__setattr__(declared.owner, "__signature__", None)


def _first_init(declared: _Declared) -> Callable[..., None]:
    """Return the ``__init__`` of the first objects of a class."""
    left = _FEW

    def __init__(self: Any, *args: Any, **given: Any) -> None:
        nonlocal left
        left -= 1
        values = declared.values(args, given) if left > 0 else None
        if values is None:
            declared.make_init()
            declared.owner.__init__(self, *args, **given)
            return
        put = _set if declared.options["frozen"] else setattr
        for name in declared.specs:
            put(self, name, values[name])
        if hasattr(declared.owner, "__post_init__"):
            self.__post_init__()

    return __init__


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = self.__declared__.compared
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(self.__declared__.hashed(self))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.__declared__.shown])
    return f"{self.__class__.__qualname__}({shown})"


def _refuse_set(self: Any, name: str, value: Any) -> None:
    declared: _Declared = self.__declared__
    if type(self) is declared.owner or name in declared.specs:
        raise _frozen(f"cannot assign to field {name!r}")
    super(declared.owner, self).__setattr__(name, value)


def _refuse_delete(self: Any, name: str) -> None:
    declared: _Declared = self.__declared__
    if type(self) is declared.owner or name in declared.specs:
        raise _frozen(f"cannot delete field {name!r}")
    super(declared.owner, self).__delattr__(name)


def _frozen(text: str) -> AttributeError:
    from dataclasses import FrozenInstanceError

    return FrozenInstanceError(text)


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__declared__.specs]


def _set_state(self: Any, state: Iterable[Any]) -> None:
    for name, value in zip(self.__declared__.specs, state, strict=True):
        _set(self, name, value)


def _declare(cls: type[Any], *, slots: bool, eq: bool, repr: bool, frozen: bool) -> type[Any]:
    types: dict[str, str] = {}
    specs: dict[str, _Spec] = {}
    for base in cls.__mro__[-2:0:-1]:
        inherited = base.__dict__.get("__declared__")
        if inherited is not None:
            types.update(inherited.types)
            specs.update(inherited.specs)
        elif "__dataclass_fields__" in base.__dict__:
            raise TypeError(f"{cls.__name__} extends {base.__name__}, a dataclass of the standard library")
    space = dict(cls.__dict__)
    own = [name for name, kind in space.get("__annotations__", {}).items() if not kind.startswith("ClassVar")]
    for name in own:
        value = space.pop(name, _UNSET)
        if not isinstance(value, _Spec):
            value = _Spec() if value is _UNSET else _Spec(default=value)
        types[name] = space["__annotations__"][name]
        specs[name] = value
    declared = _Declared(types, specs, {"eq": eq, "frozen": frozen, "repr": repr})
    made: dict[str, Any] = {
        "__declared__": declared,
        "__init__": _first_init(declared),
        "__match_args__": declared.placed,
        "__signature__": _Signature(),
        "__dataclass_fields__": _Later("__dataclass_fields__"),
        "__dataclass_params__": _Later("__dataclass_params__"),
    }
    if repr:
        made["__repr__"] = space.get("__repr__", _repr)
    if eq:
        # Python itself sets __hash__ to None where a class has an __eq__ of its own.
        if space.get("__hash__") is None:
            made["__hash__"] = _hash if frozen else None
        made["__eq__"] = space.get("__eq__", _eq)
    if frozen:
        made.update(__setattr__=_refuse_set, __delattr__=_refuse_delete)
        if slots:
            made["__getstate__"] = space.get("__getstate__", _state)
            made["__setstate__"] = space.get("__setstate__", _set_state)
    if slots:
        taken = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
        made["__slots__"] = _Slots([name for name in specs if name not in taken], cls.__doc__)
        for name in ("__dict__", "__weakref__"):
            space.pop(name, None)
        qualified = cls.__qualname__
        metaclass: Any = type(cls)
        cls = metaclass(cls.__name__, cls.__bases__, space | made)
        cls.__qualname__ = qualified
    else:
        for name in own:
            if specs[name].default is not _UNSET:
                made[name] = specs[name].default
            elif name in cls.__dict__:
                delattr(cls, name)
        for name, value in made.items():
            setattr(cls, name, value)
    declared.owner = cls
    return cls


class _TupleSignature:
    """As `_Signature`, of a named tuple."""

    __slots__ = ()

    def __get__(self, held: object, owner: Any) -> None:
        _make_new(next(base for base in owner.__mro__ if "_fields" in base.__dict__))


def _first_new(owner: Any) -> Callable[..., Any]:
    """Return the ``__new__`` of the first objects of a named tuple."""
    left = _FEW
    fields, defaults = owner._fields, owner._field_defaults

    def __new__(_cls: Any, *values: Any, **given: Any) -> Any:
        nonlocal left
        left -= 1
        rest = fields[len(values) :]
        fits = given.keys() <= set(rest) and all(name in given or name in defaults for name in rest)
        if left <= 0 or not fits or len(values) + len(rest) > len(fields):
            return _make_new(owner)(_cls, *values, **given)
        return tuple.__new__(_cls, (*values, *[given[name] if name in given else defaults[name] for name in rest]))

    return __new__


def _make_new(owner: Any) -> Any:
    """Compile ``__new__`` of a named tuple, for many objects, for arguments that do not fit, or for
    `inspect.signature`."""
    names = ", ".join(owner._fields)
    made: Any = eval(
        f"lambda _cls, {names}: _new(_cls, ({names},))", {"_new": tuple.__new__}
    )  # names of fields only
    made.__name__, made.__qualname__ = "__new__", f"{owner.__name__}.__new__"
    made.__defaults__ = tuple(owner._field_defaults.values())
    made.__annotations__ = owner.__annotations__
    owner.__new__ = staticmethod(made)
    owner.__signature__ = None
    return made


def _make(cls: Any, values: Iterable[Any]) -> Any:
    made = tuple.__new__(cls, values)
    if len(made) != len(cls._fields):
        raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
    return made


def _replace(self: Any, /, **changes: Any) -> Any:
    made = self._make(map(changes.pop, self._fields, self))
    if changes:
        raise ValueError(f"Got unexpected field names: {list(changes)!r}")
    return made


def _asdict(self: Any) -> dict[str, Any]:
    return dict(zip(self._fields, self, strict=True))


def _plain(self: Any) -> tuple[Any, ...]:
    return tuple(self)


def _repr_tuple(self: Any) -> str:
    shown = ", ".join([f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)])
    return f"{self.__class__.__name__}({shown})"


def _declare_tuple(name: str, space: dict[str, Any]) -> Any:
    types: dict[str, str] = space.get("__annotations__", {})
    fields = tuple(types)
    defaults = {each: space[each] for each in fields if each in space}
    made = {
        "__doc__": f"{name}({', '.join(fields)})",
        **space,
        **{each: _tuplegetter(place, f"Alias for field number {place}") for place, each in enumerate(fields)},
        "__slots__": (),
        "__annotations__": types,
        "__match_args__": fields,
        "__signature__": _TupleSignature(),
        "__repr__": space.get("__repr__", _repr_tuple),
        "__getnewargs__": _plain,
        "_asdict": _asdict,
        "_field_defaults": defaults,
        "_fields": fields,
        "_make": classmethod(_make),
        "_replace": _replace,
    }
    if sys.version_info >= (3, 13):
        made["__replace__"] = _replace
    owner: Any = type(name, (tuple,), made)
    owner.__new__ = staticmethod(_first_new(owner))
    owner.__new__.__annotations__ = types
    return owner


def field_names(held: Any) -> tuple[str, ...]:
    """Names of the fields of a dataclass or of one of its objects, in their order; of anything else none."""
    declared: _Declared | None = getattr(held, "__declared__", None)
    if declared is not None:
        return tuple(declared.specs)
    return tuple([each.name for each in fields(held)]) if hasattr(held, "__dataclass_fields__") else ()


if not TYPE_CHECKING:

    class _TupleDeclaration(type):
        def __new__(cls, name, bases, space):
            if not bases:
                return super().__new__(cls, name, bases, space)
            return _declare_tuple(name, space)

    class NamedTuple(metaclass=_TupleDeclaration):
        """As `typing.NamedTuple`."""

    def dataclass(cls=None, /, *, slots=False, eq=True, repr=True, frozen=False):
        """As `dataclasses.dataclass`."""
        if cls is None:
            return lambda cls: _declare(cls, slots=slots, eq=eq, repr=repr, frozen=frozen)
        return _declare(cls, slots=slots, eq=eq, repr=repr, frozen=frozen)

    def field(**given):
        """As `dataclasses.field`."""
        return _Spec(**given)

    def fields(held):
        """As `dataclasses.fields`."""
        import dataclasses

        return dataclasses.fields(held)

    def asdict(held):
        """As `dataclasses.asdict`."""
        import dataclasses

        return dataclasses.asdict(held)

    def replace(held, /, **changes):
        """As `dataclasses.replace`."""
        declared = getattr(held, "__declared__", None)
        if declared is None or declared.owner is not type(held):
            import dataclasses

            return dataclasses.replace(held, **changes)
        for name in declared.specs:
            if name not in changes:
                changes[name] = getattr(held, name)
        return type(held)(**changes)
