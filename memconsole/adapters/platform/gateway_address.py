"""Where the platform's configuration says that its Gateway is, and with which token.

The only place that reads that token; it stays in a value that shows it nowhere.
Format: `docs/formats.md`, "Configuration".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memconsole.adapters.platform.config.json5_file import ConfigSyntaxError, integer, mapping, text
from memconsole.adapters.platform.config.parts import ConfigPartError, WholeConfig, read_whole
from memconsole.domain.gateway import GatewayPlace
from memconsole.text.address import Address, is_any_host, is_same_host, parse

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memconsole.adapters.platform.config.parts import Keys

TOKEN_VARIABLES = ("OPENCLAW_GATEWAY_TOKEN", "CLAWDBOT_GATEWAY_TOKEN")
PORT_VARIABLES = ("OPENCLAW_GATEWAY_PORT", "CLAWDBOT_GATEWAY_PORT")
USUAL_PORT = 18_789

_BARE_HOST = re.compile(r"[^\s/?#@\\]+")
_LOOPBACK = "127.0.0.1"


def find_place(
    config: Path | None,
    environ: Mapping[str, str],
    *,
    url: str | None = None,
    token: str | None = None,
    state: Path | None = None,
) -> GatewayPlace:
    """Return where the Gateway is: our own settings first, then the platform's.

    The platform's token goes to the platform's Gateway only: to another host that our settings
    name, it is not sent.

    Args:
        config: The platform's configuration file; None when there is none.
        environ: For `${NAME}` and the platform's own variables.
        url: Address from our settings.
        token: Token from our settings.
        state: The state folder, for its `.env`; None means the folder of the configuration.
    """
    whole = _whole(config, environ, state)
    section = mapping(whole.root.get("gateway"))
    remote = mapping(section.get("remote")) if section.get("mode") == "remote" else {}
    written = text(remote.get("url")) or _local_url(section, environ)
    known = _parsed(written)
    found, problem = _token(section, remote, environ, whole.unset)
    named = None if url is None else _parsed(url)
    if url is not None and not (named and known and is_same_host(named, known)):
        found, problem = None, ""
    tls = mapping(section.get("tls"))
    certificate = text(tls.get("certPath")) if url is None and not remote else None
    address = known if url is None else named
    if address is None:  # nobody can be reached there: nothing may go out, or be shown of it
        return GatewayPlace(url="", is_explicit=url is not None)
    return GatewayPlace(
        url=address.text,
        whole_url="" if address.whole == address.text else address.whole,
        token=token or found,
        problem="" if token else problem,
        certificate=None if certificate is None or config is None else config.parent / certificate,
        is_explicit=url is not None,
    )


def _whole(config: Path | None, environ: Mapping[str, str], state: Path | None) -> WholeConfig:
    """Return the configuration; one that cannot be read is told by the reading of the home."""
    if config is None:
        return WholeConfig({})
    try:
        return read_whole(config, environ, state or config.parent, "")
    except (OSError, ConfigSyntaxError, ConfigPartError):
        return WholeConfig({})


def _local_url(section: Mapping[str, object], environ: Mapping[str, str]) -> str:
    named = next((environ[name] for name in PORT_VARIABLES if environ.get(name)), "")
    port = int(named) if named.isascii() and named.isdecimal() else integer(section.get("port"))
    if port is None or not 0 < port < 1 << 16:
        port = USUAL_PORT
    host = _LOOPBACK
    if section.get("bind") == "custom":  # every other way of binding listens on loopback too
        host = (text(section.get("customBindHost")) or _LOOPBACK).strip().strip("[]")
    if is_any_host(host):
        host = _LOOPBACK
    if not _BARE_HOST.fullmatch(host):
        return ""
    scheme = "wss" if mapping(section.get("tls")).get("enabled") is True else "ws"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _token(
    section: Mapping[str, object],
    remote: Mapping[str, object],
    environ: Mapping[str, str],
    unset: Mapping[Keys, str],
) -> tuple[str | None, str]:
    """Return the token, else why there is none although one is spoken of."""
    named = next((environ[name] for name in TOKEN_VARIABLES if environ.get(name)), None)
    if named is not None and not remote:
        return named, ""
    auth = mapping(section.get("auth"))
    if remote:
        key, value = "remote", remote.get("token") or remote.get("password")
        name = "token" if remote.get("token") else "password"
    else:
        key, name = "auth", "password" if auth.get("mode") == "password" else "token"
        value = auth.get(name)
    if isinstance(value, dict):
        return None, (
            "the gateway's token is kept by the platform's secret store, which memconsole "
            "does not open"
        )
    missing = unset.get(("gateway", key, name))
    if missing is None:
        return text(value), ""
    return None, f"the gateway's token is in the variable {missing}, which is not set here"


def _parsed(written: str) -> Address | None:
    try:
        return parse(written, "ws", "wss")
    except ValueError:
        return None
