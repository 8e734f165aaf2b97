"""One set of client properties for two clients: librdkafka (in Python) and Kafka's own (in the JVM).

A user's `kafka={...}` may use the names of either. Most names mean the same to both; the ones about security do not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from headrace.errors import ClientPropertyRefused
from headrace.log.known_properties import ALLOW, KNOWN, allowed_besides, loads_code, of_java, of_librdkafka
from headrace.log.secrets import with_secrets

_LOGIN_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}

# Java's name, librdkafka's name: the same meaning, the same values.
_RENAMED = {
    "sasl.mechanism": "sasl.mechanisms",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "max.request.size": "message.max.bytes",
}

# What headrace, or Spark's Kafka source, sets by itself and lets nobody change.
_OURS = (
    "auto.offset.reset",
    "enable.auto.commit",
    "key.deserializer",
    "key.serializer",
    "transactional.id",
    "value.deserializer",
    "value.serializer",
)


# librdkafka puts these into the command by which it renews a Kerberos ticket, and a shell runs that.
_IN_A_COMMAND = re.compile(r"sasl\.kerberos\.(keytab|principal|service\.name)")
_ONE_WORD = re.compile(r"[\w./@:+=-]*")
_ADDRESS_OF_TOKENS = re.compile(r"sasl\.oauthbearer\..*url")
_ON_THE_WEB = re.compile(r"https?://.+", re.IGNORECASE)
_KNOWN_LOGINS = (
    *_LOGIN_MODULES.values(),
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
    "com.sun.security.auth.module.Krb5LoginModule",
)
# Nothing that Java would read in another way than we do: no comments, no other quotes, no line breaks in quotes.
_LOGINS = re.compile(
    rf"(?:\s*(?:{'|'.join(map(re.escape, _KNOWN_LOGINS))})\s+(?:required|requisite|sufficient|optional)"
    r"""(?:\s+[\w.-]+\s*=\s*(?:"(?:[^"\\\r\n]|\\[^\r\n])*"|[^\s;"'/\\]+))*\s*;)+\s*"""
)


ADDRESS = ("bootstrap.servers", "metadata.broker.list")
"""What the clients call the addresses of brokers; here they have a place of their own."""


def texts(kafka: Mapping[str, str] | None, where: str) -> dict[str, str]:
    """The properties that somebody gives at a place of a program, if they are texts."""
    if not isinstance(kafka, Mapping | None):
        raise ClientPropertyRefused("kafka", "it is no dict of properties", 'write kafka={"name": "value"}', where)
    for name, value in (kafka or {}).items():
        if not isinstance(name, str) or not isinstance(value, str):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            reason = f"{value!r} is {type(value).__name__}, and properties are texts"
            raise ClientPropertyRefused(str(name), reason, f'write it as "{name}": "{text}"', where)
    return dict(kafka or {})


def refuse_ours(kafka: Mapping[str, str]) -> None:
    """Properties that an application sets by itself are no one's to give."""
    for name in kafka:
        if name in _OURS:
            raise ClientPropertyRefused(name, "an application sets it by itself", fix="leave it out of kafka={...}")


def _checked(kafka: Mapping[str, str]) -> dict[str, str]:
    """The properties with their secrets, and without any that is nobody's to give to a client."""
    kafka = with_secrets(kafka)
    refuse_code(kafka)
    for name in ADDRESS:
        if name in kafka:  # one client would go there, the other not
            fix = 'name it with broker="...", or --broker, instead'
            raise ClientPropertyRefused(name, "the broker is not named among the properties", fix=fix)
    return kafka


def refuse_code(kafka: Mapping[str, str]) -> None:
    """Refuse properties that name code to be loaded or run, a login elsewhere, such as to LDAP, and unknown names."""
    besides = allowed_besides()
    for name, value in kafka.items():
        if name not in KNOWN and name not in besides:
            raise _refused(name)
        if _IN_A_COMMAND.fullmatch(name) and not _ONE_WORD.fullmatch(value):
            reason = "it becomes part of a command, so only letters, digits and ./@:+=_- may be in it"
            raise ClientPropertyRefused(name, reason, fix="use a principal and a path without other characters")
        if _ADDRESS_OF_TOKENS.fullmatch(name) and not _ON_THE_WEB.fullmatch(value):
            reason = "it is no address that begins with https:// or http://"
            raise ClientPropertyRefused(name, reason, fix="name the address of the server that gives tokens")
    jaas = kafka.get("sasl.jaas.config")
    if jaas is not None and not _LOGINS.fullmatch(jaas):
        known = ", ".join(dict.fromkeys(one.rpartition(".")[2] for one in _KNOWN_LOGINS))
        fix = 'write it like: org.apache...ScramLoginModule required username="ann" password="...";'
        raise ClientPropertyRefused("sasl.jaas.config", f"it is no login by one of Kafka's modules ({known})", fix=fix)


def _refused(name: str) -> ClientPropertyRefused:
    if loads_code(name):
        reason, first = "it makes the client load code", "leave it out of kafka={...}"
    else:
        near = get_close_matches(name, KNOWN, n=1, cutoff=0.8)
        reason = "headrace knows no client property of this name"
        first = f"write {near[0]!r} if that is meant" if near else "leave it out of kafka={...}"
    fix = f"{first}; if you trust it, allow it where the application is started: {ALLOW}={name}"
    return ClientPropertyRefused(name, reason, fix=fix)


