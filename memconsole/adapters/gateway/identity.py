"""The Ed25519 identity of this device, for Gateways that want one (payload `v2`).

The private key is ours alone: one file in our state folder, 0600. A Gateway that we sign for keeps
a record of the device; so it is made only where somebody wants to act.
"""

from __future__ import annotations

import base64
import hashlib
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from memconsole.adapters.gateway.errors import RefusedError
from memconsole.domain.gateway import Verdict, refusal
from memconsole.lazy_dataclass import dataclass
from memconsole.system.atomic_file import create_file, remove, temporary_name
from memconsole.system.folders import open_state_folder
from memconsole.system.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Device:
    """One identity.

    Attributes:
        id: Hex SHA-256 of the raw public key.
        public_key: base64url without padding.
    """

    id: str
    public_key: str
    _secret: bytes

    def __repr__(self) -> str:
        return f"Device(id={self.id!r})"

    def block(
        self, *, scopes: Sequence[str], token: str | None, nonce: str, signed_at: int
    ) -> dict[str, object]:
        """Return the signed `device` object of a `connect` request.

        Args:
            scopes: In the order they are asked for.
            token: The shared token, which the signature covers.
            nonce: From the challenge.
            signed_at: Milliseconds; the challenge's own time, so that no clock of ours matters.
        """
        signed = "|".join(
            ("v2", self.id, "cli", "cli", "operator", ",".join(scopes), str(signed_at))
        )
        payload = f"{signed}|{token or ''}|{nonce}"
        signature = _private_key(self._secret).sign(payload.encode())
        return {
            "id": self.id,
            "publicKey": self.public_key,
            "signature": _encoded(signature),
            "signedAt": signed_at,
            "nonce": nonce,
        }


class DeviceFile:
    """Keeps the identity in one file.

    Args:
        path: The file; its folder is made when the identity is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Device | None:
        """Return the identity; None when there is none yet.

        Raises:
            RefusedError: The file is damaged or cannot be read; it is never replaced by itself.
        """
        try:
            with open_regular(self._path) as file:
                raw = base64.b64decode(file.read(), validate=True)
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            raw = b""
        if len(raw) != _KEY_BYTES:
            raise RefusedError(
                refusal(
                    Verdict.NOT_PAIRED,
                    f"the identity of this device in {self._path} cannot be read",
                    "Remove that file to be given a new one, then approve the device again.",
                )
            )
        return _device(raw)

    def load_or_make(self) -> Device:
        """Return the identity, made now when there is none.

        Raises:
            RefusedError: It cannot be read or stored.
        """
        if (known := self.load()) is not None:
            return known
        raw = os.urandom(_KEY_BYTES)
        try:
            self._store(raw)
        except FileExistsError:
            return self.load_or_make()
        except OSError as error:
            raise RefusedError(
                refusal(
                    Verdict.NOT_PAIRED,
                    f"the gateway wants an identity of this device, and {self._path} cannot be "
                    f"written: {(error.strerror or 'no reason given').lower()}",
                    "Check owner and mode of the state folder.",
                )
            ) from error
        return _device(raw)

    def _store(self, raw: bytes) -> None:
        """Write it beside its place and link it there: whole or not at all, and never twice."""
        place = self._path.parent
        with open_state_folder(place.parent, place.name) as folder, temporary_name() as draft:
            try:
                create_file(folder, draft, base64.b64encode(raw))
                os.link(draft, self._path.name, src_dir_fd=folder, dst_dir_fd=folder)
            finally:
                with suppress(OSError):
                    remove(folder, draft)


def _device(raw: bytes) -> Device:
    public = _private_key(raw).public_key().public_bytes_raw()
    return Device(hashlib.sha256(public).hexdigest(), _encoded(public), raw)


def _private_key(raw: bytes) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415

    return ed25519.Ed25519PrivateKey.from_private_bytes(raw)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
