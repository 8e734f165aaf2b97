"""What a server tells of itself and its application."""

from __future__ import annotations

from contextlib import closing
from xml.etree import ElementTree

import httpx
import pytest

import headrace as hr
from headrace.model.batches import Batch
from headrace.observe.history import History
from headrace.passes.pipeline import rewrite
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.rest.handlers.topology import topology_object
from headrace.rest.handlers.topology_svg import picture
from headrace.rest.server.running import QueryServer, ServedApp
from headrace.rest.server.settings import Serve
from rest.memory import Memory


def test_the_application_and_its_stores(client: httpx.Client) -> None:
    assert client.get("/apps").json() == {"apps": ["music"]}
    assert client.get("/apps/music").json() == {
        "app": "music",
        "instance": "here",
        "stores": ["by-window", "counts", "last", "visits"],
    }
    assert client.get("/apps/music/stores/by-window").json() == {
        "name": "by-window",
        "kind": "windows",
        "key": "string",
        "value": "int64",
        "window_ms": 10_000,
        "retention_ms": None,
        "changelog": "music-by-window-changelog",
    }
    assert len(client.get("/apps/music/stores").json()["stores"]) == 4
    assert client.get("/apps/music/instances").json()["instances"][0]["name"] == "here"


def test_ready_says_how_far_it_is(client: httpx.Client, memory: Memory) -> None:
    memory.ready, memory.offset, memory.end = False, 40, 100
    answer = client.get("/ready")
    assert (answer.status_code, answer.json()) == (503, {"ready": False, "progress": 0.4})
    assert answer.headers["retry-after"] == "1"
    memory.ready = True
    assert client.get("/ready").json() == {"ready": True, "progress": 1.0}


def test_metrics(client: httpx.Client) -> None:
    client.get("/apps/music/stores/counts/keys/be")
    text = client.get("/metrics").text
    assert (
        'headrace_query_requests_total{app="music",path="/apps/{app}/stores/{store}/keys/{key}",status="200"} 1' in text
    )
    assert 'headrace_query_seconds_bucket{app="music",le="+Inf"} 1' in text
    assert 'headrace_query_seconds_count{app="music"} 1' in text
    assert 'headrace_replica_ready{app="music",store="counts",partition="0"} 1' in text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods(client: httpx.Client, method: str) -> None:
    answer = client.request(method, "/apps")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert answer.json()["error"]["message"] == f"this path does not take {method}"


def test_head(client: httpx.Client) -> None:
    answer = client.head("/apps/music/stores/counts/keys/be")
    assert (answer.status_code, answer.content) == (200, b"")


def test_the_history_of_an_application_in_this_process(memory: Memory) -> None:
    history = History(lambda: 1_000_000_123_456)
    history.add(Batch(number=0, records_in=10, records_out=4, duration_ms=200, lag={("plays", 0): 3}))
    server = QueryServer([ServedApp(memory, history=history)], Serve(address="127.0.0.1:0"))
    server.start()
    with closing(server), httpx.Client(base_url=f"{server.url}/apps/music") as client:
        told = client.get("/history").json()
        assert (told["step_ms"], told["now"], told["since"]) == (5_000, 1_000_000_123_456, 1_000_000_123_456)
        (step,) = told["steps"]
        assert (step["at_ms"], step["records_in"], step["busy_ms"], step["lag"]) == (1_000_000_120_000, 10, 200, 3)
        assert client.get("/history?span=24h").json()["step_ms"] == 480_000
        assert client.get("/history?span=1y").json()["error"]["to_do"] == "give 15m or 24h"


def test_the_history_of_an_application_elsewhere_is_not_known_here(client: httpx.Client) -> None:
    assert client.get("/apps/music/history").json() == {"step_ms": 5_000, "now": 0, "since": None, "steps": []}


def shop() -> hr.App:
    app = hr.App("shop")
    orders = app.stream("orders", key=hr.STRING, value=hr.INT64)
    orders.group_by_key().count(store="n").to_stream().to("counts")
    return app


def test_the_topology_as_data() -> None:
    found = topology_object("shop", split_subtopologies(rewrite(shop().plan())))
    parts = found["subtopologies"]
    assert isinstance(parts, list)
    nodes = {node["op"]: node for part in parts for node in part["nodes"]}
    assert nodes["count"]["stores"] == ["n"]
    assert nodes["changelog"]["inputs"] == [nodes["count"]["name"]]
    assert "test_about.py" not in str(found)


def test_the_topology_as_a_picture() -> None:
    drawn = ElementTree.fromstring(picture("shop", split_subtopologies(rewrite(shop().plan()))))
    titles = [one.text or "" for one in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert titles[0] == "shop"
    assert any("topic orders" in title for title in titles)
    boxes = list(drawn.iter("{http://www.w3.org/2000/svg}g"))
    places = {(box[1].get("x"), box[1].get("y")) for box in boxes}
    assert len(places) == len(boxes) == len(titles) - 1
    for number in (*(float(value) for place in places for value in place if value),):
        assert 0 <= number <= float(drawn.get("width") or 0)


def test_a_long_topology_is_no_wider_in_the_picture_than_its_longest_part() -> None:
    app = hr.App("shop")
    orders = app.stream("orders", key=hr.STRING, value=hr.STRING)
    for _ in range(6):
        orders = orders.select_key(lambda _, value: value).repartition()
    orders.to("result")
    parts = split_subtopologies(rewrite(app.plan()))
    assert len(parts) == 7
    drawn = ElementTree.fromstring(picture("shop", parts))
    once = ElementTree.fromstring(picture("shop", parts[:1]))
    assert drawn.get("width") == once.get("width")
    lines = drawn.findall("{http://www.w3.org/2000/svg}path")
    assert len(lines) == sum(len(part.nodes) for part in parts) - 1
