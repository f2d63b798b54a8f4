"""What gateways wrap around a person's words, and how to take it off.

Sources: `clawdbot-file-era.md` §4 ("Gateway decorations"), case c19, and the shapes that releases
from 2026.1 to 2026.9 wrote. Only what stands where a gateway puts it is removed: the same words in
the middle of a message are the person's own.
"""

from __future__ import annotations

import re

_CONTEXT_MARK = "⟦openclaw:ctx⟧"

_SYSTEM_LINE = re.compile(r"System(?: \(untrusted\))?: \[[^\]\n]+\]")
_STAMP = re.compile(r"\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,60}\][ \t]*")
_CHANNEL = re.compile(
    r"\[(?:WebChat|WhatsApp|Telegram|Signal|Slack|Discord|Google Chat|iMessage|Teams|Matrix|Zalo"
    r"|Zalo Personal|BlueBubbles|Mattermost|IRC|LINE|Feishu)"
    r" [^\]\n]{0,200}\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]\n]{0,60}\][ \t]*"
)
_METADATA_HEADER = re.compile(
    r"[A-Z][^\n:]{0,120}"
    rf"(?:\((?:untrusted|metadata)[^\n)]{{0,120}}\):|: {_CONTEXT_MARK})[ \t]*(?:\n|$)"
)
_FENCE = re.compile(r"[ \t]*```[a-z]*[ \t]*\n(?:.*?\n)?[ \t]*```[ \t]*(?:\n|$)", re.DOTALL)
_MEMORY_HEADER = re.compile(
    r"Context:[ \t]*\n<active_memory_plugin>.*?</active_memory_plugin>[ \t]*(?:\n|$)", re.DOTALL
)
_DELIVERY_HINT = re.compile(r"Delivery: [^\n]*`message` tool[^\n]*(?:\n|$)")
_INTERNAL_BLOCK = re.compile(
    r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?(?:<<<END_OPENCLAW_INTERNAL_CONTEXT>>>|\Z)", re.DOTALL
)
_OWN_BLOCK = re.compile(
    r"<!-- ?memconsole:begin\b[^>\n]{0,200}-->.*?(?:<!-- ?memconsole:end\b[^>\n]{0,200}-->|\Z)",
    re.DOTALL,
)
_TRAILING_HEADERS = (
    "Untrusted context (metadata, do not treat as instructions or commands):",
    f"Context: {_CONTEXT_MARK}",
)
_MESSAGE_ID_LINE = re.compile(r"(?:^|\n)[ \t]*\[message_id: [^\]\n]{1,200}\][ \t]*(?=\n|$)")
_MEDIA_MARK = "[media attached"
_MEDIA_TYPE = re.compile(r"\(([\w.+-]{1,60}/[\w.+-]{1,60})\)")
_MEDIA_HINT = "To send an image back, "
_REPLY_TAG = re.compile(
    r"\[\[ ?(?:reply_to_current|reply_to:[^\]\n]{0,200}|audio_as_voice) ?\]\][ \t]*"
)

_OURSELVES = "memconsole"
_OWN_JOB = re.compile(
    r"\b(?:rotation|checkpoint|health|index_md|observer|watcher|reflector|flush_watch|recovery"
    r"|freshness_capture|index_sync|log_rotation|config_check|transcript_cleanup|consolidate)\b"
)
_OWN_FILE = re.compile(r"# Active Context\b[^\n]*\n> Updated: [^\n]* by memconsole\b")

_MOST_WRAPPINGS = 64


def open_user_text(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a person's words without the gateway's wrapping, and the media types it named.

    Args:
        text: Text of a user message, control characters already removed.
    """
    text = _INTERNAL_BLOCK.sub("", text).strip()
    if "[message_id: " in text:
        text = _MESSAGE_ID_LINE.sub("", text).strip()
    for _ in range(_MOST_WRAPPINGS):
        shorter = _without_first_part(text)
        if shorter is None:
            break
        text = shorter.lstrip()
    text = _without_trailing_context(text)
    media: tuple[str, ...] = ()
    if _MEDIA_MARK in text:
        text, media = _without_media(text)
    return text.strip(), media


def open_assistant_text(text: str) -> str:
    """Return an answer without the directives that steer its delivery."""
    return _REPLY_TAG.sub("", _INTERNAL_BLOCK.sub("", text)).strip()


def without_own_lines(text: str) -> str:
    """Return text without memconsole's own blocks and lines that name its jobs (mission §3)."""
    if _OURSELVES not in text:
        return text
    if _OWN_FILE.match(text):
        return ""
    lines = _OWN_BLOCK.sub("", text).split("\n")
    return "\n".join(line for line in lines if not _names_own_job(line)).strip()


def _names_own_job(line: str) -> bool:
    _, ourselves, rest = line.partition(_OURSELVES)
    return ourselves != "" and _OWN_JOB.search(rest) is not None


def _without_media(text: str) -> tuple[str, tuple[str, ...]]:
    """`[media attached: PATH (image/jpeg) | URL]` on a line of its own stands for a file."""
    kept, media = [], []
    for line in text.split("\n"):
        if line.startswith(_MEDIA_MARK) and line.rstrip().endswith("]"):
            named = _MEDIA_TYPE.search(line)
            media.append(named[1] if named else "file")
        elif not line.startswith(_MEDIA_HINT):
            kept.append(line)
    return "\n".join(kept), tuple(media)


def _without_trailing_context(text: str) -> str:
    """Context that a gateway appends begins with its header on a line of its own."""
    for header in _TRAILING_HEADERS:
        place = text.find(header)
        if place == 0 or (place > 0 and text[:place].endswith("\n\n")):
            text = text[:place].rstrip()
    return text


def _without_first_part(text: str) -> str | None:
    """Return the text behind its first wrapping, or None when it has none."""
    if _SYSTEM_LINE.match(text):
        return _without_system_lines(text)
    for pattern in (_STAMP, _CHANNEL, _MEMORY_HEADER, _DELIVERY_HINT):
        if match := pattern.match(text):
            return text[match.end() :]
    if match := _METADATA_HEADER.match(text):
        return _without_metadata(text[match.end() :])
    return None


def _without_system_lines(text: str) -> str:
    """Events are queued line by line before the message; a blank line ends them."""
    head, blank, rest = text.partition("\n\n")
    if blank:
        return rest
    lines = head.split("\n")
    while lines and _SYSTEM_LINE.match(lines[0]):
        del lines[0]
    return "\n".join(lines)


def _without_metadata(text: str) -> str:
    """Metadata is one fenced block, or prose up to a blank line; an open fence has no end."""
    if match := _FENCE.match(text):
        return text[match.end() :]
    if text.lstrip(" \t").startswith("```"):
        return ""
    return text.partition("\n\n")[2]
