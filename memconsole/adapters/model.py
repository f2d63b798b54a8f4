"""Asks a language model that speaks `/chat/completions` as OpenAI does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from memconsole.domain.model import Completion
from memconsole.errors import ModelError

if TYPE_CHECKING:
    import httpx

    from memconsole.domain.model import Prompt


_MOST_ANSWER_BYTES: Final = 2_000_000
_FINISHED: Final = ("stop", None)


class RemoteModel:
    """Asks a service; what it is sent was masked before.

    Args:
        base_url: Without `/chat/completions`.
        models: The model, and the one that is asked when it fails; empty names are left out.
        key: Bearer token; None for a service without.
    """

    def __init__(self, base_url: str, models: tuple[str, ...], *, key: str | None) -> None:
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._models = tuple(model for model in models if model)
        self._key = key

    def complete(self, prompt: Prompt, *, timeout_s: float) -> Completion:
        """Ask once, and once more the second model when the first one fails."""
        reason = "no model is named"
        for model in self._models:
            try:
                return self._ask(prompt, model, timeout_s)
            except ModelError as error:
                reason = str(error)
        raise ModelError(reason)

    def _ask(self, prompt: Prompt, model: str, timeout_s: float) -> Completion:
        import httpx  # noqa: PLC0415  # heavy, and only for who asked for a model

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        body = {
            "model": model,
            "temperature": 0,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.text},
            ],
        }
        try:
            with (
                httpx.Client(timeout=timeout_s, headers=headers, follow_redirects=False) as client,
                client.stream("POST", self._url, json=body) as answer,
            ):
                data = _read(answer)
        except httpx.HTTPError as error:
            raise ModelError(f"the model cannot be reached ({type(error).__name__})") from error
        if answer.status_code != httpx.codes.OK:
            raise ModelError(f"the model's service answers HTTP {answer.status_code}")
        return _completion(data, model)


def _read(answer: httpx.Response) -> bytes:
    data = b""
    for piece in answer.iter_bytes():
        data += piece
        if len(data) > _MOST_ANSWER_BYTES:
            raise ModelError("the model's answer is too long")
    return data


def _completion(data: bytes, model: str) -> Completion:

    try:
        found: dict[str, Any] = json.loads(data)
        choice = found["choices"][0]
        text, finished = choice["message"]["content"], choice.get("finish_reason")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ModelError("the model's answer cannot be read") from error
    if choice["message"].get("refusal"):
        raise ModelError("the model refused")
    if finished not in _FINISHED:
        raise ModelError("the model's answer is cut off")
    if not isinstance(text, str) or not text.strip():
        raise ModelError("the model's answer is empty")
    usage = found.get("usage")
    counted = usage.get("total_tokens") if isinstance(usage, dict) else None
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return Completion(whole, model, counted if isinstance(counted, int) else None)
