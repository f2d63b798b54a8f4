"""Puts the calendar date behind words such as "yesterday" or "next Friday".

A memory is read on another day than it was said. The words stay; what they meant is added in
brackets: a day, or only the month or year where only that is certain. What is meant is decided by
the local day of the message, and by the verb that the words belong to: a plan looks ahead. Where
that is unsure, nothing is added.

"We decided to deploy on Friday" is a plan, although its first verb is past: what counts is the verb
that the day belongs to, which mostly is the nearest one before it. A memory without a date is worth
more than one with a wrong date.
"""

from __future__ import annotations

from datetime import date, timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator


class Tense(Enum):
    """Where a day lies, seen from the day that it was named on."""

    BACK = auto()
    AHEAD = auto()
    UNSURE = auto()


def _any(words: str) -> str:
    return rf"(?:{'|'.join(words.split())})"


_SAYING: Final = _any(
    "said|says told heard thought knew announced confirmed reported mentioned noted wrote read"
    " hoped believed guessed assumed"
)

_PLANNING: Final = _any(
    "decided agreed planned promised arranged scheduled chose chosen settled suggested proposed"
    " offered committed asked voted resolved want wants plan plans hope hopes expect expects prefer"
    " intend intends intended need needs have has ought due ready going able free"
)

_ATTEMPTS: Final = _any(
    "wanted hoped expected needed meant tried used supposed failed forgot managed refused began"
    " started happened seemed"
)

_PAST: Final = _any(
    "was were had did went got took made met saw came bought sent told lost won gave ran began"
    " broke built brought caught chose drew drove ate fell felt found flew forgot grew heard held"
    " kept knew left paid said sang sat shot slept spoke spent stood swam taught thought threw"
    " understood woke wore wrote became led rode sold wasn't weren't hadn't didn't"
)

_NOT_PAST: Final = _any("speed indeed embed exceed proceed succeed breed bleed greed")

_CONTENT: Final = r"(?:\s+\w+)?\s+(?:that|how|why|what|when|whether|if|we|they|he|she|it|i|you|the)"

_VERB = (
    r"(?i)(?<![\w'])(?:"
    # what is said of another time than that of the saying
    rf"(?P<unsure>{_SAYING}(?={_CONTENT}\b)|(?:would|could|might|may)(?:n't)?"
    r"|(?:was|were)\s+(?:going|supposed|due|planned|scheduled|expected|about|meant)\b"
    rf"|{_ATTEMPTS}\s+to\s+[a-z]+)"
    r"|(?P<passive>(?:be|being|is|are|am|gets?|getting)\s+\w{3,}ed)"
    rf"|(?P<noun>(?:the|an?|my|our|your|their|his|her|its|this|these|those|some|more|very|as)"
    rf"\s+\w{{3,}}ed|{_NOT_PAST})"
    rf"|(?P<plan>{_PLANNING}(?:\s+(?:me|us|him|her|them|it|not|[A-Z]\w+))?\s+to\s+[a-z]+"
    rf"|(?:scheduled|arranged|planned|decided|asked)(?:\s+\w+){{1,3}}\s+to\s+[a-z]+"
    rf"|(?:decided|agreed|promised|planned|suggested|proposed)(?={_CONTENT}\b)"
    r"|(?:will|won't|shall|must|should|can|can't|cannot|let's|please|gonna"
    r"|do|does|don't|doesn't|is|are|am|isn't|aren't)(?!\w)"
    r"|(?:I|you|we|they|he|she|it|that|there|who|what)[’'](?:ll|re|m|s)(?!\w))"
    rf"|(?P<past>had\s+to\s+[a-z]+|{_PAST}|\w{{3,}}ed)"
    r")(?![\w'])"
)

_CHOSEN: Final = r"(?i)\b(?:agreed|decided|settled|insisted)\s*\Z"
"""In front of "on Friday": the day that was chosen, or the day of the choice."""

_SENTENCE_END: Final = r"[.!?;:]\s|\n|[—–]"

_ASIDE: Final = r"(?i)\b(?:who|which|that|what|because|if)(?:\s+\w+){0,2}\s*\Z"

