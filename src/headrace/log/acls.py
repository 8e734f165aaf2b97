"""ACLs on a broker: names of rights, and the ones that its user lacks."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AclOperation, AdminClient  # type: ignore[attr-defined]  # its stubs do not re-export

from headrace.log.client import make_client

ALL = "*"
"""The name that stands for every name."""

_ANSWER_S = 8.0
_REFUSALS = (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED)


@dataclass(frozen=True)
class Acl:
    """ACL: one operation on a resource of a name, or on all whose names have a prefix.

    Read and Write have Describe in them.
    """

    operation: str
    kind: str
    """topic, group or transactional-id, as Kafka's tool calls them."""

    name: str
    prefixed: bool = False

    def command(self, address: str, principal: str, config: str | None = None) -> str:
        """The line that grants it, for a shell; an administrator's properties are in the file `config`."""
        words = ["kafka-acls.sh", "--bootstrap-server", address]
        words += ["--command-config", config] if config else []
        words += ["--add", "--allow-principal", principal]
        words += ["--operation", self.operation, f"--{self.kind}", self.name]
        return shlex.join(words + (["--resource-pattern-type", "prefixed"] if self.prefixed else []))

    def __str__(self) -> str:
        begin = " names that begin with" if self.prefixed else ""
        return f"{self.operation} on {self.kind.replace('-', ' ')}{begin} {self.name!r}"


def operation_of(acl: Acl) -> AclOperation:
    """The operation as the client knows it."""
    return AclOperation[re.sub(r"(?<!^)(?=[A-Z])", "_", acl.operation).upper()]


class Rights:
    """Rights of the user of some client properties. Of transactional ids the broker does not tell."""

    def __init__(self, address: str, kafka: Mapping[str, str] | None = None) -> None:
        self._address = address
        self._admin, self._troubles = make_client(AdminClient, address, kafka)

    def lacking(self, wanted: Iterable[Acl]) -> list[Acl]:
        """Rights that are certainly not granted; of names that begin alike one is asked for."""
        acls = list(wanted)
        topics = [acl for acl in acls if acl.kind == "topic" and not acl.prefixed and acl.name != ALL]
        groups = [acl for acl in acls if acl.kind == "group"]
        return [*self._lacking(topics, self._of_topics), *self._lacking(groups, self._of_groups)]

    def _lacking(self, acls: Sequence[Acl], ask: Callable[[list[str]], Mapping[str, Future[Any]]]) -> list[Acl]:
        names = {acl: f"{acl.name}0" if acl.prefixed else acl.name for acl in acls}
        answers = ask(list(dict.fromkeys(names.values()))) if acls else {}
        return [acl for acl in acls if not self._granted(acl, answers[names[acl]])]

    def _granted(self, acl: Acl, answer: Future[Any]) -> bool:
        try:
            operations = answer.result(_ANSWER_S + 1).authorized_operations
        except KafkaException as exc:
            return exc.args[0].code() not in _REFUSALS  # what is not there is somebody else's to say
        except TimeoutError as exc:
            raise self._troubles.error(self._address, _ANSWER_S) from exc
        return not operations or operation_of(acl) in operations

    def _of_topics(self, names: list[str]) -> Mapping[str, Future[Any]]:
        asked = TopicCollection(names)
        return self._admin.describe_topics(asked, include_authorized_operations=True, request_timeout=_ANSWER_S)

    def _of_groups(self, names: list[str]) -> Mapping[str, Future[Any]]:
        return self._admin.describe_consumer_groups(
            names, include_authorized_operations=True, request_timeout=_ANSWER_S
        )
