"""Failures that are expected: each says what happened, and what to do next.

A constructor takes facts and builds the sentence. No secret and no markup ever enters it.
`code` is the stable word of `--json`; the command line maps the class to an exit code.
"""

from __future__ import annotations


class MemconsoleError(Exception):
    """An expected failure.

    Attributes:
        code: Stable machine word for `error.code` of `--json`.
        hint: One sentence that says what to do next; empty when there is nothing to do.
    """

    code: str = "failed"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(MemconsoleError):
    """The call itself is wrong: an unknown agent, key or option value. Nothing was done."""

    code = "usage"


class FolderGoneError(UsageError):
    """A relative path was given, and the folder it starts from exists no more."""

    code = "folder-gone"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"the path {path!r} is relative, and the current folder does not exist any more",
            hint="Go to a folder that exists, or name the whole path.",
        )


class ConfirmationError(UsageError):
    """An action that destroys was not confirmed; nothing was done."""

    code = "not-confirmed"

    def __init__(self, action: str, *, is_declined: bool) -> None:
        super().__init__(
            f"{action} was not confirmed; nothing was done"
            if is_declined
            else f"{action} asks before it acts, and nobody can answer here; nothing was done",
            hint="Add --yes to act without being asked, or --dry-run to see the plan.",
        )


class ConfigError(MemconsoleError):
    """Our own configuration cannot be used; names the key, the file and the line."""

    code = "config"


class SourceAwayError(MemconsoleError):
    """A home of the fleet could not be reached, or did not answer."""

    code = "away"


class FleetError(MemconsoleError):
    """The fleet's server did not do what was asked of it."""

    code = "fleet"


class FleetHeldError(FleetError):
    """Another process publishes this home."""

    code = "held"

    def __init__(self, home: str, holder: str) -> None:
        super().__init__(
            f"the home {home} is published by another process: {holder}",
            hint="A copied machine or state folder? Remove `fleet` from its state folder and join "
            "again.",
        )


class HomeNotFoundError(MemconsoleError):
    """The platform's state folder does not exist."""

    code = "home-not-found"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"the platform home {path} does not exist",
            hint="Name it with --home DIR, or try `memconsole --demo`.",
        )
        self.path = path


class HomeUnreadableError(MemconsoleError):
    """The home exists, but none of its session stores can be read."""

    code = "home-unreadable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"none of the session stores in {path} can be read: {reason}",
            hint="Check owner and mode of the folder; memconsole reads it and never writes it.",
        )
        self.path = path


class UnknownAgentError(UsageError):
    """No agent of that id is configured or on disk."""

    code = "unknown-agent"

    def __init__(self, agent_id: str, known: tuple[str, ...]) -> None:
        listed = ", ".join(known) if known else "none"
        super().__init__(f"there is no agent {agent_id!r}", hint=f"Known agents: {listed}.")


class SessionNotFoundError(UsageError):
    """No session has that key or id."""

    code = "unknown-session"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"there is no session {key!r}",
            hint="`memconsole sessions --all` lists every key and id.",
        )


class EntryIdError(UsageError):
    """An id names no entry of the memory, or begins those of several."""

    code = "entry-id"


class GatewayUnavailableError(MemconsoleError):
    """An action needs the Gateway, and it is not reachable or refuses us.

    Attributes:
        code: The verdict, when one is known.
    """

    code = "gateway-unavailable"

    def __init__(self, message: str, hint: str = "", *, verdict: str | None = None) -> None:
        super().__init__(message, hint)
        if verdict is not None:
            self.code = verdict


class GatewayMismatchError(MemconsoleError):
    """The Gateway's session of a key is not the one of the home: it may serve another home."""

    code = "gateway-mismatch"

    def __init__(self, key: str) -> None:
        super().__init__(
            f"the gateway's session {key!r} is another one than that of this home",
            hint="Check that gateway.url and --home belong together; nothing was sent.",
        )


class GatewayCallError(MemconsoleError):
    """The Gateway understood a request and refused it; nothing was done.

    Attributes:
        method: What it was asked for.
        reason: `details.reason` or `details.code` of its answer, a plain word; may be empty.
    """

    code = "gateway-refused"

    def __init__(self, method: str, words: str, *, reason: str = "") -> None:
        super().__init__(
            f"the gateway refused {method}: {words}",
            hint="Nothing was changed; look at the session before trying again.",
        )
        self.method = method
        self.reason = reason