_NEXT_CLAUSE: Final = (
    r"(?i)[^,]*(?:,\s*\w+\s+\w|\b(?:and|but|so|because|that)\s+(?:we|i|they|he|she|it|you)\b)"
)
"""Behind a verb: another clause begins before the day, whose verb may be one that is not known."""

_GERMAN_PLAN = (
    r"(?i)\bzu\s+\w+n\b|\b\w{2,}zu\w{2,}en\b"
    r"|\b(?:werden?|wirst|wird|soll(?:en|st|te)?|müssen|muss|wollen?|will|kann|können|dürfen|darf)\b"
)

_GERMAN_PAST = (
    r"(?i)\b(?:war(?:en|st)?|hatten?|wurden?|ging(?:en)?|kam(?:en)?|traf(?:en)?|sah(?:en)?|gab|\w{3,}ten?"
    r"(?=\s+(?:wir|ich|sie|er|es)\b))\b"
    r"|\b(?:habe?|haben|hat|hast|bin|ist|sind|worden)\b.*\b(?:\w*ge\w{2,}(?:t|en)|ver\w+(?:t|en)"
    r"|be\w+(?:t|en)|ent\w+(?:t|en)|\w+iert|worden)\b"
)


def tense_of(text: str, start: int, end: int) -> Tense:
    """Return where the day lies that an English sentence names.

    Args:
        text: The sentence, or several.
        start: Where the words of the day begin.
        end: Where they end.
    """
    before = _tail(text[:start])
    if compiled(_CHOSEN).search(before):
        return Tense.UNSURE
    found = list(_verbs(before))
    if not found:
        rest = compiled(_SENTENCE_END).split(text[end:], maxsplit=1)[0]
        found = list(_verbs(rest))[:1]
    return found[-1] if found else Tense.AHEAD


def german_tense_of(text: str, start: int, end: int) -> Tense:
    """Return the same for German, whose clauses are parted by commas."""
    head, rest = _tail(text[:start]), compiled(_SENTENCE_END).split(text[end:], maxsplit=1)[0]
    clause = head.rpartition(",")[2] + " … " + rest.partition(",")[0]
    is_plan = compiled(_GERMAN_PLAN).search(clause) is not None
    is_past = compiled(_GERMAN_PAST).search(clause) is not None
    if is_plan and is_past:
        return Tense.UNSURE
    return Tense.BACK if is_past else Tense.AHEAD


def _tail(text: str) -> str:
    """Return the sentence that a text ends in."""
    return compiled(_SENTENCE_END).split(text)[-1]


def _verbs(text: str) -> Iterator[Tense]:
    """Yield what the verbs of a sentence say, in their order."""
    for match in compiled(_VERB).finditer(text):
        if match["unsure"] is not None:
            yield Tense.UNSURE
        elif match["plan"] is not None or match["passive"] is not None:
            yield Tense.AHEAD
        elif match["past"] is not None and not _is_remark(text, match):
            is_aside = compiled(_ASIDE).search(text[: match.start()]) is not None
            is_left = compiled(_NEXT_CLAUSE).match(text, match.end()) is not None
            yield Tense.UNSURE if is_aside or is_left else Tense.BACK


def _is_remark(text: str, match: re.Match[str]) -> bool:
    """Whether a participle stands alone, as in "Noted, it goes out on Friday"."""
    return not text[: match.start()].strip() and text[match.end() :].lstrip().startswith(",")


_NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        ("", "a an one", "two couple", "three", "four", "five", "six", "seven", "eight", "nine")
    )
    for word in words.split()
} | {"ten": 10}

_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_GERMAN_DAYS: Final = (
    "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"
)  # fmt: skip

_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

_SHORT_MONTHS: Final = "jan feb mar apr jun jul aug sep sept oct nov dec".split()  # noqa: SIM905

_DAY: Final = r"(?:mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|r|ur)?(?:day)?"

_GERMAN_DAY: Final = rf"(?:{'|'.join(_GERMAN_DAYS)}|sonnabend)"

_COUNT: Final = rf"\d{{1,3}}|{'|'.join(_NUMBERS)}"

_MONTH: Final = rf"(?:{'|'.join(_MONTHS)}|(?:{'|'.join(_SHORT_MONTHS)})\b\.?)"

_UNIT: Final = "day|week|month|year"

