"""Reads the words of a query as the platform's own search does (`profile.py` says when).

All words at once, joined with AND; then, in newer releases, the ones that mean something one by
one. What a chunk then counts is BM25, lifted in the newest by how many of the words are there. The
words that mean nothing are the platform's own lists, language by language, as read in release
2026.9.6 (MIT); 2026.7.1 has the same.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.platform_search.profile import Profile


MOST_TERMS: Final = 6
TRIGRAM: Final = "trigram"
_SHORTEST_TRIGRAM: Final = 3

_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_WORD: Final = re.compile(r"\w+")
_LETTERS: Final = re.compile(r"[a-zA-Z]+")
_KANA: Final = re.compile(r"[\u3040-\u30ff]")
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_HANGUL: Final = re.compile(r"[\uac00-\ud7af\u3131-\u3163]")
_SYLLABLE: Final = re.compile(r"[\uac00-\ud7af]")
_JAPANESE_PARTS: Final = re.compile(
    r"[a-z0-9_]+|[\u30a0-\u30ffー]+|[\u4e00-\u9fff]+|[\u3040-\u309f]{2,}"
)
_STEM: Final = re.compile(r"[a-z0-9_]+", re.IGNORECASE)
_LENGTH_SHARE, _PATH_SHARE, _WORDS_SHARE, _DENSITY_SHARE = 0.18, 0.18, 0.45, 0.2
_FULL_LENGTH: Final = 160
_SHORT_WORD: Final = 3


class Plan(NamedTuple):
    """What is asked of the index for one text.

    Attributes:
        text: The query, or one of its words.
        match: The FTS5 expression; None when no word is long enough for it.
        contains: What the text must hold besides (trigram indexes and words of one or two letters).
    """

    text: str
    match: str | None
    contains: tuple[str, ...] = ()


def plan(profile: Profile, text: str, tokenizer: str = "") -> Plan | None:
    """Return how a text is looked for; None when it has no word.

    Args:
        profile: The rules.
        text: Query or term.
        tokenizer: Of the index; empty is the usual one.
    """
    found = (_ASCII_WORD if profile.is_ascii else _WORD).findall(text)
    if not found:
        return None
    if tokenizer != TRIGRAM:
        return Plan(text, _all_of(found))
    long = [word for word in found if len(word) >= _SHORTEST_TRIGRAM]
    short = tuple(word for word in found if len(word) < _SHORTEST_TRIGRAM)
    return Plan(text, _all_of(long) if long else None, short)


def _all_of(words: list[str]) -> str:
    return " AND ".join(f'"{word}"' for word in words)


def read_words(profile: Profile, text: str) -> tuple[str, ...]:
    """Return the words of a text as the platform reads them, each once, lower-cased."""
    found = (_ASCII_WORD if profile.is_ascii else _WORD).findall(text)
    return tuple(dict.fromkeys(word.lower() for word in found))


def terms(query: str, tokenizer: str = "") -> tuple[str, ...]:
    """Return the words that are looked for one by one, at most six."""
    whole = query.strip().lower()
    found = dict.fromkeys(
        token for token in _tokens(query, tokenizer) if token not in STOP_WORDS and _means(token)
    )
    return tuple(token for token in found if token != whole)[:MOST_TERMS]


def _means(token: str) -> bool:
    """Whether a word says something: no number, no letter or two, no signs."""
    if _LETTERS.fullmatch(token) and len(token) < _SHORT_WORD:
        return False
    if token.isascii() and token.isdigit():
        return False
    return not all(unicodedata.category(one)[0] in "PS" for one in token)


def _tokens(query: str, tokenizer: str) -> Iterator[str]:
    for segment in _segments(query.strip().lower()):
        if _KANA.search(segment):
            yield from _japanese(segment, tokenizer)
        elif _HAN.search(segment):
            yield from _han("".join(_HAN.findall(segment)), tokenizer)
        elif _HANGUL.search(segment):
            yield from _korean(segment)
        else:
            yield segment


def _segments(text: str) -> list[str]:
    """Cut a text at blanks and punctuation; `_` is punctuation here."""
    cut = (" " if unicodedata.category(one)[0] == "P" else one for one in text)
    return "".join(cut).split()


def _japanese(segment: str, tokenizer: str) -> Iterator[str]:
    for part in _JAPANESE_PARTS.findall(segment):
        yield part
        if tokenizer != TRIGRAM and _HAN.match(part):
            yield from _pairs(part)


def _han(block: str, tokenizer: str) -> Iterator[str]:
    if tokenizer == TRIGRAM:
        yield block
        return
    yield from block
    yield from _pairs(block)


def _pairs(block: str) -> Iterator[str]:
    return (block[at : at + 2] for at in range(len(block) - 1))


def _korean(segment: str) -> Iterator[str]:
    stem = next(
        (segment[: -len(end)] for end in KOREAN_PARTICLES if segment.endswith(end)),
        None,
    )
    is_stopped = segment in KOREAN_STOP_WORDS or stem in KOREAN_STOP_WORDS
    if not is_stopped:
        yield segment
    if stem and stem not in KOREAN_STOP_WORDS and _is_useful(stem):
        yield stem


def _is_useful(stem: str) -> bool:
    return len(stem) > 1 if _SYLLABLE.search(stem) else bool(_STEM.fullmatch(stem))


def graded(rank: float | None, profile: Profile) -> float:
    """Return what SQLite's BM25 counts, 0 to 1; it is negative, and more so for better matches.

    Args:
        rank: None when the words were only compared letter by letter.
        profile: The rules.
    """
    if rank is None:
        return 0.0 if profile.is_lifted else 1.0
    if profile.is_flat or rank >= 0:
        return 1.0 / (1.0 + max(0.0, rank))
    return -rank / (1.0 - rank)


def lifted(query: str, path: str, text: str, score: float) -> float:
    """Return what a chunk's words count when it is also asked how many of them are there."""
    wanted = dict.fromkeys(_words(query))
    if not wanted:
        return score
    there = set(_words(text))
    common = sum(word in there for word in wanted)
    name = unicodedata.normalize("NFC", path).lower()
    lift = _WORDS_SHARE * common / len(wanted)
    lift += _DENSITY_SHARE * common / max(1, len(there))
    lift += _PATH_SHARE * sum(word in name for word in wanted)
    lift += min(len(text.encode("utf-16-le")) / 2 / _FULL_LENGTH, _LENGTH_SHARE)
    return min(1.0, score + lift)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", text))]


