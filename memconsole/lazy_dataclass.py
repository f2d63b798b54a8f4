"""`dataclass` as the standard library has it, made for many classes of which few are used.

The standard library compiles up to ten methods of every class when its module is imported, about a
millisecond each time; a start of ours imports 240 such classes and makes objects of half of them.
Here only the class with its slots is made at once. The rest waits until it is asked for: fields,
and the methods that need no text, which are closures. `__init__` is compiled when a class has made
more than a few objects (ADR 0024): compiling takes as long as making fifty of them. It stores into
an object that is open until all is in it, which takes a seventh of going round its refusal for each
of many fields. Type checkers see the original, and `fields`, `replace` and patterns work as usual.
"""

from __future__ import annotations

import dataclasses
import operator
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import dataclass

    _Field = dataclasses.Field[object]

__all__ = ["dataclass"]

_OURS = {"frozen", "slots", "kw_only", "order"}

_FEW = 30
"""Objects that are made without compiling anything."""

_FIELDS = "__dataclass_fields__"
_LATE = (_FIELDS, "__dataclass_params__", "__match_args__")
"""What the standard library and patterns know of a class."""

_KIND = "_field_type"

if not TYPE_CHECKING:

    def dataclass(cls: type | None = None, /, **options: bool) -> object:
        """Make a dataclass; only those with slots are made differently here."""

        def make(plain: type) -> type:
            if not (options.get("slots") and set(options) <= _OURS):
                return dataclasses.dataclass(**options)(plain)
            methods = dict(_METHODS)
            if options.get("frozen"):
                methods.update(_FROZEN)
            if options.get("order"):
                methods.update(_ORDERED)
            return _made(plain, methods, kw_only=options.get("kw_only", False))

        return make if cls is None else make(cls)


def _made(plain: type, methods: Mapping[str, object], *, kw_only: bool) -> type:
    """Return what `dataclass(slots=True)` makes of a class; what it defines stays."""
    own = {**methods, **plain.__dict__}
    notes: dict[str, object] = own.get("__annotations__", {})
    names = [name for name, text in notes.items() if "ClassVar" not in str(text)]
    defaults = {name: own.pop(name) for name in names if name in own}
    if own["__hash__"] is None:  # Python's own, where a class says what it equals
        own["__hash__"] = methods["__hash__"]
    for name in ("__dict__", "__weakref__"):
        own.pop(name, None)
    inherited = {name for base in plain.__mro__ for name in base.__dict__.get("__slots__", ())}
    own["__slots__"] = tuple(name for name in names if name not in inherited)
    own["__qualname__"] = plain.__qualname__
    fields = ((name, notes[name], defaults.get(name, dataclasses.MISSING)) for name in names)
    known = _Known(tuple(fields), kw_only=kw_only)
    own.update((name, _Late(known)) for name in _LATE)
    return type(plain)(plain.__name__, plain.__bases__, own)


class _Known:
    """What the standard library knows of a class, found out when it is asked for."""

    __slots__ = ("_kw_only", "_own")

    def __init__(self, own: tuple[tuple[str, object, object], ...], *, kw_only: bool) -> None:
        self._own, self._kw_only = own, kw_only

    def put_into(self, cls: type) -> None:
        """Put it where the standard library looks for it."""
        fields: dict[str, _Field] = {}
        for base in cls.__mro__[-1:0:-1]:
            if _FIELDS in base.__dict__:
                fields.update(getattr(base, _FIELDS))
        fields.update((name, self._field(name, kind, default)) for name, kind, default in self._own)
        places = tuple(one.name for one in fields.values() if one.init and not one.kw_only)
        for name, value in zip(_LATE, (fields, _SAMPLE_PARAMS, places), strict=True):
            type.__setattr__(cls, name, value)

    def _field(self, name: str, kind: object, default: object) -> _Field:
        if default.__class__.__hash__ is None:
            raise ValueError(f"mutable default of field {name}: use default_factory")
        found = cast("_Field", default)
        if not isinstance(default, dataclasses.Field):
            found = dataclasses.field(default=found)
        found.name, found.type = name, cast("type", kind)
        setattr(found, _KIND, getattr(_SAMPLE_FIELD, _KIND))
        if found.kw_only is dataclasses.MISSING:
            found.kw_only = self._kw_only
        return found


class _Late:
    """Stands for one name of what is known of a class."""

    __slots__ = ("_known", "_name", "_owner")

    def __init__(self, known: _Known) -> None:
        self._known = known

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, made: object, cls: type) -> object:
        del made, cls
        self._known.put_into(self._owner)
        return self._owner.__dict__[self._name]


def _fields(cls: type) -> tuple[_Field, ...]:
    return dataclasses.fields(cls)


def _late(name: str, make: Callable[[type], Callable[..., object]]) -> Callable[..., object]:
    """Return a method that puts the one which fits its class in its place when it is called."""
    made: dict[type, Callable[..., object]] = {}  # by now, for a thread that called this one before

    def first(self: object, *args: object, **named: object) -> object:
        cls = next(it for it in type(self).__mro__ if it in made or it.__dict__.get(name) is first)
        method = made[cls] if cls in made else made.setdefault(cls, make(cls))
        type.__setattr__(cls, name, method)
        return method(self, *args, **named)

    first.__name__ = name
    return first


