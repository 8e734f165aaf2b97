"""Client properties that may be given: known to a client, and unable to load code.

The names are those of Kafka's Java clients 4.3 and of librdkafka 2.x. A property in neither list is refused, also one
of a client to come, until somebody has looked at what it does; `HEADRACE_ALLOW_PROPERTIES` names what one installation
needs besides.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

ALLOW = "HEADRACE_ALLOW_PROPERTIES"
"""Environment variable: names of further properties, with commas. No file of properties can set it."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BOTH = _names("""
    acks allow.auto.create.topics auto.commit.interval.ms auto.offset.reset batch.size bootstrap.servers check.crcs
    client.dns.lookup client.id client.rack compression.type connections.max.idle.ms delivery.timeout.ms
    enable.auto.commit enable.idempotence enable.metrics.push fetch.max.bytes fetch.min.bytes group.id group.instance.id
    group.protocol group.remote.assignor heartbeat.interval.ms isolation.level linger.ms
    max.in.flight.requests.per.connection max.partition.fetch.bytes max.poll.interval.ms metadata.max.age.ms
    metadata.recovery.rebootstrap.trigger.ms metadata.recovery.strategy reconnect.backoff.max.ms reconnect.backoff.ms
    request.timeout.ms retries retry.backoff.max.ms retry.backoff.ms sasl.kerberos.min.time.before.relogin
    sasl.kerberos.service.name sasl.oauthbearer.assertion.algorithm sasl.oauthbearer.assertion.claim.aud
    sasl.oauthbearer.assertion.claim.exp.seconds sasl.oauthbearer.assertion.claim.iss
    sasl.oauthbearer.assertion.claim.jti.include sasl.oauthbearer.assertion.claim.nbf.seconds
    sasl.oauthbearer.assertion.claim.sub sasl.oauthbearer.assertion.file sasl.oauthbearer.assertion.private.key.file
    sasl.oauthbearer.assertion.private.key.passphrase sasl.oauthbearer.client.credentials.client.id
    sasl.oauthbearer.client.credentials.client.secret sasl.oauthbearer.scope sasl.oauthbearer.sub.claim.name
    sasl.oauthbearer.token.endpoint.url security.protocol session.timeout.ms socket.connection.setup.timeout.ms
    ssl.endpoint.identification.algorithm ssl.key.password ssl.keystore.location ssl.keystore.password
    transaction.timeout.ms transactional.id
""")
_JAVA = _names("""
    auto.include.jmx.reporter buffer.memory compression.gzip.level compression.lz4.level compression.zstd.level
    default.api.timeout.ms exclude.internal.topics fetch.max.wait.ms key.deserializer key.serializer max.block.ms
    max.poll.records max.request.size metadata.max.idle.ms metrics.num.samples metrics.recording.level
    metrics.sample.window.ms partitioner.adaptive.partitioning.enable partitioner.availability.timeout.ms
    partitioner.ignore.keys receive.buffer.bytes sasl.jaas.config sasl.kerberos.ticket.renew.jitter
    sasl.kerberos.ticket.renew.window.factor sasl.login.connect.timeout.ms sasl.login.read.timeout.ms
    sasl.login.refresh.buffer.seconds sasl.login.refresh.min.period.seconds sasl.login.refresh.window.factor
    sasl.login.refresh.window.jitter sasl.login.retry.backoff.max.ms sasl.login.retry.backoff.ms sasl.mechanism
    sasl.oauthbearer.assertion.template.file sasl.oauthbearer.clock.skew.seconds sasl.oauthbearer.expected.audience
    sasl.oauthbearer.expected.issuer sasl.oauthbearer.header.urlencode sasl.oauthbearer.jwks.endpoint.refresh.ms
    sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms sasl.oauthbearer.jwks.endpoint.retry.backoff.ms
    sasl.oauthbearer.jwks.endpoint.url sasl.oauthbearer.scope.claim.name send.buffer.bytes
    socket.connection.setup.timeout.max.ms ssl.enabled.protocols ssl.keymanager.algorithm ssl.keystore.certificate.chain
    ssl.keystore.key ssl.keystore.type ssl.protocol ssl.provider ssl.secure.random.implementation
    ssl.trustmanager.algorithm ssl.truststore.certificates ssl.truststore.location ssl.truststore.password
    ssl.truststore.type value.deserializer value.serializer
