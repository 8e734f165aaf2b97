"""What Spark is told at its start, here and on clusters."""

from __future__ import annotations

import re

import pytest

from headrace.spark.session.master import Master
from headrace.spark.session.spark import SETTINGS, _all_settings

HOST, BIND, OPTIONS = "spark.driver.host", "spark.driver.bindAddress", "spark.executor.extraJavaOptions"


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("local", "local[1,4]"),
        ("local[2]", "local[2,4]"),
        ("local[2,1]", "local[2,1]"),
        ("spark://localhost:7077", "spark://localhost:7077"),
    ],
)
def test_on_this_machine_nobody_else_can_connect(url: str, asked: str) -> None:
    settings = _all_settings(Master(url), {})
    assert settings["spark.master"] == asked
    assert (settings[HOST], settings[BIND]) == ("127.0.0.1", "127.0.0.1")


@pytest.mark.parametrize("url", ["spark://one:7077", "yarn", "k8s://https://one:6443"])
def test_the_driver_of_a_cluster_does_not_hide(url: str) -> None:
    assert not {HOST, BIND} & _all_settings(Master(url), {}).keys()
    assert _all_settings(Master(url), {HOST: "driver-1"})[HOST] == "driver-1"


def test_executors_get_stacks_for_deep_plans_and_the_options_of_the_user() -> None:
    assert OPTIONS not in _all_settings(Master("local"), {})
    ours = "-Xss16m -Dorg.apache.kafka.automatic.config.providers=none"
    assert _all_settings(Master("yarn"), {})[OPTIONS] == ours
    assert _all_settings(Master("yarn"), {OPTIONS: "-Xss32m -ea"})[OPTIONS] == f"{ours} -Xss32m -ea"


def test_one_process_talks_to_itself_alone() -> None:
    settings = _all_settings(Master(), {})
    assert settings["spark.authenticate"] == settings["spark.network.crypto.enabled"] == "true"
    assert settings["spark.ui.enabled"] == "false"


@pytest.mark.parametrize("url", ["spark://localhost:7077", "spark://one:7077", "yarn"])
def test_a_cluster_has_secrets_of_its_own(url: str) -> None:
    assert "spark.authenticate" not in _all_settings(Master(url), {})


@pytest.mark.parametrize(
    "option", ["kafka.sasl.jaas.config", "kafka.ssl.keystore.key", "kafka.ssl.key.password", "kafka.sasl.password"]
)
def test_plans_do_not_show_what_clients_log_in_with(option: str) -> None:
    assert re.search(SETTINGS["spark.sql.redaction.options.regex"], option)
    assert not re.search(SETTINGS["spark.sql.redaction.options.regex"], "kafka.bootstrap.servers")


def test_extensions_of_the_user_stand_beside_ours() -> None:
    name = "spark.sql.extensions"
    assert _all_settings(Master(), {name: "io.example.Delta"})[name] == f"{SETTINGS[name]},io.example.Delta"


def test_the_user_has_the_last_word() -> None:
    assert _all_settings(Master(), {"spark.driver.memory": "8g"})["spark.driver.memory"] == "8g"
