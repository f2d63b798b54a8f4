"""Our dataclass decorator against the one of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import operator
import pickle
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole import lazy_dataclass


def both(*, frozen: bool = True, **options: bool) -> tuple[Any, Any]:
    """Return the same class made by the original and by ours."""
    made = []
    for decorator in (dataclasses.dataclass, lazy_dataclass.dataclass):

        class Base:
            one: int
            two: str = "x"
            many: list[int] = dataclasses.field(default_factory=list)
            quiet: float = dataclasses.field(default=0.5, compare=False, repr=False)
            KIND: ClassVar[str] = "kind"

            @property
            def twice(self) -> int:
                return self.one * 2

        made.append(decorator(frozen=frozen, slots=True, **options)(Base))
    return made[0], made[1]


THEIRS, OURS = both()
ORDERED = both(order=True)


@lazy_dataclass.dataclass(frozen=True, slots=True)
class Point:
    """Of this module, so that it can be pickled."""

    x: float
    y: float = 0.0


@lazy_dataclass.dataclass(frozen=True, slots=True)
class Place(Point):
    """Inherits fields."""

    name: str = ""

    def __post_init__(self) -> None:
        if self.name == "nowhere":
            raise ValueError(self.name)


@lazy_dataclass.dataclass(slots=True)
class Moved:
    """May change."""

    x: float


@lazy_dataclass.dataclass(frozen=True, slots=True)
class Lone:
    """One field that is equal to itself and to nothing else."""

    value: float


@lazy_dataclass.dataclass(frozen=True, slots=True)
class Named:
    """Says itself how it looks and what it equals."""

    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named)

    def __hash__(self) -> int:
        return 1


arguments = st.builds(
    lambda one, rest: {"one": one, **rest},
    st.integers(),
    st.fixed_dictionaries(
        {},
        optional={
            "two": st.text(max_size=3),
            "many": st.lists(st.integers(), max_size=2),
            "quiet": st.floats(),
        },
    ),
)


@given(arguments, arguments)
def test_values_compare_and_read_alike(first: dict[str, Any], second: dict[str, Any]) -> None:
    theirs, ours = (THEIRS(**first), THEIRS(**second)), (OURS(**first), OURS(**second))
    assert (ours[0] == ours[1]) is (theirs[0] == theirs[1])
    assert repr(ours[0]) == repr(theirs[0])
    assert repr(dataclasses.replace(ours[0], one=1)) == repr(dataclasses.replace(theirs[0], one=1))
    assert repr(dataclasses.astuple(ours[0])) == repr(dataclasses.astuple(theirs[0]))
    assert ours[0].twice == theirs[0].twice
    assert ours[0] != theirs[0]


def test_the_first_objects_are_made_like_the_later_ones() -> None:
    """The first few are made without compiling anything."""
    theirs, ours = both()
    for number in range(50):
        for call in ((number,), (number, "a", [1]), (number, "b", [2], 0.1)):
            assert repr(ours(*call)) == repr(theirs(*call))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'one'"):
        ours(two="a")


def test_names_alone_are_made_like_places() -> None:
    theirs, ours = both(kw_only=True)
    for number in range(50):
        assert repr(ours(one=number)) == repr(theirs(one=number))
    for cls in (theirs, both(kw_only=True)[1]):
        with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
            cls(1)


def test_classes_look_alike() -> None:
    assert OURS.__match_args__ == THEIRS.__match_args__
    assert OURS.__slots__ == THEIRS.__slots__
    assert [one.name for one in dataclasses.fields(OURS)] == [
        one.name for one in dataclasses.fields(THEIRS)
    ]
    assert OURS(1).many is not OURS(1).many


@pytest.mark.parametrize(
    "call", [((), {}), ((1, "a", [], 0.5, 6), {}), ((1,), {"nine": 9}), ((1,), {"one": 1})]
)
def test_wrong_calls_are_refused_alike(call: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    said = []
    for cls in (THEIRS, OURS):
        with pytest.raises(TypeError) as caught:
            cls(*call[0], **call[1])
        said.append(str(caught.value))
    assert said[0].rpartition("__init__")[2] == said[1].rpartition("__init__")[2]


@pytest.mark.parametrize("made", [1, 50])
def test_nothing_changes_a_value(made: int) -> None:
    points = [Point(number) for number in range(made)]
    point = points[-1]
    assert type(point) is Point
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    with pytest.raises(AttributeError):
        point.z = 2  # type: ignore[attr-defined]


def test_values_travel_and_are_hashed() -> None:
    place = Place(1, 2, "here")
    assert pickle.loads(pickle.dumps(place)) == place
    assert copy.deepcopy(place) == copy.copy(place) == place
    assert len({place, Place(1, 2, "here"), Place(1, 2, "there")}) == 2
    assert hash(Lone(1)) == hash(Lone(1))


def test_a_value_that_is_not_a_number_equals_itself_alone() -> None:
    nan = float("nan")
    assert Lone(nan) == Lone(nan)  # the same object, as in the standard library
    assert Lone(nan) != Lone(float("nan"))


def test_many_of_a_class_below_that_is_no_dataclass_are_of_that_class() -> None:
    class Below(Point):
        note = "own"

    found = [Below(number) for number in range(50)]
    assert {type(one) for one in found} == {Below}


def test_inheritance_and_checks_after_the_start() -> None:
    assert Place(1) == Place(1.0, 0.0, "")
    assert Place(1) != Point(1)
    with pytest.raises(ValueError, match="nowhere"):
        Place(0, 0, "nowhere")


def test_what_a_class_says_itself_stays() -> None:
    assert repr(Named("a")) == "<a>"
    assert Named("a") == Named("b")
    assert hash(Named("a")) == 1


def test_names_only() -> None:
    theirs, ours = both(kw_only=True)
    assert repr(ours(one=1)) == repr(theirs(one=1))
    with pytest.raises(TypeError):
        ours(1)


def test_what_may_change_changes_and_has_no_hash() -> None:
    for cls in both(frozen=False):
        for number in range(50):
            made = cls(number, "a")
            made.one += 1
            del made.two
            made.two = "b"
            assert (made.one, made == cls(number + 1, "b")) == (number + 1, True)
        with pytest.raises(TypeError, match="unhashable"):
            hash(cls(1))
        assert pickle.loads(pickle.dumps(Moved(1))) == Moved(1)


@given(arguments, arguments)
def test_what_is_ordered_is_ordered_by_its_fields(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        theirs, ours = (compare(cls(**first), cls(**second)) for cls in ORDERED)
        assert theirs is ours
    with pytest.raises(TypeError, match="not supported between"):
        assert ORDERED[0](1) < ORDERED[1](1)


def test_a_class_without_slots_is_the_original() -> None:
    @lazy_dataclass.dataclass
    class Bare:
        one: int = 1

    assert Bare() == Bare(1)
    assert "__init__" in vars(Bare)


def test_what_is_known_of_a_class_waits_until_it_is_asked_for() -> None:
    """Whoever asks first is answered, whatever he asks for."""
    asked: tuple[Any, ...] = (
        dataclasses.is_dataclass,
        lambda cls: [(one.name, one.type, one.kw_only) for one in dataclasses.fields(cls)],
        lambda cls: cls.__match_args__,
        lambda cls: repr(dataclasses.replace(cls(1), two="b")),
        lambda cls: [one.name for one in dataclasses.fields(dataclasses.dataclass(eq=False)(cls))],
    )
    for question in asked:
        theirs, ours = both()
        assert question(ours) == question(theirs)


def test_fields_of_a_base_that_nobody_asked_for_come_first() -> None:
    @lazy_dataclass.dataclass(frozen=True, slots=True, kw_only=True)
    class First:
        one: int
        two: int = 2

    @lazy_dataclass.dataclass(frozen=True, slots=True)
    class Second(First):
        three: int = 0
        two: int = 3

    assert [one.name for one in dataclasses.fields(Second)] == ["one", "two", "three"]
    assert Second.__match_args__ == ("two", "three")
    assert repr(Second(4, 5, one=1)).endswith("Second(one=1, two=4, three=5)")


def test_a_default_that_could_be_changed_is_refused() -> None:
    @lazy_dataclass.dataclass(frozen=True, slots=True)
    class Wrong:
        many: list[int] = []  # noqa: RUF012 - that is the mistake

    with pytest.raises(ValueError, match="mutable default"):
        dataclasses.fields(Wrong)


def test_whoever_comes_second_is_answered_like_the_first() -> None:
    """Two threads ask a new class the same, and one of them has put the answer in its place."""
    _, ours = both()

    below: Any = type("Below", (ours,), {})
    late = [vars(ours)[name] for name in ("__init__", "__hash__", "__eq__")]
    first, other = below(7), below(7)
    for made in (first, other):
        for method, asked in zip(late, ((7, "x", ()), (), (other,)), strict=True):
            method(made, *asked)
    assert first == other
    assert not {*map(id, late)} & {*map(id, vars(ours).values())}

    _, unknown = both()
    fields = vars(unknown)["__dataclass_fields__"]
    assert [*fields.__get__(None, unknown)] == [*fields.__get__(None, unknown)]
