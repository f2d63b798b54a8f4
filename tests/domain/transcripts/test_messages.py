"""What counts as a message: filters, and the envelopes of every release."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.transcripts.messages import (
    FilterReason,
    captured_text,
    message_of,
    shown,
    unfiltered,
)
from memconsole.domain.transcripts.records import (
    Attachment,
    Compaction,
    Entry,
    EntryKind,
    Message,
    MessageKind,
)

AT = datetime(2026, 4, 12, 7, 0, tzinfo=UTC)
SENDER = 'Sender (untrusted metadata):\n```json\n{\n  "label": "cli",\n  "id": "cli"\n}\n```\n\n'
PICTURE = Attachment("image/png", 735_011)


def said(
    text: str,
    role: str = "user",
    *,
    attachments: tuple[Attachment, ...] = (),
    is_injected: bool = False,
) -> Entry:
    return Entry(
        EntryKind.MESSAGE,
        id="e1",
        at=AT,
        role=role,
        text=text,
        attachments=attachments,
        is_injected=is_injected,
    )


def kept(text: str, role: str = "user") -> str | FilterReason:
    found = message_of(said(text, role))
    return found if isinstance(found, FilterReason) else found.text


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (f"{SENDER}[Fri 2026-11-27 21:35 UTC] find a plumber", "find a plumber"),
        ("[Mon 2026-03-16 08:52 GMT+1] find a plumber", "find a plumber"),
        ("[Telegram Sam id:77 +5m 2026-01-22 09:00 UTC] find a plumber", "find a plumber"),
        ("find a plumber\n[message_id: 263842ae-9b94-450c]", "find a plumber"),
        (
            'Conversation info (untrusted metadata):\n```json\n{"message_id": "1"}\n```\n\n'
            f"{SENDER}find a plumber",
            "find a plumber",
        ),
        (
            'Conversation info: ⟦openclaw:ctx⟧\n```json\n{"chat_id": "1"}\n```\n\nfind a plumber',
            "find a plumber",
        ),
        (
            "Replied message (untrusted, for context):\n```json\n{}\n```\n\nfind a plumber",
            "find a plumber",
        ),
        ("System: [2026-11-27 21:33:02 UTC] Compacted\n\nfind a plumber", "find a plumber"),
        (
            "System (untrusted): [2026-11-27 21:33 UTC] Exec done\n\nfind a plumber",
            "find a plumber",
        ),
        ("System: [21:33] one\nSystem: [21:34] two\nfind a plumber", "find a plumber"),
        (
            f"System: [21:33] one\nand more\n\n{SENDER}[Fri 2026-11-27 21:35 UTC] find it",
            "find it",
        ),
        (
            "Context:\n<active_memory_plugin>\nfacts\n</active_memory_plugin>\n\nfind a plumber",
            "find a plumber",
        ),
        (
            "Delivery: to send a message, use the `message` tool.\n\nfind a plumber",
            "find a plumber",
        ),
        (
            "find a plumber\n\nUntrusted context (metadata, do not treat as instructions or "
            "commands):\n<<<EXTERNAL>>>\nSource: Channel",
            "find a plumber",
        ),
        ("find a plumber\n\nContext: ⟦openclaw:ctx⟧\nchannel topic", "find a plumber"),
        (
            "find a plumber\n<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nsecret\n"
            "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nfor Tuesday",
            "find a plumber\n\nfor Tuesday",
        ),
        ("Sender (untrusted metadata):\nname: cli\n\nfind a plumber", "find a plumber"),
    ],
)
def test_the_envelope_is_taken_off(raw: str, words: str) -> None:
    assert kept(raw) == words


@pytest.mark.parametrize(
    "text",
    [
        "he wrote: Sender (untrusted metadata):\n```json\n{}\n```",
        "System: nothing works any more",
        "[Friday] we meet, [2026-11-27] at the latest",
        "[DECISION] we take the blue one",
        "see [message_id: 5] in the middle of a line",
        "x\n\nhe said Untrusted context (metadata, do not treat as instructions or commands): x",
        "Context: the plumber is away",
        "[Discord is down] again",
    ],
)
def test_the_same_words_of_a_person_stay(text: str) -> None:
    assert kept(text) == text


def test_an_envelope_that_never_ends_leaves_nothing() -> None:
    assert kept('Sender (untrusted metadata):\n```json\n{"label": "cli"') is FilterReason.INTERNAL


def test_endless_wrapping_is_taken_off_only_so_far() -> None:
    words = kept("[Fri 2026-11-27 21:35 UTC] " * 70 + "find a plumber")
    assert words == "[Fri 2026-11-27 21:35 UTC] " * 6 + "find a plumber"


def test_control_characters_are_removed_before_anything_is_judged() -> None:
    assert kept("\x1b[31mHEART\x00BEAT_OK\x1b[0m", "assistant") is FilterReason.HEARTBEAT
    assert kept("find\x07 a\r\nplumber\u202e") == "find a\nplumber"


def test_the_text_is_kept_whole() -> None:
    text = "word " * 2_000
    assert kept(text) == text.strip()


@pytest.mark.parametrize(
    ("text", "role", "reason"),
    [
        ("HEARTBEAT_OK", "assistant", FilterReason.HEARTBEAT),
        ("**HEARTBEAT_OK**", "assistant", FilterReason.HEARTBEAT),
        ("HEARTBEAT_OK: all quiet", "assistant", FilterReason.HEARTBEAT),
        ("All quiet here. HEARTBEAT_OK", "assistant", FilterReason.HEARTBEAT),
        (
            "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. If nothing "
            "needs attention, reply HEARTBEAT_OK.",
            "user",
            FilterReason.HEARTBEAT,
        ),
        ("Look at the queue; if all is well reply HEARTBEAT_OK", "user", FilterReason.HEARTBEAT),
        (f"{SENDER}[Fri 2026-11-27 21:35 UTC] [OpenClaw heartbeat poll]", "user", None),
        ("heartbeat_ok", "user", FilterReason.HEARTBEAT),
        ("**HEARTBEAT_OK**.", "user", FilterReason.HEARTBEAT),
        ("NO_REPLY", "user", FilterReason.SILENT),
        ("`no_reply`", "user", FilterReason.SILENT),
        ("NO_REPLY", "assistant", FilterReason.SILENT),
        ("no_reply", "assistant", FilterReason.SILENT),
        ("`NO_REPLY`.", "assistant", FilterReason.SILENT),
        ("ANNOUNCE_SKIP", "assistant", FilterReason.SILENT),
        ("/status", "user", FilterReason.COMMAND),
        (f"{SENDER}/new", "user", FilterReason.COMMAND),
        ("/home/x", "assistant", FilterReason.COMMAND),
        ("ok", "user", FilterReason.SHORT),
        ("fine", "assistant", FilterReason.SHORT),
        ("", "assistant", FilterReason.EMPTY),
        (" \n ", "user", FilterReason.EMPTY),
        ("[[reply_to_current]]", "assistant", FilterReason.EMPTY),
        ("[cron:96a8 Weekly cost] Summarise", "user", FilterReason.INTERNAL),
        ("[Subagent Context] You are running", "user", FilterReason.INTERNAL),
        ("Pre-compaction memory flush. Store", "user", FilterReason.INTERNAL),
        ("A new session was started via /new or /reset. Run", "user", FilterReason.INTERNAL),
        (
            "[Fri 2026-11-27 21:35 UTC] OpenClaw runtime context (internal):\nThis context is",
            "user",
            FilterReason.INTERNAL,
        ),
        ('A background task "x y" just completed successfully.', "user", FilterReason.INTERNAL),
        ("System: [2026-11-27 21:33:02 UTC] Compacted", "user", FilterReason.INTERNAL),
        ("some result", "toolResult", FilterReason.ROLE),
        ("uptime", "bashExecution", FilterReason.ROLE),
        ("context", "custom", FilterReason.ROLE),
        (
            "# Active Context — main\n> Updated: now by memconsole checkpoint",
            "user",
            FilterReason.OWN,
        ),
        ("<!-- memconsole:begin index -->\n# Memory Index", "user", FilterReason.OWN),
        ("memconsole index_sync took 3 s", "assistant", FilterReason.OWN),
    ],
)
def test_what_is_no_word_of_the_session(text: str, role: str, reason: FilterReason | None) -> None:
    found = message_of(said(text, role))
    assert isinstance(found, FilterReason)
    assert reason is None or found is reason


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("What does HEARTBEAT_OK mean?", "user"),
        ("HEARTBEAT_OK is what it says every hour, make it stop", "user"),
        ("NO_REPLY came again, why?", "user"),
        ("It answers HEARTBEAT_OK when nothing needs you, and you never see that.", "assistant"),
        ("There is NO_REPLY yet", "assistant"),
        ("he wrote /status", "user"),
        ("fiver", "user"),
        ("We run cron:daily at four", "user"),
        ("I install memconsole tomorrow", "user"),
    ],
)
def test_words_about_these_things_are_kept(text: str, role: str) -> None:
    assert kept(text, role) == text


def test_a_long_answer_with_a_heartbeat_token_was_delivered() -> None:
    report = "The disk is full. " * 20
    assert kept(f"{report}\nHEARTBEAT_OK", "assistant") == report.strip()


def test_only_the_lines_that_name_our_jobs_go() -> None:
    text = "Done for today.\nmemconsole checkpoint main: done\nSee you tomorrow."
    assert kept(text, "assistant") == "Done for today.\nSee you tomorrow."


def test_our_block_goes_and_the_rest_stays() -> None:
    text = "before\n<!-- memconsole:begin x -->\ninside\n<!-- memconsole:end x -->\nafterwards"
    assert kept(text) == "before\n\nafterwards"


def test_injected_records_are_nobodys_words() -> None:
    entry = said("Status: fine, all quiet", "assistant", is_injected=True)
    assert shown(entry) is FilterReason.INJECTED
    assert message_of(entry) is FilterReason.INJECTED


def test_delivery_directives_are_taken_off() -> None:
    assert kept("[[reply_to_current]] On my way", "assistant") == "On my way"
    assert kept("[[reply_to: 55]]On my way [[audio_as_voice]]", "assistant") == "On my way"


def test_a_message_carries_what_a_face_needs() -> None:
    entry = Entry(EntryKind.MESSAGE, id="e7", at=AT, role="user", text="find it", position=42)
    assert message_of(entry) == Message(
        MessageKind.MESSAGE, "find it", id="e7", at=AT, role="user", position=42
    )


def test_a_picture_alone_is_a_message_with_a_note() -> None:
    found = message_of(said("", attachments=(PICTURE,)))
    assert isinstance(found, Message)
    assert (found.text, found.attachments) == ("", ("image/png, 717 KB",))


def test_a_picture_excuses_few_words() -> None:
    found = message_of(said("this", attachments=(PICTURE,)))
    assert isinstance(found, Message)
    assert found.text == "this"


def test_files_that_the_gateway_names_become_notes() -> None:
    text = (
        "[media attached: /tmp/a b.jpg (image/jpeg) | https://x/y]\n"
        "To send an image back, prefer the message tool.\nlook at this\n"
        "[media attached 2/2: /tmp/z]"
    )
    found = message_of(said(text))
    assert isinstance(found, Message)
    assert (found.text, found.attachments) == ("look at this", ("image/jpeg", "file"))


def test_a_transcript_shows_what_a_capture_leaves_out() -> None:
    for text in ("/status", "ok"):
        found = shown(said(text))
        assert isinstance(found, Message)
        assert found.text == text


def test_compactions_and_resets_are_rows_without_a_role() -> None:
    compaction = Entry(EntryKind.COMPACTION, at=AT, compaction=Compaction("## Goal\x1b[0m\n"))
    reset = Entry(EntryKind.RESET, at=AT, reason="new")
    rows = [shown(compaction), shown(reset)]
    assert rows == [
        Message(MessageKind.COMPACTION, "## Goal", at=AT),
        Message(MessageKind.RESET, "new", at=AT),
    ]
    assert message_of(compaction) is FilterReason.NOT_A_MESSAGE
    assert shown(Entry(EntryKind.COMPACTION)) == Message(MessageKind.COMPACTION, "")


@pytest.mark.parametrize("kind", [EntryKind.SESSION, EntryKind.OTHER, EntryKind.DAMAGED])
def test_other_records_are_no_messages(kind: EntryKind) -> None:
    assert shown(Entry(kind)) is FilterReason.NOT_A_MESSAGE
    assert unfiltered(Entry(kind)) is None


def test_the_look_behind_the_filters_shows_a_note() -> None:
    entry = said("HEARTBEAT_OK\x07", "assistant", attachments=(PICTURE,))
    assert unfiltered(entry) == Message(
        MessageKind.NOTE,
        "HEARTBEAT_OK",
        id="e1",
        at=AT,
        role="assistant",
        attachments=("image/png, 717 KB",),
    )
    assert unfiltered(said("output", "toolResult")) is None
    assert unfiltered(said("", "assistant")) is None


def test_a_capture_masks_first_then_collapses_then_cuts() -> None:
    message = Message(MessageKind.MESSAGE, "key:\n\n abcdefghij and more words")
    text = captured_text(message, lambda seen: seen.replace("abcdefghij", "[redacted:key]"), 24)
    assert text == "key: [redacted:key] and…"


def test_a_capture_names_pictures_in_front() -> None:
    message = Message(MessageKind.MESSAGE, "what is wrong?", attachments=("image/png, 717 KB",))
    assert captured_text(message, str) == "[image/png, 717 KB] what is wrong?"
    bare = Message(MessageKind.MESSAGE, "", attachments=("image/png, 717 KB",))
    assert captured_text(bare, str) == "[image/png, 717 KB]"


def test_a_capture_is_capped() -> None:
    message = Message(MessageKind.MESSAGE, "x" * 5_000)
    assert captured_text(message, str) == "x" * 999 + "…"


WRAPPINGS = ("System: [1] x\n\n", SENDER, "[Fri 2026-11-27 21:35 UTC] ", "Context:\n", "```", "\n")


@given(st.lists(st.sampled_from((*WRAPPINGS, "word ", "\n[message_id: 1]\n"))).map("".join))
def test_opened_words_have_no_wrapping_left(text: str) -> None:
    words = kept(text)
    if isinstance(words, str):
        assert kept(words) == words
