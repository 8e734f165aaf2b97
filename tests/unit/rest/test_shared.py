"""Applications of one process at one address share a server, which they join and leave while it answers."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import headrace as hr
from headrace.errors import ListenRefused
from headrace.rest.server.running import ServedApp
from headrace.rest.server.settings import Serve
from headrace.rest.server.shared import SharedServer, join
from rest.conftest import ANYWHERE
from rest.memory import Memory


@pytest.fixture
def settings() -> Serve:
    """A free port, which has to be named to be shared."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return Serve(address=f"127.0.0.1:{free.getsockname()[1]}")


@pytest.fixture
def shop() -> Memory:
    return Memory(app="shop", name="there").add("orders", hr.STRING, hr.INT64, {"a": 7})


@pytest.fixture
def both(memory: Memory, shop: Memory, settings: Serve) -> Iterator[SharedServer]:
    """A server that answers for two applications, which joined one after the other."""
    server = join("music", settings)
    server.serve(ServedApp(memory))
    assert join("shop", settings) is server
    server.serve(ServedApp(shop))
    yield server
    server.leave("music")
    server.leave("shop")


def asking(server: SharedServer) -> httpx.Client:
    return httpx.Client(base_url=server.listener.url, timeout=20)


def test_both_are_asked_at_one_address(both: SharedServer) -> None:
    with asking(both) as client:
        assert client.get("/apps").json() == {"apps": ["music", "shop"]}
        assert client.get("/apps/music/stores/counts/keys/be").json()["value"] == 2
        assert client.get("/apps/shop/stores/orders/keys/a").json()["value"] == 7


def test_one_that_leaves_is_asked_no_more_and_the_other_is(both: SharedServer) -> None:
    with asking(both) as client:
        with client.stream("GET", "/apps/shop/stores/orders/watch") as answer:
            lines = answer.iter_lines()
            assert "event: current" in lines
            both.leave("shop")
            both.leave("shop")  # once more changes nothing
            assert list(lines)[-1] == "", "the watch ends, behind a whole event"
        assert client.get("/apps").json() == {"apps": ["music"]}
        assert client.get("/apps/shop/stores/orders/keys/a").json()["error"]["code"] == "app-not-served"
        assert client.get("/apps/music/stores/counts/keys/be").json()["value"] == 2


def test_one_that_left_may_come_back(both: SharedServer, shop: Memory, settings: Serve) -> None:
    both.leave("shop")
    shop.put("orders", "a", 8)
    assert join("shop", settings) is both
    both.serve(ServedApp(shop))
    with asking(both) as client:
        assert client.get("/apps/shop/stores/orders/keys/a").json()["value"] == 8


def test_the_last_one_lets_the_address_go(memory: Memory, settings: Serve) -> None:
    for _ in range(2):
        server = join("music", settings)
        server.serve(ServedApp(memory))
        server.leave("music")
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{server.listener.url}/health")


def test_replicas_elsewhere_are_no_other_address(settings: Serve, tmp_path: Path) -> None:
    first = join("music", settings)
    other = Serve(address=settings.address, directory=tmp_path, standbys=1)
    assert join("shop", other) is first
    first.leave("shop")
    first.leave("music")


def test_other_settings_or_the_same_name_need_another_address(settings: Serve, tmp_path: Path) -> None:
    server = join("music", settings)
    with pytest.raises(ListenRefused):
        join("music", settings)
    with pytest.raises(ListenRefused):
        join("shop", Serve(address=settings.address, pages=tmp_path))
    server.leave("music")


def test_any_port_is_one_for_each() -> None:
    servers = [join(app, Serve(address=ANYWHERE)) for app in ("music", "shop")]
    assert len({one.listener.port for one in servers}) == 2
    for app, server in zip(("music", "shop"), servers, strict=True):
        server.leave(app)