""")
_LIBRDKAFKA = _names("""
    api.version.fallback.ms api.version.request api.version.request.timeout.ms batch.num.messages broker.address.family
    broker.address.ttl broker.version.fallback compression.codec compression.level coordinator.query.interval.ms debug
    delivery.report.only.error enable.auto.offset.store enable.gapless.guarantee enable.partition.eof enable.random.seed
    enable.sasl.oauthbearer.unsecure.jwt enable.ssl.certificate.verification fetch.error.backoff.ms
    fetch.message.max.bytes fetch.queue.backoff.ms fetch.wait.max.ms group.protocol.type https.ca.location https.ca.pem
    log.connection.close log.queue log.thread.name log_level max.in.flight message.copy.max.bytes message.max.bytes
    message.send.max.retries message.timeout.ms metadata.broker.list partitioner queue.buffering.backpressure.threshold
    queue.buffering.max.kbytes queue.buffering.max.messages queue.buffering.max.ms queued.max.messages.kbytes
    queued.min.messages queuing.strategy receive.message.max.bytes reconnect.backoff.jitter.ms request.required.acks
    sasl.kerberos.keytab sasl.kerberos.principal sasl.mechanisms sasl.oauthbearer.assertion.jwt.template.file
    sasl.oauthbearer.assertion.private.key.pem sasl.oauthbearer.client.id sasl.oauthbearer.client.secret
    sasl.oauthbearer.config sasl.oauthbearer.extensions sasl.oauthbearer.grant.type
    sasl.oauthbearer.metadata.authentication.type sasl.oauthbearer.method sasl.password sasl.username
    socket.blocking.max.ms socket.keepalive.enable socket.max.fails socket.nagle.disable socket.receive.buffer.bytes
    socket.send.buffer.bytes socket.timeout.ms ssl.ca.certificate.stores ssl.ca.location ssl.ca.pem
    ssl.certificate.location ssl.certificate.pem ssl.cipher.suites ssl.crl.location ssl.curves.list ssl.key.location
    ssl.key.pem ssl.sigalgs.list statistics.interval.ms sticky.partitioning.linger.ms
    topic.metadata.propagation.max.ms topic.metadata.refresh.fast.cnt topic.metadata.refresh.fast.interval.ms
    topic.metadata.refresh.interval.ms topic.metadata.refresh.sparse
""")

# Known too, and refused: they name classes, libraries or commands to be run.
_CODE_JAVA = re.compile(
    r".*\.class|.*\.classes|config\.providers.*|interceptor\.classes|metric\.reporters|partition\.assignment\.strategy"
    r"|sasl\.kerberos\.kinit\.cmd|security\.providers"
)
_CODE_LIBRDKAFKA = re.compile(
    r"interceptors|plugin\.library\.paths|sasl\.kerberos\.kinit\.cmd|ssl\.engine\.(location|id)|ssl\.providers"
)
KNOWN = _BOTH | _JAVA | _LIBRDKAFKA


def loads_code(name: str) -> bool:
    """Code that a property would make a client load or run."""
    return bool(_CODE_JAVA.fullmatch(name) or _CODE_LIBRDKAFKA.fullmatch(name))


def allowed_besides() -> frozenset[str]:
    """Names that the environment allows besides those that are known."""
    return frozenset(name.strip() for name in os.environ.get(ALLOW, "").split(",") if name.strip())


def of_java(names: Iterable[str]) -> set[str]:
    """Properties among some that Kafka's Java clients know; those that only the environment allows count as theirs."""
    return {name for name in names if name not in _LIBRDKAFKA and not _only_librdkafka(name)}


def of_librdkafka(names: Iterable[str]) -> set[str]:
    """Properties among some that librdkafka knows; it refuses any other."""
    return {name for name in names if name in _BOTH or name in _LIBRDKAFKA or _CODE_LIBRDKAFKA.fullmatch(name)}


def _only_librdkafka(name: str) -> bool:
    return bool(_CODE_LIBRDKAFKA.fullmatch(name)) and not _CODE_JAVA.fullmatch(name)
