"""The key that signs what Python processes have to pickle: beside applications, never in a checkpoint."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from headrace.jvm.paths import data_dir
from headrace.log.files import make_private, write_whole
from headrace.log.secrets import with_secrets
from headrace.model.classes import Classes
from headrace.state.codec import StateCodec
from headrace.state.pickles import PickledState, Pickles

if TYPE_CHECKING:
    from headrace.runtime.app import App

SHORTEST = 16
_FILE = "state.key"


def pickles_of(app: App) -> Pickles:
    """Pickle policy of an application: with the key that it names, or the one of this user on this machine."""
    if app.pickled_state is PickledState.REFUSE:
        return Pickles(PickledState.REFUSE)
    named = None if app.state_key is None else with_secrets({"state_key": app.state_key})["state_key"]
    return Pickles(app.pickled_state, _own_key() if named is None else named.encode())


def codec_of(app: App) -> StateCodec:
    """Codec of an application's state in this process."""
    return StateCodec(Classes.here(), pickles_of(app))


def _own_key() -> bytes | None:
    """The key of this user, made when it is first asked for; None where it cannot be kept."""
    path = data_dir() / _FILE
    try:
        if not path.exists():
            make_private(path.parent)
            write_whole(path, secrets.token_hex(32) + "\n")
        return path.read_text().strip().encode() or None
    except OSError:
        return None  # only who pickles needs one, and is told then
