"""Directory of the embedded broker: locks, marks, state, generated settings, logs, data.

start.lock    held while somebody starts, joins or stops the broker: one at a time
broker.lock   held by the supervisor for its life: held means a broker runs, or is about to
users.lock    shared by everybody who uses the broker
keep          there when the broker was started by hand and stays without users
broker.json   process ids and port, written by the supervisor
launch.json   what the supervisor is to start, written by whoever starts it
failed        why the last start failed
port          the port of last time
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from headrace.errors import BrokerDirUnusable
from headrace.log.files import OWNER_ONLY, write_whole


@dataclass(frozen=True, kw_only=True)
class BrokerState:
    """State of a broker, written by its supervisor."""

    pid: int
    java_pid: int | None
    port: int
    since_ms: int
    ready: bool

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"


@dataclass(frozen=True, kw_only=True)
class Launch:
    """Launch settings of a broker, for its supervisor."""

    java: str
    classpath: str
    class_archive: str
    mapped: str | None
    port: int
    controller_port: int


@dataclass(frozen=True)
class BrokerDir:
    """The paths of one embedded broker, and the reading and writing of its small files."""

    path: Path

    @property
    def start_lock(self) -> Path:
        return self.path / "start.lock"

    @property
    def broker_lock(self) -> Path:
        return self.path / "broker.lock"

    @property
    def users_lock(self) -> Path:
        return self.path / "users.lock"

    @property
    def keep(self) -> Path:
        return self.path / "keep"

    @property
    def failed(self) -> Path:
        return self.path / "failed"

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def server_properties(self) -> Path:
        return self.path / "server.properties"

    @property
    def logging_config(self) -> Path:
        return self.path / "log4j2.xml"

    @property
    def log(self) -> Path:
        return self.path / "logs" / "broker.log"

    @property
    def supervisor_log(self) -> Path:
        return self.path / "logs" / "supervisor.log"

    def prepare(self) -> None:
        """Make the directories, for this user's eyes only."""
        try:
            for directory in (self.path, self.log.parent, self.data):
                directory.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
            self.path.chmod(OWNER_ONLY)
        except OSError as exc:
            # A file in the place of a directory is the one case whose own words ("File exists") do not say it.
            reason = "there is a file of this name" if isinstance(exc, FileExistsError) else exc.strerror or str(exc)
            raise BrokerDirUnusable(exc.filename or str(self.path), reason) from exc

    def read_state(self) -> BrokerState | None:
        """Read the state that the supervisor wrote, even if it is dead by now; None when there is none."""
        try:
            return BrokerState(**json.loads(self._state.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def write_state(self, state: BrokerState) -> None:
        write_whole(self._state, json.dumps(asdict(state)))

    def forget_state(self) -> None:
        self._state.unlink(missing_ok=True)

    def read_launch(self) -> Launch:
        return Launch(**json.loads(self._launch.read_text()))

    def write_launch(self, launch: Launch) -> None:
        write_whole(self._launch, json.dumps(asdict(launch)))

    def last_port(self) -> int | None:
        """The port the broker listened on the last time."""
        try:
            return int(self._port.read_text())
        except (FileNotFoundError, ValueError):
            return None

    def remember_port(self, port: int) -> None:
        write_whole(self._port, str(port))

    @property
    def _state(self) -> Path:
        return self.path / "broker.json"

    @property
    def _launch(self) -> Path:
        return self.path / "launch.json"

    @property
    def _port(self) -> Path:
        return self.path / "port"
