"""Makes what speaks to a fleet's PostgreSQL; loaded by nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.fleet.postgres.connect import connect
from memconsole.adapters.fleet.postgres.membership import Membership, passwords_of
from memconsole.adapters.fleet.postgres.owner import (
    KNOWN,
    PostgresOwner,
    read_members,
    whole_script,
)

if TYPE_CHECKING:
    from memconsole.domain.fleet.members import Member
    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.domain.settings import Settings

fleet_script = whole_script
__all__ = ["KNOWN", "fleet_hosts", "fleet_membership", "fleet_owner", "fleet_script"]


def fleet_owner(settings: Settings, address: ServerAddress) -> PostgresOwner:
    """Return the fleet as its owner sees it."""
    return PostgresOwner(address, passwords_of(settings.state_dir))


def fleet_membership(settings: Settings, address: ServerAddress) -> Membership:
    """Return the membership of this state folder."""
    return Membership(address, settings.state_dir)


def fleet_hosts(settings: Settings, address: ServerAddress) -> tuple[Member, ...]:
    """Return the hosts that the role of an address may see.

    Raises:
        SourceAwayError: The server is away, or does not let us.
    """
    with connect(address, passwords_of(settings.state_dir)) as connection:
        return read_members(connection)
