"""A certificate authority for one run of the tests, and a server's certificate of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

if TYPE_CHECKING:
    from pathlib import Path

NAME = "localhost"
"""The one name of the server's certificate; its address is not in it."""


class Certificates:
    """Files `ca.crt`, `other.crt` of a stranger, `server.crt` and `server.key` in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        folder.chmod(0o755)
        self.folder = folder
        authority, key = _authority("memconsole test")
        stranger, _ = _authority("a stranger")
        mine = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([x509.DNSName(NAME)])
        made = (
            _begun(NAME, mine).issuer_name(authority.subject).add_extension(names, critical=False)
        )
        self._write("ca.crt", authority.public_bytes(Encoding.PEM))
        self._write("other.crt", stranger.public_bytes(Encoding.PEM))
        self._write("server.crt", made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))
        form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self._write("server.key", mine.private_bytes(*form))

    def _write(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)


def _begun(name: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
    )


def _authority(name: str) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    begun = _begun(name, key)
    is_one = x509.BasicConstraints(ca=True, path_length=None)
    issuer = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    begun = begun.issuer_name(issuer).add_extension(is_one, critical=True)
    return begun.sign(key, hashes.SHA256()), key
