"""One server for several applications: each is asked by its name, by those who may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import headrace as hr
from headrace.errors import AppNotNamed
from headrace.query.requests import Count
from headrace.rest.client.peers import HttpPeers
from headrace.rest.server.running import QueryServer, ServedApp
from headrace.rest.server.settings import Limits, Serve
from headrace.rest.server.users import Role, User, hashed_token, new_token
from rest.conftest import ANYWHERE
from rest.memory import Memory

TOKENS = {name: new_token(name) for name in ("boss", "page", "other")}


@pytest.fixture
def shop() -> Memory:
    return Memory(app="shop", name="there").add("orders", hr.STRING, hr.INT64, {"a": 7})


@pytest.fixture
def url(memory: Memory, shop: Memory, tmp_path: Path) -> Iterator[str]:
    users = [
        User("boss", Role.ADMIN, None, hashed_token(TOKENS["boss"])),
        User("page", Role.READ, frozenset({"shop"}), hashed_token(TOKENS["page"])),
        User("other", Role.READ, frozenset({"elsewhere"}), hashed_token(TOKENS["other"])),
    ]
    (tmp_path / "users").write_text("\n".join(user.line for user in users))
    settings = Serve(address=ANYWHERE, users=tmp_path / "users", limits=Limits(watchers=1))
    server = QueryServer([ServedApp(memory), ServedApp(shop)], settings)
    server.start()
    yield server.url
    server.close()


def asking(url: str, user: str) -> httpx.Client:
    return httpx.Client(base_url=url, headers={"authorization": f"Bearer {TOKENS[user]}"}, timeout=20)


def test_each_is_asked_by_its_name(url: str) -> None:
    with asking(url, "boss") as client:
        assert client.get("/apps").json() == {"apps": ["music", "shop"]}
        assert client.get("/apps/music/stores/counts/keys/be").json()["value"] == 2
        assert client.get("/apps/shop/stores/orders/keys/a").json()["value"] == 7
        assert client.get("/apps/shop/stores/orders/count").json()["count"] == 1
        assert client.get("/apps/shop").json()["instance"] == "there"
        assert client.get("/apps/music/stores/orders/keys/a").json()["error"]["code"] == "store-not-asked"
        nowhere = client.get("/apps/none/stores/orders/keys/a").json()["error"]
        assert (nowhere["code"], nowhere["to_do"]) == ("app-not-served", "it answers for music, shop")
        paths = client.get("/openapi.json").json()["paths"]
        assert {"/health", "/apps/music/stores/counts/keys/{key}", "/apps/shop/stores/orders/keys/{key}"} <= set(paths)


def test_those_of_one_see_nothing_of_the_other(url: str) -> None:
    with asking(url, "page") as client:
        assert client.get("/apps").json() == {"apps": ["shop"]}
        assert client.get("/apps/shop/stores/orders/keys/a").json()["value"] == 7
        for path in ("/apps/music", "/apps/music/stores/counts/keys/be", "/apps/music/stores/counts/watch"):
            refused = client.get(path)
            assert refused.status_code == 403
            assert refused.json()["error"]["to_do"] == "it is for those with the application music"
        for path in ("/metrics", "/openapi.json"):
            told = client.get(path).text
            assert "shop" in told
            assert "music" not in told
    with asking(url, "other") as client:
        refused = client.get("/apps")
        assert refused.json()["error"]["to_do"] == "it is for those with the application music or shop"


def test_numbers_of_all_in_one_scrape(url: str, shop: Memory) -> None:
    with asking(url, "boss") as client:
        client.get("/apps/shop/stores/orders/keys/a")
        text = client.get("/metrics").text
        assert 'headrace_replica_ready{app="music",store="counts",partition="0"} 1' in text
        assert 'headrace_replica_ready{app="shop",store="orders",partition="0"} 1' in text
        path = "/apps/{app}/stores/{store}/keys/{key}"
        assert f'headrace_query_requests_total{{app="shop",path="{path}",status="200"}} 1' in text
        kinds = [line for line in text.splitlines() if line.startswith("# TYPE")]
        assert len(kinds) == len(set(kinds))
        shop.ready, shop.offset, shop.end = False, 0, 10
        answer = client.get("/ready")
        assert answer.status_code == 503
        assert 0 < answer.json()["progress"] < 1


def test_watchers_of_all_are_counted_together(url: str, shop: Memory) -> None:
    with asking(url, "boss") as client, client.stream("GET", "/apps/shop/stores/orders/watch") as answer:
        lines = answer.iter_lines()
        assert "event: current" in lines
        assert client.get("/apps/music/stores/counts/watch").status_code == 429
        assert client.get("/apps/music/watchers").json() == {"watchers": []}
        assert len(client.get("/apps/shop/watchers").json()["watchers"]) == 1
        shop.put("orders", "a", 8)
        assert 'data: {"key":"a","value":8,"ts":1000}' in lines


def test_instances_ask_for_one_of_them(url: str) -> None:
    for app, store, count in (("music", "counts", 4), ("shop", "orders", 1)):
        peers = HttpPeers(Serve(), app)
        assert peers.ask(url, Count(store=store), [0]).count == count
        peers.close()


def test_a_program_says_which_it_means(url: str) -> None:
    with pytest.raises(AppNotNamed, match=r"answers for music, shop(.|\n)*say which: hr.connect\(..., app='music'\)"):
        hr.connect(url, token=TOKENS["boss"])
    with hr.connect(url, app="shop", token=TOKENS["boss"]) as connection:
        assert connection.store("orders").get("a") == 7
    with hr.connect(url, token=TOKENS["page"]) as connection:  # sees one
        assert connection.app == "shop"