_RELATIVE = (
    r"(?i)\b(?:"
    r"(?P<near>(?:the )?day before yesterday|(?:the )?day after tomorrow|yesterday|today|tonight"
    r"|this (?:morning|afternoon|evening)|tomorrow|last night|vorgestern|gestern|heute|übermorgen)"
    rf"|(?P<which>last|next|this|this past|this coming|on|by|until)\s+(?P<weekday>{_DAY})"
    r"|(?P<german>(?:am )?(?:letzte|vergangene|nächste|kommende)[nr]?|diesen|am|bis)"
    rf"\s+(?P<wochentag>{_GERMAN_DAY})"
    r"|(?P<side>last|next|this|this past)\s+(?P<unit>week|weekend|month|year)"
    rf"|(?P<turn>last|next|this past)\s+(?P<month>{'|'.join(_MONTHS)})"
    r"|(?P<over>(?:over|at|on) the weekend)"
    rf"|(?:(?:a )?(?P<ago_count>{_COUNT})(?: of)?\s+(?P<ago_unit>weekend|{_UNIT})s?\s+ago)"
    rf"|(?:in\s+(?:a )?(?P<in_count>{_COUNT})(?: of)?\s+(?P<in_unit>{_UNIT})s?)"
    r")\b(?!['’]s? (?:time|old))(?:['’]s\b)?"
)

_ISO = r"\b(\d{4})-(\d{2})-(\d{2})\b"

_NAMED = (
    rf"(?i)\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m1>{_MONTH})"
    rf"|(?P<m2>{_MONTH})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b)(?:,?\s+(?P<y>\d{{4}})\b)?"
)

_ALREADY = r"(?i)\s*[(,]?\s*(?:the\s+)?(?:\d|" + _MONTH + r"\b)"

_STEPS: Final = {"last": -1, "this past": -1, "next": 1}

_GERMAN: Final = {
    "letzt": "last",
    "verga": "last",
    "nächs": "next",
    "komme": "next",
    "diese": "this",
    "bis": "by",
}

_SATURDAY: Final = 5

_MOST: Final = 3

_HALF_A_YEAR: Final = timedelta(days=183)


@dataclass(frozen=True, slots=True)
class Dated:
    """A sentence with its dates.

    Attributes:
        text: With the calendar dates of relative words in brackets.
        day: The first day that it is certainly about; None when it names none.
    """

    text: str
    day: date | None = None


def dated(text: str, said_on: date) -> Dated:
    """Return the sentence with calendar dates behind its relative words, at most three.

    Args:
        text: One line.
        said_on: The local day of the message.
    """
    pieces: list[str] = []
    start, count = 0, 0
    day = _explicit(text, said_on)
    for match in compiled(_RELATIVE).finditer(text):
        if count >= _MOST or compiled(_ALREADY).match(text, match.end()):
            continue
        meant = _meant(match, said_on)
        if meant is None:
            continue
        shown, exact = meant
        day = day or exact
        pieces += [text[start : match.end()], f" ({shown})"]
        start, count = match.end(), count + 1
    return Dated("".join([*pieces, text[start:]]), day)


def _meant(match: re.Match[str], on: date) -> tuple[str, date | None] | None:
    """Return what relative words mean: how it is shown, and the day when it is one."""
    try:
        if (near := match["near"]) is not None:
            return _exact(on + timedelta(days=_near(near.casefold())))
        if match["weekday"] is not None or match["wochentag"] is not None:
            day = _weekday(match, on)
            return None if day is None else _exact(day)
        if match["month"] is not None:
            return _named_month(match["turn"].casefold(), match["month"], on)
        distance = _distance(match, on)
        return None if distance is None else _span(*distance, on)
    except (OverflowError, ValueError):
        return None


def _exact(day: date) -> tuple[str, date]:
    return day.isoformat(), day


def _near(word: str) -> int:
    if "before yesterday" in word or word == "vorgestern":
        return -2
    if "after tomorrow" in word or word == "übermorgen":
        return 2
    if word in {"yesterday", "last night", "gestern"}:
        return -1
    return 1 if word == "tomorrow" else 0


