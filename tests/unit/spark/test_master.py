"""Where Spark runs, as its master says."""

from __future__ import annotations

import socket

import pytest

import headrace as hr
from headrace.errors import BrokerNotShared, CheckpointNotShared, ClusterUnreachable, OptionInvalid
from headrace.spark.session.master import Master


@pytest.mark.parametrize(
    ("url", "inside", "here"),
    [
        ("local", True, True),
        ("local[2]", True, True),
        ("local[*,4]", True, True),
        ("local-cluster[2,1,1024]", False, True),
        ("spark://localhost:7077", False, True),
        ("spark://127.0.0.1:7077", False, True),
        ("spark://[::1]:7077", False, True),
        ("spark://one:7077", False, False),
        ("spark://127.0.0.1:7077,one:7077", False, False),
        ("yarn", False, False),
        ("k8s://https://127.0.0.1:6443", False, False),
    ],
)
def test_known_masters(url: str, inside: bool, here: bool) -> None:
    master = Master(url)
    assert (master.known, master.inside, master.here) == (True, inside, here)


@pytest.mark.parametrize("url", ["", "host:7077", "sc://host", "spark://host", "local[", "mesos://host:5050"])
@pytest.mark.parametrize("as_setting", [True, False])
def test_other_masters_are_refused(url: str, as_setting: bool) -> None:
    with pytest.raises(OptionInvalid, match=r"spark='.*' is not possible(?s:.*)spark://host:7077"):
        hr.App("shop", spark={"spark.master": url} if as_setting else url)


def test_what_is_no_session_is_refused() -> None:
    with pytest.raises(OptionInvalid, match="Spark Connect has none"):
        hr.App("shop", spark=3)  # type: ignore[arg-type]


def test_a_master_that_does_not_listen() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        Master(f"spark://127.0.0.1:{port}").check()
    with pytest.raises(ClusterUnreachable, match=f"no Spark master answered at spark://127.0.0.1:{port}: Conn"):
        Master(f"spark://127.0.0.1:{port}").check()
    Master("yarn").check()


@pytest.mark.parametrize("master", ["spark://one:7077", "yarn", "k8s://https://one:6443"])
def test_a_checkpoint_of_this_machine_is_refused_on_others(master: str) -> None:
    app = hr.App("shop", spark=master, broker="one:9092", checkpoint="/data/shop")
    app.stream("a").to("b")
    with pytest.raises(CheckpointNotShared, match="directory of this machine") as caught:
        app.start()
    assert "  at: /data/shop\n" in str(caught.value)
    assert "checkpoint='file:///data/shop'" in str(caught.value)


def test_the_embedded_broker_is_refused_on_others() -> None:
    app = hr.App("shop", spark="yarn", checkpoint="hdfs://one/shop")
    app.stream("a").to("b")
    with pytest.raises(BrokerNotShared, match="the machines of yarn must all reach it"):
        app.start()
