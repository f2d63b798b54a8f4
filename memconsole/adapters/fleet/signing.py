"""Ed25519 keys of people: made once, kept in our state folder, and checked by hosts."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from memconsole.domain.fleet.letters import KEY_START

if TYPE_CHECKING:
    from memconsole.domain.fleet.letters import Letter


class Signer:
    """Signs letters.

    Args:
        seed: 32 bytes that only their owner has.
    """

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        public = self._key.public_key().public_bytes_raw()
        self.key = KEY_START + base64.b64encode(public).decode()

    def sign(self, letter: Letter) -> str:
        """Return a signature of all of it, in base64."""
        return base64.b64encode(self._key.sign(letter.signed)).decode()


def is_signed(letter: Letter, key: str, signature: str) -> bool:
    """Tell whether a key signed a letter."""
    try:
        public = base64.b64decode(key.removeprefix(KEY_START), validate=True)
        made = base64.b64decode(signature, validate=True)
        Ed25519PublicKey.from_public_bytes(public).verify(made, letter.signed)
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return True