def _weekday(match: re.Match[str], on: date) -> date | None:
    """Return the day of "last Friday", "next Friday", "on Friday" (by the verb), "am Freitag"."""
    if match["wochentag"] is not None:
        name = match["wochentag"].casefold()
        wanted = _GERMAN_DAYS.index(name) if name in _GERMAN_DAYS else _SATURDAY
        which = _GERMAN.get(match["german"].casefold().removeprefix("am ")[:5], "on")
        tense = german_tense_of(match.string, match.start(), match.end())
    else:
        short = match["weekday"].casefold()[:3]
        wanted = next(n for n, name in enumerate(_WEEKDAYS) if name.startswith(short))
        which = match["which"].casefold()
        tense = tense_of(match.string, match.start(), match.end())
    ahead = (wanted - on.weekday()) % 7
    if which in {"last", "this past"}:
        return on - timedelta(days=7 - ahead)
    if which == "next":
        return on + timedelta(days=ahead or 7)
    if which == "on":
        return _by_tense(on, ahead, tense)
    # "by Friday", "this Friday": ahead, unless somebody tells what was done by then
    return on + timedelta(days=ahead) if tense is Tense.AHEAD else None


def _by_tense(on: date, ahead: int, tense: Tense) -> date | None:
    """Return the day so far ahead, or the one a week before it; today's name says neither."""
    if tense is Tense.UNSURE or not ahead:
        return None
    return on + timedelta(days=ahead - 7 if tense is Tense.BACK else ahead)


def _distance(match: re.Match[str], on: date) -> tuple[int, str] | None:
    """Return how many units away it is, and the unit; None when that is unsure."""
    if match["over"] is not None:
        tense = tense_of(match.string, match.start(), match.end())
        if tense is Tense.UNSURE:
            return None
        return (-1 if tense is Tense.BACK and on.weekday() < _SATURDAY else 0), "weekend"
    if match["unit"] is not None:
        return _STEPS.get(match["side"].casefold(), 0), match["unit"].casefold()
    if match["ago_count"] is not None:
        return -_number(match["ago_count"]), match["ago_unit"].casefold()
    return _number(match["in_count"]), match["in_unit"].casefold()


def _named_month(side: str, name: str, on: date) -> tuple[str, date | None]:
    """Return the month of "last August" or "next May"; the month it is now is neither."""
    ahead = (_month(name) - on.month) % 12
    return _span((ahead or 12) if side == "next" else ahead - 12, "month", on)


def _span(number: int, unit: str, on: date) -> tuple[str, date | None]:
    """Return the day, week, month or year so many units away; the present one is 0."""
    if unit == "day":
        return _exact(on + timedelta(days=number))
    if unit == "weekend":
        saturday = on + timedelta(days=_SATURDAY - on.weekday(), weeks=number)
        return f"weekend of {saturday.isoformat()}", saturday
    if unit == "week":
        monday = on - timedelta(days=on.weekday()) + timedelta(weeks=number)
        return f"week of {monday.isoformat()}", monday
    if unit == "month":
        months = on.year * 12 + on.month - 1 + number
        return f"{months // 12:04d}-{months % 12 + 1:02d}", None
    return f"{on.year + number:04d}", None


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.casefold()]


def _explicit(text: str, on: date) -> date | None:
    """Return the first calendar date that the text itself names."""
    if (iso := compiled(_ISO).search(text)) is not None:
        return _date(*map(int, iso.groups()))
    if (named := compiled(_NAMED).search(text)) is None:
        return None
    month, day = _month(named["m1"] or named["m2"]), int(named["d1"] or named["d2"])
    if named["y"] is not None:
        return _date(int(named["y"]), month, day)
    return _of_a_year(on, month, day, tense_of(text, named.start(), named.end()))


def _of_a_year(on: date, month: int, day: int, tense: Tense) -> date | None:
    """Return a day of the present year, or of the one beside it that is nearer."""
    found = _date(on.year, month, day)
    if found is None:
        return None
    if tense is Tense.AHEAD and on - found > _HALF_A_YEAR:
        return _date(on.year + 1, month, day)
    if tense is Tense.BACK and found - on > _HALF_A_YEAR:
        return _date(on.year - 1, month, day)
    return found


def _month(name: str) -> int:
    short = name.casefold()[:3]
    return next(n for n, month in enumerate(_MONTHS, start=1) if month.startswith(short))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
