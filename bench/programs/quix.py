"""The workloads on Quix Streams, in two processes. It stands alone: it runs in an environment of its own."""

from __future__ import annotations

import base64
import json
import multiprocessing
import sys
import time
from typing import Any

from quixstreams import Application
from quixstreams.models import Serializer

PROCESSES, IDLE_S = 2, 3.0
RULES, HASHES, EACH = 1000, 1 << 32, 10
MATCHING = HASHES // 10


class Long(Serializer):  # type: ignore[misc]
    """Kafka's bytes of a count, or of that of a window."""

    def __call__(self, value: Any, ctx: Any) -> bytes:  # noqa: ARG002
        count: int = value["value"] if isinstance(value, dict) else value
        return count.to_bytes(8, "big")


def declare(app: Application, job: dict[str, Any]) -> None:
    def source(**options: Any) -> Any:
        return app.dataframe(app.topic(job["source"], **options))

    def target(serializer: Any) -> Any:
        return app.topic(job["target"], value_serializer=serializer)

    match job["workload"]:
        case "W1a" | "P2":
            source(value_deserializer="bytes").apply(base64.b64encode).to_topic(target("bytes"))
        case "W1b":
            bids = source().filter(lambda bid: bid["auction"] % 123 == 0 or bid["price"] > 10_000)
            bids.apply(priced).to_topic(target("json"))
        case "W3":
            bids = source(value_deserializer="bytes").hopping_window(10_000, 2_000, grace_ms=4_000).count()
            closed = bids.final(closing_strategy="partition").apply(with_key, metadata=True)
            closed.to_topic(target(Long()), key=window_key)
        case "W4":
            views = source().filter(lambda event: event["event_type"] == "view")
            ads = app.dataframe(app.topic(job["table"], value_deserializer="string"))
            seen = views.join_asof(ads, on_merge=lambda event, campaign: campaign)  # noqa: ARG005
            by_campaign = seen.group_by(str.encode, name="campaign", key_deserializer="bytes", key_serializer="bytes")
            counts = by_campaign.tumbling_window(10_000, grace_ms=86_400_000).count().current()
            counts.apply(with_key, metadata=True).to_topic(target(Long()), key=window_key)
        case "W5":
            words = source(value_deserializer="bytes").apply(matches, expand=True)
            rules = words.group_by(rule_of, name="rule", key_deserializer="bytes", key_serializer="bytes")
            told = rules.apply(tell_tenth, stateful=True, metadata=True).filter(lambda told: told is not None)
            told.to_topic(target("json"))
        case _:
            source(value_deserializer="bytes").apply(count, stateful=True).to_topic(target(Long()))


def count(_: bytes, state: Any) -> int:
    counted: int = state.get("count", 0) + 1
    state.set("count", counted)
    return counted


def priced(bid: dict[str, Any]) -> dict[str, Any]:
    return {
        "auction": bid["auction"],
        "bidder": bid["bidder"],
        "price": bid["price"] * 0.908,
        "hour": int(bid["dateTime"][11:13]),
        "extra": bid["extra"],
    }


def with_key(window: dict[str, Any], key: bytes, _ts: int, _headers: Any) -> dict[str, Any]:
    return {**window, "key": key}


def window_key(window: dict[str, Any]) -> bytes:
    return b"".join((window["key"], window["start"].to_bytes(8, "big")))


def matches(value: bytes) -> list[int]:
    words = (int.from_bytes(value[:4], "big"), int.from_bytes(value[4:8], "big"))
    return [word for word in words if word * RULES % HASHES < MATCHING]


def rule_of(word: int) -> bytes:
    return (word * RULES // HASHES).to_bytes(8, "big")


def tell_tenth(word: int, _key: bytes, ts: int, _headers: Any, state: Any) -> dict[str, int] | None:
    told: dict[str, int] = state.get("told") or {"count": 0, "total": 0, "first_ms": ts}
    told = {**told, "count": told["count"] + 1, "total": told["total"] + word, "last_ms": ts}
    if told["count"] < EACH:
        state.set("told", told)
        return None
    state.delete("told")
    return told


def run(job: dict[str, Any], number: int, processed: Any) -> None:
    def count_one(topic: str, _partition: int, _offset: int) -> None:
        if topic == job["source"]:
            processed.value += 1

    app = Application(
        broker_address=job["address"],
        consumer_group=f"quix-{job['target']}",
        auto_offset_reset="earliest",
        state_dir=f"{job['folder']}/{number}",
        loglevel="ERROR",
        on_message_processed=count_one,
    )
    declare(app, job)
    app.run(timeout=0.0 if job["live"] else IDLE_S, collect=False)


def tell(mark: str, **more: object) -> None:
    print(json.dumps({"mark": mark, "at": time.time(), **more}), flush=True)


def main() -> None:
    job = json.loads(sys.argv[1])
    counts = [multiprocessing.Value("q", 0, lock=False) for _ in range(PROCESSES)]
    workers = [multiprocessing.Process(target=run, args=(job, number, one)) for number, one in enumerate(counts)]
    for worker in workers:
        worker.start()
    tell("polling")
    if job["live"]:
        while sys.stdin.read(1):
            pass
        for worker in workers:
            worker.terminate()
    while any(worker.is_alive() for worker in workers):
        workers[0].join(0.1)
        tell("read", records=sum(one.value for one in counts))
    sys.exit(any(worker.exitcode for worker in workers))


if __name__ == "__main__":
    main()
