"""A broker that wants to know who one is: TLS, passwords, and nothing that was not allowed.

It is set up by what the embedded broker is set up by, with other listeners.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # its stubs do not re-export them
    AclBinding,
    AclBindingFilter,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from headrace.errors import BrokerError
from headrace.jvm.archive import Archive
from headrace.jvm.jars import fetch
from headrace.jvm.java import find_java
from headrace.log.acls import Acl, operation_of
from headrace.log.broker_config import java_options, logging_config, new_cluster_id, server_properties
from headrace.log.broker_dir import BrokerDir
from headrace.log.client import make_client
from headrace.log.launch import _is_free, _shuffled_ports
from headrace.log.properties import parse
from headrace.log.topics import Topics

_ADMIN = "admin"
_STORE_PASSWORD = secrets.token_hex(8)


class SecuredBroker:
    """A running broker, its users, and who may do what."""

    def __init__(self, directory: BrokerDir, port: int, other_port: int, passwords: dict[str, str]) -> None:
        self.address = f"127.0.0.1:{port}"
        self.misnamed = f"127.0.0.1:{other_port}"
        """The same broker, with a certificate for another host."""

        self.certificate, self.other_certificate = directory.path / "broker.pem", directory.path / "stranger.pem"
        self.passwords = passwords
        self.topics = Topics(self.address, self.login(_ADMIN))
        self._admin, _ = make_client(AdminClient, self.address, self.login(_ADMIN))

    def login(self, user: str, **others: str) -> dict[str, str]:
        """The client properties of a user."""
        return {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": user,
            "sasl.password": self.passwords.get(user, ""),
            "ssl.ca.location": str(self.certificate),
        } | {name.replace("_", "."): value for name, value in others.items()}

    @property
    def admin(self) -> dict[str, str]:
        """The client properties of somebody who may do everything."""
        return self.login(_ADMIN)

    def allow(self, user: str, acls: Iterable[Acl]) -> None:
        """Let a user do just this more."""
        for answer in self._admin.create_acls([AclBinding(*_parts(user, acl)) for acl in acls]).values():
            answer.result(10)

    def forbid(self, user: str, acls: Iterable[Acl]) -> None:
        """Let a user not do this any more."""
        filters = [AclBindingFilter(*_parts(user, acl)) for acl in acls]
        for answer in self._admin.delete_acls(filters).values():
            answer.result(10)


def _parts(user: str, acl: Acl) -> tuple[Any, ...]:
    pattern = ResourcePatternType.PREFIXED if acl.prefixed else ResourcePatternType.LITERAL
    resource = ResourceType[acl.kind.replace("-", "_").upper()]
    operation = operation_of(acl)
    return resource, acl.name, pattern, f"User:{user}", "*", operation, AclPermissionType.ALLOW


@contextmanager
def secured_broker(place: Path, users: Iterable[str]) -> Iterator[SecuredBroker]:
    """A broker with these users, none of whom may do anything yet."""
    directory = BrokerDir(place)
    directory.prepare()
    passwords = {user: secrets.token_urlsafe(18) for user in [_ADMIN, *users]}
    port, other_port, controller_port = [port for port in _shuffled_ports() if _is_free(port)][:3]
    _make_certificate(place, "broker", "san=ip:127.0.0.1,dns:localhost")
    _make_certificate(place, "stranger", "san=dns:stranger.example")
    directory.logging_config.write_text(logging_config(directory), encoding="utf-8")
    settings = parse(server_properties(directory, port, controller_port)) | _security(
        place, port, other_port, controller_port, passwords[_ADMIN]
    )
    directory.server_properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    archive = Archive.of("broker", find_java(), fetch("broker"))
    quick = archive.java_options(mapped) if (mapped := archive.find()) is not None else []
    java = [str(find_java().path), *java_options(directory), *quick]
    environment = {**os.environ, "CLASSPATH": os.pathsep.join(map(str, fetch("broker")))}
    with (place / "output.log").open("wb") as output:
        scram = [
            word
            for user, password in passwords.items()
            for word in ("--add-scram", f"SCRAM-SHA-512=[name={user},password={password}]")
        ]
        tool = ["kafka.tools.StorageTool", "format", "--cluster-id", new_cluster_id(), *scram]
        config = ["--config", str(directory.server_properties)]
        subprocess.run([*java, *tool, *config], env=environment, stdout=output, stderr=output, check=True)
        running = subprocess.Popen(
            [*java, "kafka.Kafka", str(directory.server_properties)],
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        broker = SecuredBroker(directory, port, other_port, passwords)
        _wait_until_it_answers(broker, running)
        yield broker
    finally:
        running.send_signal(signal.SIGTERM)
        try:
            running.wait(20)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def _security(place: Path, port: int, other_port: int, controller_port: int, password: str) -> dict[str, str]:
    # The controller is the broker itself, and nobody else comes to that port by name.
    listeners = f"SASL_SSL://127.0.0.1:{port},STRANGER://127.0.0.1:{other_port}"
    login = "org.apache.kafka.common.security.scram.ScramLoginModule required"
    user = f'{login} username="{_ADMIN}" password="{password}";'
    settings = {
        "listeners": f"{listeners},CONTROLLER://127.0.0.1:{controller_port}",
        "advertised.listeners": listeners,
        "listener.security.protocol.map": "SASL_SSL:SASL_SSL,STRANGER:SASL_SSL,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "SASL_SSL",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "sasl.mechanism.inter.broker.protocol": "SCRAM-SHA-512",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found": "false",
        "super.users": f"User:{_ADMIN};User:ANONYMOUS",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(place / "broker.pem"),
    }
    for listener, store in (("sasl_ssl", "broker"), ("stranger", "stranger")):
        settings |= {
            f"listener.name.{listener}.scram-sha-512.sasl.jaas.config": user,
            f"listener.name.{listener}.ssl.keystore.type": "PKCS12",
            f"listener.name.{listener}.ssl.keystore.location": str(place / f"{store}.p12"),
            f"listener.name.{listener}.ssl.keystore.password": _STORE_PASSWORD,
            f"listener.name.{listener}.ssl.key.password": _STORE_PASSWORD,
        }
    return settings


def _make_certificate(place: Path, name: str, host: str) -> None:
    """A key with a certificate that it has signed itself, for Java, and the certificate alone for everybody."""
    keytool = find_java().path.resolve().with_name("keytool")
    store = ["-keystore", str(place / f"{name}.p12"), "-storepass", _STORE_PASSWORD, "-alias", name]
    made = ["-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", f"CN={name}", "-ext", host]
    told = ["-exportcert", "-rfc", "-file", str(place / f"{name}.pem")]
    for words in ([*made, "-validity", "2", "-storetype", "PKCS12"], told):
        subprocess.run([keytool, *words, *store], capture_output=True, check=True)


def _wait_until_it_answers(broker: SecuredBroker, running: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while True:
        assert running.poll() is None, f"the broker ended with {running.returncode}"
        assert time.monotonic() < deadline, "the broker does not answer"
        try:
            Topics(broker.address, broker.admin).cluster_id(timeout=1)
            return
        except BrokerError:
            time.sleep(0.1)