def path_likeness(query: str, path: str) -> int:
    """Return how much a query is the name of a file: 3 its path, 2 its name, 1 without ending."""
    wanted, name = _name(query), _name(path)
    if not wanted or wanted == ".":
        return 0
    if wanted == name:
        return 3
    if "/" in wanted:
        return 0
    base = name.rpartition("/")[2]
    stem = base.rpartition(".")[0] or base
    return 2 if wanted == base else int(wanted == stem)


def _name(text: str) -> str:
    plain = text.strip().replace("\\", "/").removeprefix("./")
    return unicodedata.normalize("NFC", plain).lower()


_ENGLISH: Final = """
a an the this that these those i me my we our you your he she it they them is are was were be been
being have has had do does did will would could should can may might in on at to for of with by
from about into through during before after above below between under over and or but if then
because as while when where what which who how why yesterday today tomorrow earlier later recently
ago just now thing things stuff something anything everything nothing please help find show get
tell give
"""
_SPANISH: Final = """
el la los las un una unos unas este esta ese esa yo me mi nosotros nosotras tu tus usted ustedes
ellos ellas de del a en con por para sobre entre y o pero si porque como es son fue fueron ser
estar haber tener hacer ayer hoy mañana antes despues después ahora recientemente que qué cómo
cuando cuándo donde dónde porqué favor ayuda
"""
_PORTUGUESE: Final = """
o a os as um uma uns umas este esta esse essa eu me meu minha nos nós você vocês ele ela eles elas
de do da em com por para sobre entre e ou mas se porque como é são foi foram ser estar ter fazer
ontem hoje amanhã antes depois agora recentemente que quê quando onde porquê favor ajuda
"""
_ARABIC: Final = """
ال و أو لكن ثم بل أنا نحن هو هي هم هذا هذه ذلك تلك هنا هناك من إلى الى في على عن مع بين ل ب ك كان
كانت يكون تكون صار أصبح يمكن ممكن بالأمس امس اليوم غدا الآن قبل بعد مؤخرا لماذا كيف ماذا متى أين
هل فضلا ساعد
"""
_CHINESE: Final = """
我 我们 你 你们 他 她 它 他们 这 那 这个 那个 这些 那些 的 了 着 过 得 地 吗 呢 吧 啊 呀 嘛 啦 是
有 在 被 把 给 让 用 到 去 来 做 说 看 找 想 要 能 会 可以 和 与 或 但 但是 因为 所以 如果 虽然 而
也 都 就 还 又 再 才 只 之前 以前 之后 以后 刚才 现在 昨天 今天 明天 最近 东西 事情 事 什么 哪个
哪些 怎么 为什么 多少 请 帮 帮忙 告诉
"""
_KOREAN: Final = """
은 는 이 가 을 를 의 에 에서 로 으로 와 과 도 만 까지 부터 한테 에게 께 처럼 같이 보다 마다 밖에
대로 나 나는 내가 나를 너 우리 저 저희 그 그녀 그들 이것 저것 그것 여기 저기 거기 있다 없다 하다
되다 이다 아니다 주다 오다 가다 것 거 등 수 때 곳 중 분 잘 더 또 매우 정말 아주 많이 너무 좀
그리고 하지만 그래서 그런데 그러나 또는 그러면 왜 어떻게 뭐 언제 어디 누구 무엇 어떤 어제 오늘
내일 최근 지금 아까 나중 전에 제발 부탁
"""
_JAPANESE: Final = """
これ それ あれ この その あの ここ そこ あそこ する した して です ます いる ある なる できる の
こと もの ため そして しかし また でも から まで より だけ なぜ どう 何 いつ どこ 誰 どれ 昨日
今日 明日 最近 今 さっき 前 後
"""
_KOREAN_PARTICLES: Final = """
에서 으로 에게 한테 처럼 같이 보다 까지 부터 마다 밖에 대로 은 는 이 가 을 를 의 에 로 와 과 도 만
"""

STOP_WORDS: Final = frozenset(
    f"{_ENGLISH} {_SPANISH} {_PORTUGUESE} {_ARABIC} {_CHINESE} {_KOREAN} {_JAPANESE}".split()
)
"""Of all languages together, as the platform compares them."""

KOREAN_STOP_WORDS: Final = frozenset(_KOREAN.split())
KOREAN_PARTICLES: Final = tuple(sorted(_KOREAN_PARTICLES.split(), key=len, reverse=True))
"""What may hang on a noun, the longest first."""