def for_librdkafka(kafka: Mapping[str, str]) -> dict[str, str]:
    """The properties as librdkafka takes them; those that mean nothing to it are left out.

    `sasl.jaas.config` of PLAIN and SCRAM becomes user name and password, PEM stores become certificate files. A Java
    key store (JKS) is refused: librdkafka cannot read it.
    """
    kafka = _checked(kafka)
    made: dict[str, str] = {}
    if "sasl.jaas.config" in kafka:
        made.update(_login_of(kafka["sasl.jaas.config"]))
    if "ssl.truststore.location" in kafka and "ssl.ca.location" not in kafka:
        if _store_type(kafka, "truststore") != "PEM":
            raise _unreadable("ssl.truststore.location", "ssl.ca.location")
        made["ssl.ca.location"] = kafka["ssl.truststore.location"]
    if "ssl.keystore.location" in kafka and "ssl.certificate.location" not in kafka:
        kind = _store_type(kafka, "keystore")
        if kind == "JKS":
            raise _unreadable("ssl.keystore.location", "ssl.certificate.location and ssl.key.location")
        if kind == "PEM":
            made["ssl.certificate.location"] = made["ssl.key.location"] = kafka["ssl.keystore.location"]
    skipped = {"ssl.truststore.location"}
    if _store_type(kafka, "keystore") != "PKCS12":
        skipped |= {"ssl.keystore.location", "ssl.keystore.password"}
    theirs = of_librdkafka(_RENAMED.get(name, name) for name in kafka)
    for name, value in kafka.items():
        if name in skipped or _RENAMED.get(name, name) not in theirs:
            continue
        if name == "ssl.endpoint.identification.algorithm":
            value = value or "none"
        made[_RENAMED.get(name, name)] = value
    return made


def for_java(kafka: Mapping[str, str]) -> dict[str, str]:
    """The properties as Kafka's Java clients take them; those that mean nothing to them are left out.

    User name and password become a `sasl.jaas.config`, certificate files become PEM stores. A certificate and a key
    in two files are read here, because Java wants both in one place.
    """
    kafka = _checked(kafka)
    original = {ours: java for java, ours in _RENAMED.items()}
    given = {original.get(name, name): value for name, value in kafka.items()}
    user, password = given.pop("sasl.username", None), given.pop("sasl.password", None)
    ca, certificate = given.pop("ssl.ca.location", None), given.pop("ssl.certificate.location", None)
    key = given.pop("ssl.key.location", None)
    theirs = of_java(given)
    made = {name: value for name, value in given.items() if name in theirs}
    if user is not None and password is not None:
        module = _LOGIN_MODULES.get(given.get("sasl.mechanism", "").upper())
        if module:
            made.setdefault("sasl.jaas.config", _login_text(module, user, password))
    if "security.protocol" in made:
        made["security.protocol"] = made["security.protocol"].upper()
    if made.get("ssl.endpoint.identification.algorithm") == "none":
        made["ssl.endpoint.identification.algorithm"] = ""
    if ca is not None and "ssl.truststore.location" not in made:
        made.update({"ssl.truststore.type": "PEM", "ssl.truststore.location": ca})
    elif "ssl.truststore.certificates" in made:
        made["ssl.truststore.type"] = "PEM"
    if certificate is not None and key is not None and "ssl.keystore.location" not in made:
        made["ssl.keystore.certificate.chain"] = _text_of("ssl.certificate.location", certificate)
        made["ssl.keystore.key"] = _text_of("ssl.key.location", key)
    if "ssl.keystore.key" in made:
        made["ssl.keystore.type"] = "PEM"
    elif "ssl.keystore.location" in made:
        made["ssl.keystore.type"] = _store_type(made, "keystore")
    return made


def parse(text: str) -> dict[str, str]:
    """Read a Java properties file: `name=value` lines, # comments, a backslash at the end goes on in the next line.

    >>> parse("# who\\nsasl.username = ann\\n")
    {'sasl.username': 'ann'}
    """
    joined = re.sub(r"\\\r?\n[ \t]*", "", text)
    lines = [line.strip() for line in joined.splitlines()]
    pairs = [re.split(r"\s*[=:]\s*", line, maxsplit=1) for line in lines if line and line[0] not in "#!"]
    return {pair[0]: pair[1] if len(pair) == 2 else "" for pair in pairs}


def _store_type(kafka: Mapping[str, str], store: str) -> str:
    """PEM, PKCS12 or JKS: as said, else by the file's name, else as Java assumes."""
    said = kafka.get(f"ssl.{store}.type")
    if said:
        return said.upper()
    suffix = Path(kafka.get(f"ssl.{store}.location", "")).suffix.lower()
    return {".pem": "PEM", ".crt": "PEM", ".cer": "PEM", ".p12": "PKCS12", ".pfx": "PKCS12"}.get(suffix, "JKS")


def _unreadable(name: str, instead: str) -> ClientPropertyRefused:
    return ClientPropertyRefused(
        name,
        "it names a Java key store, which only Java can read",
        fix=f"export it as PEM (keytool -exportcert -rfc, openssl pkcs12 -nodes) and name the file(s) in {instead}",
    )


def _login_of(jaas: str) -> dict[str, str]:
    """User name and password of a PLAIN or SCRAM login; nothing of any other."""
    words = jaas.split()
    if not words or words[0] not in _LOGIN_MODULES.values():
        return {}
    options = dict(re.findall(r'(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;]+)', jaas))
    names = {"username": "sasl.username", "password": "sasl.password"}
    return {names[option]: _unquoted(value) for option, value in options.items() if option in names}


def _login_text(module: str, user: str, password: str) -> str:
    return f"{module} required username={_quoted(user)} password={_quoted(password)};"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text


def _text_of(name: str, path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError as exc:
        raise ClientPropertyRefused(name, exc.strerror or str(exc), where=path) from exc