class ReadOnlyError(MemconsoleError):
    """An action was refused because memconsole runs with `--read-only`."""

    code = "read-only"

    def __init__(self, action: str) -> None:
        super().__init__(
            f"{action} was refused: memconsole runs read-only",
            hint="Start it without --read-only (or ui.read_only = false) to act.",
        )


class LockedError(MemconsoleError):
    """Another process works in the same workspace right now."""

    code = "locked"

    def __init__(self, what: str, owner: str) -> None:
        super().__init__(
            f"{what} is in use by {owner}", hint="It is free again when that run ends."
        )
        self.owner = owner


class NoWorkspaceError(MemconsoleError):
    """The agent's workspace is not there, or only guessed; nothing can be done for it."""

    code = "workspace-missing"


class SchedulerOwnedError(MemconsoleError):
    """Another process runs the jobs of this state folder."""

    code = "scheduler-owned"

    def __init__(self, owner: str, what: str = "the scheduler") -> None:
        super().__init__(
            f"{what} runs already: {owner}",
            hint="`memconsole jobs` shows what it does; stop it first to run one here.",
        )
        self.owner = owner


class WorkspaceError(MemconsoleError):
    """A write into a workspace was refused or failed; the old file is whole."""

    code = "workspace"


class ConcurrentEditError(WorkspaceError):
    """Someone changed a file between our reading and our replacing it; theirs was kept."""

    code = "concurrent-edit"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} was changed by someone else while it was being replaced; their text was kept",
            hint="The next run takes the new text into account.",
        )
        self.path = path


class PlatformConfigError(MemconsoleError):
    """The platform's configuration cannot be read or changed; the old file is whole."""

    code = "platform-config"


class StateError(MemconsoleError):
    """Our own state folder cannot be written or was made by a newer memconsole."""

    code = "state"


class DeliveryError(MemconsoleError):
    """An alert did not reach its channel.

    Attributes:
        is_final: Trying again at once cannot help.
    """

    code = "not-delivered"

    def __init__(self, message: str, hint: str = "", *, is_final: bool = False) -> None:
        super().__init__(message, hint)
        self.is_final = is_final


class NotWrittenError(MemconsoleError):
    """A file that the operator named could not be written."""

    code = "not-written"


class ServiceError(MemconsoleError):
    """The scheduler could not be made a service of this host, or is one of somebody else's."""

    code = "service"


class StateNewerError(StateError):
    """Our own database was made by a newer memconsole: it is read and never written."""

    code = "state-newer"


class IndexUnavailableError(MemconsoleError):
    """A search index cannot be read or built; nobody could look."""

    code = "index-unavailable"


class EmbeddingError(IndexUnavailableError):
    """The embedding provider that was configured did not do its work."""

    code = "embedding-failed"


class ModelError(MemconsoleError):
    """The optional language model gave no answer that can be used; there is a result without it."""

    code = "model-failed"


class SearchCancelledError(IndexUnavailableError):
    """A search was ended by who had asked; there is no answer."""

    code = "interrupted"


class StoreError(MemconsoleError):
    """One session store or transcript of the platform cannot be read.

    `code` is also the warning code of the contract: `store-unreadable` or `store-newer`.
    """

    code = "store-unreadable"


class TranscriptRefusedError(StoreError):
    """A file is not taken for a session's transcript: it is somebody else's, or may be.

    Attributes:
        code: One of `CODES`, which are warning codes as well.
    """

    CODES = frozenset({"session-id-mismatch", "transcript-outside"})

    def __init__(self, code: str, message: str) -> None:
        super().__init__(
            message,
            hint="Nothing of it was read: the session's entry names a file that is not its own.",
        )
        self.code = code


class StoreNewerError(StoreError):
    """A store was made by a newer platform than we know; only its Gateway can read it."""

    code = "store-newer"

    def __init__(self, path: str, version: int, known: int) -> None:
        super().__init__(
            f"{path} has schema {version}, and this memconsole knows schemas up to {known}",
            hint="Update memconsole, or start the Gateway: it can still be asked.",
        )
        self.version = version
