"""Batch log: what Spark has written of the batches of a query, in the directory that it goes on from."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace.errors import RescaleRefused
from headrace.log.files import write_whole

BEGIN_ANEW = "begin anew: headrace reset, or start with a new application id"
_TASKS = "spark.sql.shuffle.partitions"
_IDS = "stateUniqueIds"
_SCHEMA = re.compile(r'"file:[^"]*/(state/\d+/_stateSchema/[^"]+)"')
_SUMS = shutil.ignore_patterns(".*")
"""Sums of what is in other files, which Spark looks at where it finds them."""


@dataclass(frozen=True)
class BatchLog:
    """The logs in a directory: which batches were begun, which are done, and what their state is called."""

    directory: Path

    @property
    def query(self) -> str:
        """The name of the query, which is a part of all that it writes exactly once."""
        found: str = json.loads((self.directory / "metadata").read_text())["id"]
        return found

    @property
    def begun(self) -> int:
        """The last batch that was begun, -1 before the first."""
        return _last(self.directory / "offsets")

    @property
    def done(self) -> int:
        """The last batch that is done, -1 before the first."""
        return _last(self.directory / "commits")

    def ids(self) -> dict[int, list[str]]:
        """Ids of the state of each task after the last batch that is done, by the numbers of operators."""
        if self.done < 0:
            return {}
        _, written = self._commit()
        if not written.get(_IDS) and any((self.directory / "state").glob("*")):
            reason = f"batch {self.done} has not noted what its state is called"
            raise RescaleRefused(reason, BEGIN_ANEW)
        return {int(operator): [ids[0] for ids in tasks] for operator, tasks in (written.get(_IDS) or {}).items()}

    def relocate(self) -> None:
        """Have Spark find the schemas of its state where they are: the directory may have been moved, or be a copy."""
        for file in (self.directory / "state").glob("*/_metadata/*/*"):
            if file.name.isdigit():
                noted = file.read_text()
                here = _SCHEMA.sub(lambda found: self._place(found[0], found[1]), noted)
                if here != noted:
                    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
                    write_whole(file, here)

    def _place(self, noted: str, schema: str) -> str:
        place = self.directory.absolute() / schema
        return f'"file:{json.dumps(str(place))[1:-1]}"' if place.exists() else noted

    def copied(self, into: Path, tasks: int, ids: Mapping[int, Sequence[str]]) -> None:
        """Write the same for another number of tasks, up to the last batch that is done; the state itself is there."""
        done = self.done
        for name in ("metadata", "sources"):
            if (self.directory / name).is_dir():
                shutil.copytree(self.directory / name, into / name, ignore=_SUMS)
            elif (self.directory / name).exists():
                shutil.copy2(self.directory / name, into / name)
        for name in ("offsets", "commits"):
            (into / name).mkdir()
            for number in range(max(0, done - 1), done + 1):
                if (self.directory / name / str(number)).exists():
                    shutil.copyfile(self.directory / name / str(number), into / name / str(number))
        if done < 0:
            return
        version, settings, *offsets = (into / "offsets" / str(done)).read_text().split("\n")
        known = json.loads(settings)
        known["conf"][_TASKS] = str(tasks)
        (into / "offsets" / str(done)).write_text("\n".join([version, json.dumps(known), *offsets]))
        version, written = self._commit()
        if _IDS in written:
            written[_IDS] = {str(operator): [[one] for one in named] for operator, named in ids.items()}
        (into / "commits" / str(done)).write_text(f"{version}\n{json.dumps(written)}")
        for operator in ids:
            self._copy_account(operator, into, tasks)

    def _copy_account(self, operator: int, into: Path, tasks: int) -> None:
        """Copy Spark's metadata of an operator, the number of its tasks among it."""
        place = self.directory / "state" / str(operator)
        for noted in place.glob("_*"):
            shutil.copytree(noted, into / noted.relative_to(self.directory), ignore=_SUMS)
        for file in (into / place.relative_to(self.directory) / "_metadata").rglob("*"):
            if file.is_file():
                file.write_text("\n".join(_with_tasks(line, tasks) for line in file.read_text().split("\n")))

    def _commit(self) -> tuple[str, dict[str, Any]]:
        version, written = (self.directory / "commits" / str(self.done)).read_text().split("\n", 1)
        return version, json.loads(written)


def _last(log: Path) -> int:
    names = (one.name for one in log.iterdir()) if log.is_dir() else ()
    return max((int(name) for name in names if name.isdigit()), default=-1)


def _with_tasks(line: str, tasks: int) -> str:
    if not line.startswith("{"):
        return line
    noted = json.loads(line)
    for store in noted.get("stateStoreInfo", ()):
        store["numPartitions"] = tasks
    return json.dumps(noted)