def _eq(cls: type) -> Callable[[object, object], object]:
    names = tuple(one.name for one in _fields(cls) if one.compare)
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


def _order(name: str) -> Callable[[type], Callable[[object, object], object]]:
    """Return a maker of one comparison of two objects by their fields."""
    compare: Callable[[object, object], object] = getattr(operator, name)

    def make(cls: type) -> Callable[[object, object], object]:
        names = tuple(one.name for one in _fields(cls) if one.compare)

        def method(self: object, other: object) -> object:
            if other.__class__ is not self.__class__:
                return NotImplemented
            mine, yours = ([getattr(side, one) for one in names] for side in (self, other))
            return compare(mine, yours)

        return method

    return make


def _hash(cls: type) -> Callable[[object], int]:
    counts = ((one.name, one.compare if one.hash is None else one.hash) for one in _fields(cls))
    names = tuple(name for name, is_hashed in counts if is_hashed)
    values = attrgetter(*names) if names else _nothing
    return lambda self: hash(values(self))


def _nothing(self: object) -> tuple[()]:
    del self
    return ()


def _repr(cls: type) -> Callable[[object], str]:
    names = tuple(one.name for one in _fields(cls) if one.repr)

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


def _getstate(self: object) -> list[object]:
    return [getattr(self, one.name) for one in _fields(type(self))]


def _setstate(self: object, state: list[object]) -> None:
    for one, value in zip(_fields(type(self)), state, strict=True):
        object.__setattr__(self, one.name, value)


def _first_init(cls: type) -> Callable[..., None]:
    """Return an `__init__` for a few objects; then it puts a compiled one in its place."""
    left = _FEW
    fields: tuple[_Field, ...] = ()
    names: tuple[str, ...] = ()

    def __init__(self: object, *args: object, **named: object) -> None:
        nonlocal left, fields, names
        if left == _FEW:
            fields = _fields(cls)
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


def _filled(made: object, fields: tuple[_Field, ...], values: dict[str, object]) -> bool:
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


class _Open(dict[type, type]):
    """By class, one whose objects differ in nothing but that their fields may be set."""

    def __missing__(self, cls: type) -> type:
        own = {
            "__slots__": (),
            "__setattr__": object.__setattr__,
            "__delattr__": object.__delattr__,  # Python stores fast where both are its own
        }
        made = self[cls] = type(cls)(cls.__name__, (cls,), own)
        return made


_OPEN = _Open()


def _compiled(cls: type) -> Callable[..., None]:
    """Compile the `__init__` of a class from its fields."""
    known: dict[str, object] = {
        "_set": object.__setattr__,
        "_missing": dataclasses.MISSING,
        "_open": _OPEN,
    }
    plain: list[str] = []
    named: list[str] = []
    body: list[str] = []
    for one in _fields(cls):
        value, default = one.name, ""
        if one.default is not dataclasses.MISSING:
            known[f"_default_{one.name}"] = one.default
            default = f"=_default_{one.name}"
        elif one.default_factory is not dataclasses.MISSING:
            known[f"_make_{one.name}"] = one.default_factory
            default = "=_missing"
            value = f"_make_{one.name}() if {one.name} is _missing else {one.name}"
        (named if one.kw_only else plain).append(f"{one.name}{default}")
        body.append(f"    self.{one.name} = {value}")
    if vars(cls).get("__setattr__") is _refuse_set:
        begin, end = "    _kind = self.__class__", "    self.__class__ = _kind"
        body = [begin, "    _set(self, '__class__', _open[_kind])", *body, end]
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    parameters = ", ".join(["self", *plain, *(["*", *named] if named else [])])
    text = "\n".join([f"def __init__({parameters}):", *(body or ["    pass"])])
    exec(text, known)  # names of fields, from our own source
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"  # type: ignore[attr-defined]
    return init  # type: ignore[return-value]


_METHODS: Mapping[str, object] = {
    "__init__": _late("__init__", _first_init),
    "__repr__": _late("__repr__", _repr),
    "__eq__": _late("__eq__", _eq),
    "__hash__": None,
}
_FROZEN: Mapping[str, object] = {
    "__hash__": _late("__hash__", _hash),
    "__setattr__": _refuse_set,
    "__delattr__": _refuse_delete,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
_ORDERED: Mapping[str, object] = {
    f"__{name}__": _late(f"__{name}__", _order(name)) for name in ("lt", "le", "gt", "ge")
}


@dataclasses.dataclass(init=False, repr=False, eq=False)
class _Sample:
    """Of the standard library's own making: what it marks a field with is its secret."""

    one: int


(_SAMPLE_FIELD,) = dataclasses.fields(_Sample)
_SAMPLE_PARAMS = getattr(_Sample, _LATE[1])
