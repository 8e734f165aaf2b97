"""What Spark is told at its start, here and on clusters."""

from __future__ import annotations

import pytest

from headrace.spark.master import Master
from headrace.spark.session import SETTINGS, _all_settings

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
    assert _all_settings(Master("yarn"), {})[OPTIONS] == "-Xss16m"
    assert _all_settings(Master("yarn"), {OPTIONS: "-Xss32m -ea"})[OPTIONS] == "-Xss16m -Xss32m -ea"


def test_extensions_of_the_user_stand_beside_ours() -> None:
    name = "spark.sql.extensions"
    assert _all_settings(Master(), {name: "io.example.Delta"})[name] == f"{SETTINGS[name]},io.example.Delta"


def test_the_user_has_the_last_word() -> None:
    assert _all_settings(Master(), {"spark.driver.memory": "8g"})["spark.driver.memory"] == "8g"
