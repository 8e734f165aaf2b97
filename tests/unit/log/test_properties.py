"""One set of client properties, two clients."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.errors import ClientPropertyRefused
from headrace.log.properties import for_java, for_librdkafka, parse

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
JNDI = "com.sun.security.auth.module.JndiLoginModule"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"


def test_what_means_the_same_to_both_is_left_alone() -> None:
    both = {"client.id": "me", "security.protocol": "SASL_SSL", "request.timeout.ms": "5000"}
    assert for_librdkafka(both) == both
    assert for_java(both) == both


@pytest.mark.parametrize("module", [PLAIN, SCRAM])
def test_a_java_login_becomes_user_and_password(module: str) -> None:
    jaas = f'{module} required username="ann" password="a\\"b\\\\c;d";'
    assert for_librdkafka({"sasl.mechanism": "PLAIN", "sasl.jaas.config": jaas}) == {
        "sasl.mechanisms": "PLAIN",
        "sasl.username": "ann",
        "sasl.password": 'a"b\\c;d',
    }


@pytest.mark.parametrize("name", ["bootstrap.servers", "metadata.broker.list"])
@pytest.mark.parametrize("made", [for_librdkafka, for_java])
def test_a_broker_is_not_named_among_the_properties(made: Callable[[dict[str, str]], object], name: str) -> None:
    with pytest.raises(
        ClientPropertyRefused, match=rf"'{name}' cannot be used: the broker is not named among"
    ) as error:
        made({name: "elsewhere:9092"})
    assert "--broker" in str(error.value)


def test_the_largest_record_has_two_names() -> None:
    assert for_librdkafka({"max.request.size": "7"}) == {"message.max.bytes": "7"}
    assert for_java({"message.max.bytes": "7"}) == {"max.request.size": "7"}


def test_a_java_login_without_quotes_is_read_too() -> None:
    jaas = f"{PLAIN} required\n  username=ann\n  password=secret;"
    assert for_librdkafka({"sasl.jaas.config": jaas}) == {"sasl.username": "ann", "sasl.password": "secret"}


def test_a_login_of_another_kind_is_left_out() -> None:
    assert for_librdkafka({"sasl.jaas.config": "com.sun.security.auth.module.Krb5LoginModule required;"}) == {}


@pytest.mark.parametrize(
    ("mechanism", "module"), [("PLAIN", PLAIN), ("SCRAM-SHA-512", SCRAM), ("scram-sha-256", SCRAM)]
)
def test_user_and_password_become_a_java_login(mechanism: str, module: str) -> None:
    made = for_java({"sasl.mechanisms": mechanism, "sasl.username": "ann", "sasl.password": 'a"b\\c'})
    assert made == {
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": f'{module} required username="ann" password="a\\"b\\\\c";',
    }


def test_a_login_goes_to_java_and_back_unchanged() -> None:
    given = {"sasl.mechanisms": "PLAIN", "sasl.username": "ann=;", "sasl.password": 'p\\"=; x'}
    assert for_librdkafka(for_java(given)) == given


def test_a_login_given_for_java_wins() -> None:
    mine = f"{PLAIN} required username=c password=d;"
    given = {"sasl.mechanism": "PLAIN", "sasl.username": "a", "sasl.password": "b", "sasl.jaas.config": mine}
    assert for_java(given)["sasl.jaas.config"] == mine


def test_pem_stores_become_certificate_files() -> None:
    made = for_librdkafka(
        {
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": "/ca",
            "ssl.keystore.location": "/me.pem",
            "ssl.key.password": "p",
        }
    )
    assert made == {
        "ssl.ca.location": "/ca",
        "ssl.certificate.location": "/me.pem",
        "ssl.key.location": "/me.pem",
        "ssl.key.password": "p",
    }


def test_certificate_files_become_pem_stores(tmp_path: Path) -> None:
    certificate, key = tmp_path / "me.crt", tmp_path / "me.key"
    certificate.write_text("CERTIFICATE")
    key.write_text("KEY")
    made = for_java(
        {
            "security.protocol": "ssl",
            "ssl.ca.location": "/ca.pem",
            "ssl.certificate.location": str(certificate),
            "ssl.key.location": str(key),
        }
    )
    assert made == {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": "/ca.pem",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": "CERTIFICATE",
        "ssl.keystore.key": "KEY",
    }


def test_certificates_as_text_have_a_name_on_both_sides() -> None:
    theirs = {"ssl.ca.pem": "CA", "ssl.certificate.pem": "CRT", "ssl.key.pem": "KEY"}
    java = for_java(theirs)
    assert java["ssl.truststore.certificates"] == "CA"
    assert java["ssl.truststore.type"] == java["ssl.keystore.type"] == "PEM"
    assert for_librdkafka(java) == theirs


def test_a_pkcs12_key_store_is_read_by_both() -> None:
    given = {"ssl.keystore.location": "/me.p12", "ssl.keystore.password": "p"}
    assert for_librdkafka(given) == given
    assert for_java(given) == {**given, "ssl.keystore.type": "PKCS12"}


@pytest.mark.parametrize(
    ("name", "instead"),
    [("ssl.truststore.location", "ssl.ca.location"), ("ssl.keystore.location", "ssl.certificate.location")],
)
def test_a_java_key_store_is_refused_with_what_to_do(name: str, instead: str) -> None:
    with pytest.raises(ClientPropertyRefused) as refused:
        for_librdkafka({name: "/store.jks"})
    assert f"'{name}' cannot be used: it names a Java key store" in str(refused.value)
    assert instead in str(refused.value)


def test_a_java_key_store_next_to_a_certificate_file_is_left_to_java() -> None:
    given = {"ssl.truststore.location": "/store.jks", "ssl.truststore.password": "p", "ssl.ca.location": "/ca.pem"}
    assert for_librdkafka(given) == {"ssl.ca.location": "/ca.pem"}
    assert for_java(given) == {"ssl.truststore.location": "/store.jks", "ssl.truststore.password": "p"}


def test_not_checking_host_names_is_said_differently() -> None:
    name = "ssl.endpoint.identification.algorithm"
    assert for_librdkafka({name: ""}) == {name: "none"}
    assert for_java({name: "none"}) == {name: ""}


def test_what_only_the_other_client_knows_is_left_out() -> None:
    java_only = {"key.deserializer": "x", "max.poll.records": "5", "sasl.login.read.timeout.ms": "7"}
    assert for_librdkafka(java_only) == {}
    librdkafka_only = {"debug": "all", "socket.keepalive.enable": "true", "statistics.interval.ms": "5"}
    assert for_java(librdkafka_only) == {}


def test_a_certificate_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "none.crt"
    with pytest.raises(ClientPropertyRefused) as refused:
        for_java({"ssl.certificate.location": str(missing), "ssl.key.location": str(missing)})
    assert "'ssl.certificate.location' cannot be used: No such file or directory" in str(refused.value)
    assert str(missing) in str(refused.value)


@pytest.mark.parametrize(
    "name",
    [
        "config.providers",
        "config.providers.x.class",
        "interceptor.classes",
        "metric.reporters",
        "plugin.library.paths",
        "security.providers",
        "ssl.engine.factory.class",
        "ssl.engine.location",
        "ssl.engine.id",
        "ssl.providers",
        "sasl.kerberos.kinit.cmd",
        "sasl.login.class",
        "sasl.login.callback.handler.class",
        "sasl.client.callback.handler.class",
        "sasl.server.callback.handler.class",
        "sasl.oauthbearer.jwt.retriever.class",
        "sasl.oauthbearer.jwt.validator.class",
        "partitioner.class",
        "partition.assignment.strategy",
        "interceptors",
    ],
)
def test_properties_load_no_code(name: str) -> None:
    for made in (for_java, for_librdkafka):
        with pytest.raises(ClientPropertyRefused, match=f"'{name}' cannot be used: it makes the client load code"):
            made({name: "com.example.Mine"})


@pytest.mark.parametrize(
    "jaas",
    [
        f"{JNDI} required password=hunter2;",
        f'"{JNDI}" required password=hunter2;',
        f'{SCRAM} required username="a;b" password=x; {JNDI} required;',
        f'{SCRAM} required /* " */; {JNDI} required x="";',
        f"{SCRAM} required username='\"'; {JNDI} required x='\"';",
        f'{SCRAM} required username="\n; {JNDI} required x=";',
        f"// {SCRAM} required;\n{JNDI} required;",
        f"{SCRAM}.Mine required;",
        "",
    ],
)
def test_a_login_does_not_go_elsewhere(jaas: str) -> None:
    for made in (for_java, for_librdkafka):
        with pytest.raises(ClientPropertyRefused) as refused:
            made({"sasl.jaas.config": jaas})
        assert str(refused.value) == (
            "Kafka client property 'sasl.jaas.config' cannot be used: it is no login by one of Kafka's modules"
            " (PlainLoginModule, ScramLoginModule, OAuthBearerLoginModule, Krb5LoginModule)\n"
            '  to do: write it like: org.apache...ScramLoginModule required username="ann" password="...";'
        )


def test_a_properties_file() -> None:
    text = "# comment\n! too\n\nsecurity.protocol = SSL\nempty=\nurl:http://x=y\nlong=a \\\n   b\n"
    assert parse(text) == {"security.protocol": "SSL", "empty": "", "url": "http://x=y", "long": "a b"}


def test_a_property_that_nobody_knows_is_refused_with_the_one_that_may_be_meant() -> None:
    for made in (for_java, for_librdkafka):
        with pytest.raises(ClientPropertyRefused) as refused:
            made({"sesion.timeout.ms": "5"})
        assert str(refused.value) == (
            "Kafka client property 'sesion.timeout.ms' cannot be used: headrace knows no client property of this name\n"
            "  to do: write 'session.timeout.ms' if that is meant; if you trust it, allow it where the application is"
            " started: HEADRACE_ALLOW_PROPERTIES=sesion.timeout.ms"
        )


def test_the_environment_allows_further_properties_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADRACE_ALLOW_PROPERTIES", "sasl.login.class, new.in.java, ssl.engine.location")
    given = {"sasl.login.class": "a.B", "new.in.java": "1", "ssl.engine.location": "/x.so"}
    assert for_java(given) == {"sasl.login.class": "a.B", "new.in.java": "1"}
    assert for_librdkafka(given) == {"ssl.engine.location": "/x.so"}
    with pytest.raises(ClientPropertyRefused, match=r"'ssl\.providers' cannot be used"):
        for_java({"ssl.providers": "mine"})


def test_a_file_of_properties_does_not_allow_itself_more() -> None:
    with pytest.raises(ClientPropertyRefused, match="'HEADRACE_ALLOW_PROPERTIES' cannot be used"):
        for_librdkafka({"HEADRACE_ALLOW_PROPERTIES": "ssl.engine.location", "ssl.engine.location": "/x.so"})


@pytest.mark.parametrize("name", ["sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.jwks.endpoint.url"])
@pytest.mark.parametrize("url", ["file:///etc/passwd", "FILE:/x", "jar:http://x!/y", ""])
def test_tokens_come_from_the_web(name: str, url: str) -> None:
    for made in (for_java, for_librdkafka):
        with pytest.raises(ClientPropertyRefused, match=f"'{name}' cannot be used: it is no address that begins with"):
            made({name: url})
    assert for_java({name: "https://login.example/token"}) == {name: "https://login.example/token"}


@pytest.mark.parametrize("name", ["principal", "keytab", "service.name"])
@pytest.mark.parametrize("value", ["me; touch /tmp/x", "$(id)", "`id`", "a b", "%{broker.name}", 'a"', "a\nb"])
def test_what_stands_in_a_command_is_one_word(name: str, value: str) -> None:
    for made in (for_java, for_librdkafka):
        with pytest.raises(ClientPropertyRefused, match=r"it becomes part of a command"):
            made({f"sasl.kerberos.{name}": value})
    assert for_librdkafka({f"sasl.kerberos.{name}": "shop/host-1@EXAMPLE.COM"})


def test_librdkafka_takes_all_that_it_is_given() -> None:
    """Each known name, alone: a name that this version of the client lacks would fail at the user's start."""
    from confluent_kafka import KafkaException, Producer

    from headrace.log.known_properties import KNOWN, of_librdkafka

    unknown = []
    for name in sorted(of_librdkafka(KNOWN)):
        try:
            Producer({name: "1"})
        except KafkaException as refused:
            if "No such configuration property" in str(refused):
                unknown.append(name)
        except (TypeError, ValueError):
            pass
    assert unknown == []


@pytest.mark.parametrize(
    ("kafka", "words", "fix"),
    [
        ({"request.timeout.ms": 5000}, "5000 is int, and properties are texts", '"request.timeout.ms": "5000"'),
        ({"enable.idempotence": True}, "True is bool, and properties are texts", '"enable.idempotence": "true"'),
        ({"client.rack": None}, "None is NoneType, and properties are texts", '"client.rack": "None"'),
        ("client.rack=a", "'kafka' cannot be used: it is no dict of properties", 'kafka={"name": "value"}'),
    ],
)
def test_what_is_no_text_is_refused_where_it_is_written(kafka: Any, words: str, fix: str) -> None:
    with pytest.raises(ClientPropertyRefused) as caught:
        hr.App("shop", kafka=kafka)
    assert words in caught.value.what
    assert fix in str(caught.value.fix)
    assert str(caught.value.where).startswith("test_properties.py:")
