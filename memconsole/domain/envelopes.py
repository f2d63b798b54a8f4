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
    r"<!--\s*memconsole:begin\b.*?-->.*?(?:<!--\s*memconsole:end\b.*?-->|\Z)", re.DOTALL
)
_TRAILING_CONTEXT = re.compile(
    r"\n\s*\n(?:Untrusted context \(metadata, do not treat as instructions or commands\):"
    rf"|Context: {_CONTEXT_MARK})[ \t]*\n.*\Z",
    re.DOTALL,
)
_MESSAGE_ID_LINE = re.compile(r"(?:^|\n)[ \t]*\[message_id: [^\]\n]+\][ \t]*(?=\n|$)")
_MEDIA_LINE = re.compile(
    r"(?:^|(?<=\n))\[media attached(?: \d+/\d+)?: [^\n]*?(?:\(([\w.+-]+/[\w.+-]+)\)[^\n]*)?\]"
    r"[ \t]*(?:\n|$)"
)
_MEDIA_HINT = re.compile(r"(?:^|(?<=\n))To send an image back, [^\n]*(?:\n|$)")
_REPLY_TAG = re.compile(
    r"\[\[\s*(?:reply_to_current|reply_to:[^\]\n]*|audio_as_voice)\s*\]\][ \t]*"
)

_OWN_JOBS = re.compile(
    r"\bmemconsole\b[^\n]*\b(?:rotation|checkpoint|health|index_md|observer|watcher|reflector"
    r"|flush_watch|recovery|freshness_capture|index_sync|log_rotation|config_check"
    r"|transcript_cleanup|consolidate)\b"
)
_OWN_FILE = re.compile(r"# Active Context\b[^\n]*\n> Updated: [^\n]* by memconsole\b")


def open_user_text(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a person's words without the gateway's wrapping, and the media types it named.

    Args:
        text: Text of a user message, control characters already removed.
    """
    text = _INTERNAL_BLOCK.sub("", text).strip()
    while text:
        shorter = _without_first_part(text)
        if shorter is None:
            break
        text = shorter.lstrip()
    text = _TRAILING_CONTEXT.sub("", f"\n\n{text}").lstrip("\n")
    text = _MESSAGE_ID_LINE.sub("", text)
    media = tuple(match[1] or "file" for match in _MEDIA_LINE.finditer(text))
    if media:
        text = _MEDIA_HINT.sub("", _MEDIA_LINE.sub("", text))
    return text.strip(), media


def open_assistant_text(text: str) -> str:
    """Return an answer without the directives that steer its delivery."""
    return _REPLY_TAG.sub("", _INTERNAL_BLOCK.sub("", text)).strip()


def without_own_lines(text: str) -> str:
    """Return text without memconsole's own blocks and lines that name its jobs (mission §3)."""
    if "memconsole" not in text:
        return text
    if _OWN_FILE.match(text):
        return ""
    lines = _OWN_BLOCK.sub("", text).split("\n")
    return "\n".join(line for line in lines if not _OWN_JOBS.search(line)).strip()


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
