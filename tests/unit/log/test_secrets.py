"""Secrets that stand elsewhere, and never in an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.errors import ClientPropertyRefused, SecretMissing
from headrace.log.properties import for_java, for_librdkafka
from headrace.log.secrets import hide, with_secrets
from headrace.log.topics import Topics

SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"


def test_they_are_the_whole_value_or_a_part_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "a${file:b}")
    (tmp_path / "user").write_text("ann\n")
    given = {
        "sasl.password": "${env:SHOP_PASSWORD}",
        "sasl.username": f"shop-${{file:{tmp_path}/user}}",
        "client.id": "$5 {env}",
    }
    made = {"sasl.password": "a${file:b}", "sasl.username": "shop-ann", "client.id": "$5 {env}"}
    assert with_secrets(given) == made
    assert for_librdkafka(given) == made
    login = f'{SCRAM} required username="shop-ann" password="a${{file:b}}";'
    assert for_java({**given, "sasl.mechanism": "SCRAM-SHA-512"})["sasl.jaas.config"] == login


def test_in_a_java_login_they_do_not_end_their_quotes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", 'a" b="\\')
    jaas = f'{SCRAM} required username="ann" password="${{env:SHOP_PASSWORD}}";'
    assert for_librdkafka({"sasl.jaas.config": jaas})["sasl.password"] == 'a" b="\\'


def test_one_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOT_THERE", raising=False)
    monkeypatch.setenv("THERE", "hunter2")
    with pytest.raises(SecretMissing) as missing:
        Topics("nobody:1", {"sasl.username": "${env:THERE}", "sasl.password": "${env:NOT_THERE}"})
    assert str(missing.value) == (
        "Kafka client property 'sasl.password' refers to ${env:NOT_THERE}: there is no such environment variable\n"
        "  to do: set the environment variable, or make the file, where the application is started"
    )
    with pytest.raises(SecretMissing, match=r"refers to \$\{file:.*/none\}: No such file or directory"):
        for_java({"sasl.password": f"${{file:{tmp_path}/none}}"})
    (tmp_path / "bytes").write_bytes(b"hunter2\xff")
    with pytest.raises(SecretMissing, match="it is not text in UTF-8") as unreadable:
        for_java({"sasl.password": f"${{file:{tmp_path}/bytes}}"})
    assert unreadable.value.__cause__ is None


def test_a_client_that_shows_a_value_does_not_show_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PROTOCOL", "hunter2")
    with pytest.raises(ClientPropertyRefused, match=r'Invalid value "\[hidden\]" for configuration') as refused:
        Topics("nobody:1", {"security.protocol": "${env:SHOP_PROTOCOL}"})
    assert refused.value.__cause__ is None
    assert hide("it is hunter2", {"sasl.password": "${env:SHOP_PROTOCOL}"}) == "it is [hidden]"
