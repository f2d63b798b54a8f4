"""`python -P -m memconsole.adapters.alerts.child`: one delivery in a process of its own.

What a delivery loads goes with the process, and a receiver that never ends cannot hold us. The
question, secrets included, comes by standard input; the answer says how it went, without them. A
message goes over HTTP or through Apprise.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from memconsole.errors import DeliveryError
from memconsole.text.address import parse

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType


def main() -> int:
    """Deliver what standard input asks for; write `{"error": …, "is_final": …}`."""
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)  # whatever a library prints is no answer
        question = json.loads(sys.stdin.buffer.read())
        answer.write(json.dumps(_delivered(question)).encode())
    return 0


def _delivered(question: dict[str, object]) -> dict[str, object]:
    prepare(str(question["kind"]))
    timeout_s = float(str(question["timeout_s"]))

    def late(_number: int, _frame: FrameType | None) -> NoReturn:
        raise DeliveryError(f"no answer within {timeout_s:g} s")

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    try:
        send(question)
    except DeliveryError as error:
        return {"error": str(error), "is_final": error.is_final}
    except Exception as error:  # the edge of the process: a library's own failures
        return {"error": f"it failed with {type(error).__name__}", "is_final": False}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return {"error": None, "is_final": False}


Question = dict[str, Any]
"""What the child is asked: `kind`, `url`, `token`, `channel`, `message`, `timeout_s`."""

SLACK_URL = "https://slack.com/api/chat.postMessage"

_NO_ADDRESS = "its address is none"
_AGENT = {"User-Agent": "memconsole"}
_MOST_ANSWER_BYTES = 65_536
_WORD = re.compile(r"[a-z_]{1,60}")


def prepare(kind: str) -> None:
    """Load what a delivery needs: on a busy host that takes longer than the delivery."""
    import_module("apprise" if kind == "apprise" else "httpx")


def send(question: Question) -> None:
    """Deliver one message.

    Raises:
        DeliveryError: It was not delivered; the sentence holds no secret.
    """
    match question["kind"]:
        case "slack":
            _slack(question)
        case "webhook":
            _post(question["url"], question["message"], {}, question["timeout_s"])
        case _:
            _apprise(question)


def _slack(question: Question) -> None:
    """`chat.postMessage`: refusals come with code 200 and a word."""
    message = question["message"]
    body = {
        "channel": question["channel"],
        "text": _escaped(f"{message['title']}\n{message['text']}"),
        "mrkdwn": False,
        "unfurl_links": False,
    }
    headers = {"Authorization": f"Bearer {question['token']}"}
    answer = _post(question["url"] or SLACK_URL, body, headers, question["timeout_s"])
    if isinstance(answer, dict) and answer.get("ok") is True:
        return
    word = answer.get("error") if isinstance(answer, dict) else None
    said = word if isinstance(word, str) and _WORD.fullmatch(word) else "an unknown answer"
    raise DeliveryError(f"Slack says {said}", is_final=said != "ratelimited")


def _escaped(text: str) -> str:
    """Return text in which Slack sees no mention, link or entity."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _post(url: str, body: object, headers: Mapping[str, str], timeout_s: float) -> object:
    """Post JSON and return what came back, None when that is no JSON."""
    import httpx  # noqa: PLC0415

    target = _safe_address(url, has_token="Authorization" in headers)
    # Any text is valid JSON this way: lone surrogates become escapes.
    data = json.dumps(body).encode("ascii")
    known = {**_AGENT, "Content-Type": "application/json; charset=utf-8", **headers}
    try:
        with (
            httpx.Client(timeout=timeout_s, follow_redirects=False) as client,
            client.stream("POST", target, content=data, headers=known) as response,
        ):
            if not response.is_success:
                code = response.status_code
                is_final = 300 <= code < 500 and code not in (408, 429)
                raise DeliveryError(f"it answered {code}", is_final=is_final)
            answer = _beginning(response)
    except httpx.TimeoutException:
        raise DeliveryError(f"no answer within {timeout_s:g} s") from None
    except httpx.ConnectError:
        raise DeliveryError("no connection: it was refused, or the name is not known") from None
    except (httpx.InvalidURL, httpx.UnsupportedProtocol):
        raise DeliveryError(_NO_ADDRESS, is_final=True) from None
    except httpx.HTTPError:
        raise DeliveryError("the connection ended without an answer") from None
    try:
        found: object = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    return found


def _safe_address(url: str, *, has_token: bool) -> str:
    """Return an address as it was parsed; no token goes over a network in the clear."""
    try:
        found = parse(url, "http", "https")
    except ValueError:
        raise DeliveryError(_NO_ADDRESS, is_final=True) from None
    if (has_token or found.user) and not found.is_private:
        raise DeliveryError(
            "the token is not sent over plain http:// to another host",
            "Use https://, or an SSH tunnel to a port of this host.",
            is_final=True,
        )
    return found.whole


def _beginning(response: Any) -> bytes:
    found = b""
    for part in response.iter_bytes():
        found += part
        if len(found) > _MOST_ANSWER_BYTES:
            break
    return found


def _apprise(question: Question) -> None:
    from apprise import Apprise, AppriseAsset, NotifyFormat, NotifyType  # noqa: PLC0415

    kinds = {"recovery": NotifyType.SUCCESS, "test": NotifyType.INFO}
    message = question["message"]
    kind = kinds.get(message["kind"])
    if kind is None:
        is_critical = message["severity"] == "critical"
        kind = NotifyType.FAILURE if is_critical else NotifyType.WARNING
    apprise = Apprise(asset=AppriseAsset(app_id="memconsole", app_desc="memconsole"))
    if not apprise.add(question["url"]):
        raise DeliveryError("Apprise does not know such an address", is_final=True)
    is_sent = apprise.notify(
        body=message["text"],
        title=message["title"],
        notify_type=kind,
        body_format=NotifyFormat.TEXT,
        interpret_escapes=False,
    )
    if not is_sent:
        raise DeliveryError("Apprise could not deliver it")


if __name__ == "__main__":
    sys.exit(main())
