"""`dataclass` as the standard library has it, made for many classes of which few are used.

The standard library compiles six methods of every frozen class when its module is imported, about a
millisecond each time; a start of ours imports 170 such classes and makes objects of a third. Here
the methods that need no text are shared closures, and `__init__` is compiled when a class has made
more than a few objects (ADR 0024): compiling takes as long as making fifty of them. Type checkers
see the original, and `fields`, `replace` and patterns work as usual.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

__all__ = ["dataclass"]

_OURS = {"frozen", "slots", "kw_only"}

_FEW = 30
"""Objects that are made without compiling anything."""

if not TYPE_CHECKING:

    def dataclass(cls: type | None = None, /, **options: bool) -> object:
        """Make a dataclass; only frozen ones with slots are made differently here."""

        def make(plain: type) -> type:
            if not (options.get("frozen") and options.get("slots") and set(options) <= _OURS):
                return dataclasses.dataclass(**options)(plain)
            kw_only = options.get("kw_only", False)
            made = dataclasses.dataclass(
                init=False, repr=False, eq=False, slots=True, kw_only=kw_only
            )(plain)
            return _frozen(made)

        return make if cls is None else make(cls)


def _frozen(cls: type) -> type:
    """Give a class what `dataclass(frozen=True)` gives it; what it defines itself stays."""
    fields = dataclasses.fields(cls)
    names = tuple(one.name for one in fields)
    methods: dict[str, object] = {
        "__init__": _first_init(cls),
        "__repr__": _repr(tuple(one.name for one in fields if one.repr)),
        "__setattr__": _refuse_set,
        "__delattr__": _refuse_delete,
        "__getstate__": lambda self: [getattr(self, name) for name in names],
        "__setstate__": _setstate(names),
    }
    compared = tuple(one.name for one in fields if one.compare)
    hashed = tuple(one.name for one in fields if (one.compare if one.hash is None else one.hash))
    if "__eq__" not in cls.__dict__:
        methods["__eq__"] = _eq(compared)
    if cls.__dict__.get("__hash__") is None:
        methods["__hash__"] = _hash(hashed)
    for name, method in methods.items():
        if name == "__hash__" or name not in cls.__dict__:
            type.__setattr__(cls, name, method)
    return cls


def _eq(names: tuple[str, ...]) -> Callable[[object, object], object]:
    values = attrgetter(*names) if names else _nothing

    def __eq__(self: object, other: object) -> object:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    def one_eq(self: object, other: object) -> object:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return (values(self),) == (values(other),)  # what is the same object is equal, as usual

    return one_eq if len(names) == 1 else __eq__


def _hash(names: tuple[str, ...]) -> Callable[[object], int]:
    values = attrgetter(*names) if names else _nothing
    return lambda self: hash(values(self))


def _nothing(self: object) -> tuple[()]:
    del self
    return ()


def _repr(names: tuple[str, ...]) -> Callable[[object], str]:
    @recursive_repr()
    def __repr__(self: object) -> str:
        pairs = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({pairs})"

    return __repr__


def _refuse_set(self: object, name: str, value: object) -> None:
    del self, value
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> None:
    del self
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _setstate(names: tuple[str, ...]) -> Callable[[object, list[object]], None]:
    def __setstate__(self: object, state: list[object]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return __setstate__


def _first_init(cls: type) -> Callable[..., None]:
    """Return an `__init__` for a few objects; then it puts a compiled one in its place."""
    left = _FEW
    fields: tuple[dataclasses.Field[object], ...] = ()
    names: tuple[str, ...] = ()

    def __init__(self: object, *args: object, **named: object) -> None:
        nonlocal left, fields, names
        if left == _FEW:
            fields = dataclasses.fields(cls)
            names = tuple(one.name for one in fields if not one.kw_only)
        left -= 1
        values = dict(zip(names, args, strict=False))
        if left > 0 and len(values) == len(args) and values.keys().isdisjoint(named):
            values.update(named)
            if _filled(self, fields, values):
                return
        init = _compiled(cls)  # says what is wrong with a call, too
        type.__setattr__(cls, "__init__", init)
        init(self, *args, **named)

    return __init__


def _filled(
    made: object, fields: tuple[dataclasses.Field[object], ...], values: dict[str, object]
) -> bool:
    """Set the fields of a new object; False when values do not fit them."""
    for one in fields:
        if one.name in values:
            value = values.pop(one.name)
        elif one.default is not dataclasses.MISSING:
            value = one.default
        elif one.default_factory is not dataclasses.MISSING:
            value = one.default_factory()
        else:
            return False
        object.__setattr__(made, one.name, value)
    if values:
        return False
    if hasattr(made, "__post_init__"):
        made.__post_init__()
    return True


def _compiled(cls: type) -> Callable[..., None]:
    """Compile the `__init__` of a class from its fields."""
    known: dict[str, object] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    plain: list[str] = []
    named: list[str] = []
    body: list[str] = []
    for one in dataclasses.fields(cls):
        value, default = one.name, ""
        if one.default is not dataclasses.MISSING:
            known[f"_default_{one.name}"] = one.default
            default = f"=_default_{one.name}"
        elif one.default_factory is not dataclasses.MISSING:
            known[f"_make_{one.name}"] = one.default_factory
            default = "=_missing"
            value = f"_make_{one.name}() if {one.name} is _missing else {one.name}"
        (named if one.kw_only else plain).append(f"{one.name}{default}")
        body.append(f"    _set(self, {one.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    parameters = ", ".join(["self", *plain, *(["*", *named] if named else [])])
    text = "\n".join([f"def __init__({parameters}):", *(body or ["    pass"])])
    exec(text, known)  # names of fields, from our own source
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"  # type: ignore[attr-defined]
    return init  # type: ignore[return-value]
