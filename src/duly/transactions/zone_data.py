"""Zone data that changes: which release of tzdata a ledger's wall times are by."""

from dataclasses import dataclass
from typing import Final

from duly.ledger.api.tx import Tx
from duly.model.errors import DulyError
from duly.model.timing import AnchorClass
from duly.model.zone import Zone

_IN_FORCE: Final = "tzdata"
RETIMED: Final = "tzdata_retimed"
"""The setting that names the release by which every wall slot was looked at."""
_SCOPE: Final = "node"


class ZoneDataOlderError(DulyError):
    """The ledger's wall times are by a newer release of tzdata than this node has. Upgrade it here."""

    code = "zone-data-older"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopt:
    """A node with a release of tzdata, such as `2026f`; later releases have greater names."""

    version: str
    actor: str


def in_force(tx: Tx) -> str | None:
    """Return the newest release that any node of this ledger had; None before the first."""
    return tx.setting(_IN_FORCE)


def is_older(tx: Tx, version: str) -> bool:
    """Say whether a release is older than the ledger's: wall slots are then somebody else's to answer."""
    newest = in_force(tx)
    return newest is not None and version < newest


def check(tx: Tx, zone: Zone, anchor: AnchorClass | None) -> None:
    """Raise ZoneDataOlderError where wall times of a zone would be read by older data than the ledger's."""
    if anchor is AnchorClass.WALL and is_older(tx, zone.version):
        raise ZoneDataOlderError(
            f"this node has tzdata {zone.version}, the ledger's times are by {in_force(tx)}",
            fix="Upgrade Duly's tzdata package on this node.",
        )


def adopt(tx: Tx, command: Adopt) -> bool:
    """Put a release in force unless a newer one is; say whether wall slots have to be looked at for it.

    Nodes with an older release answer no wall slots from now on.
    """
    before = in_force(tx)
    if before is not None and command.version < before:
        return False
    if before != command.version:
        tx.record_setting(_IN_FORCE, command.version)
        body = {"from": before, "to": command.version}
        tx.audit(_SCOPE, "tzdata.adopted", body, command.actor)
    return tx.setting(RETIMED) != command.version
