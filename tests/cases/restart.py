"""After a restart everything goes on as if there had been none: what is late stays late, what waits still waits."""

import headrace as hr
from cases import (
    count,
    drop_duplicates,
    foreign_key_join,
    idle,
    process,
    side_outputs,
    stream_join,
    suppress,
    table_aggregate,
    ttl,
    versioned_table,
    windowed,
    windowed_cogroup,
)
from cases.table import Case, clock, every, put, restart, settled
from headrace.model.windows import Windows

NAN = float("nan")


class Beating(hr.Processor[str, str]):
    """Keeps how many records came in a store, and sends that on every 10 ms of stream time and every 10 s by the clock.

    What it knows itself begins anew with it.
    """

    stores = (process.SEEN,)

    def init(self, context: hr.ProcessorContext) -> None:
        super().init(context)
        self.own = 0
        context.schedule("10ms", lambda now: self.tell("stream", now), by="stream")
        context.schedule("10s", lambda now: self.tell("wall", now), by="wall")

    def process(self, _: hr.Record) -> None:
        seen = self.context.store(process.SEEN)
        seen.put("all", (seen.get("all") or 0) + 1)
        self.own += 1

    def tell(self, by: str, now: int) -> None:
        said = f"{self.context.store(process.SEEN).get('all')} {self.own}"
        self.context.forward(hr.Record(key=by, value=said, ts=now))


def late_after(kind: str, windows: Windows, moved_to: int) -> Case:
    """The store still has the window of the late record: it is stream time alone that says so."""
    return Case(
        f"a late record is late after a restart: {kind}",
        side_outputs.late(windows, retention="1h"),
        put("in", ("a", "1", 3), ("b", "2", moved_to)),
        every("late"),
        restart(),
        put("in", ("a", "3", 4), ("b", "4", moved_to - 1)),
        every("late", ("a", "3", 4)),
    )


CASES = [
    Case(
        "counts go on after a restart",
        count.settling,
        put("in", ("a", "1"), ("b", "2")),
        settled("out", {"a": 1, "b": 1}),
        restart(),
        put("in", ("a", "3")),
        settled("out", {"a": 2, "b": 1}),
    ),
    late_after("tumbling windows", windowed.TUMBLING, 16),
    late_after("hopping windows", windowed.HOPPING, 16),
    late_after("sliding windows", windowed.SLIDING, 20),
    late_after("sessions", windowed.SESSION, 20),
    Case(
        "windows close once whenever the application restarts",
        windowed.at_close(windowed.TUMBLING, retention="1h"),
        put("in", ("a", "1", 3), ("a", "2", 14)),
        every("out"),
        restart(),
        put("in", ("b", "3", 15)),
        every("out", (("a", 0, 10), 1, 3)),
        restart(),
        put("in", ("b", "4", 16), ("b", "5", 25)),
        every("out", (("a", 10, 20), 1, 14), (("b", 10, 20), 2, 16)),
    ),
    Case(
        "sessions close once whenever the application restarts",
        windowed.at_close(windowed.SESSION, retention="1h"),
        put("in", ("a", "1", 3)),
        every("out"),
        restart(),
        put("in", ("b", "2", 19)),
        every("out", (("a", 3, 3), 1, 3)),
        restart(),
        put("in", ("b", "3", 20)),
        every("out"),
    ),
    Case(
        "the streams of a windowed cogroup keep their stream times over a restart",
        windowed_cogroup.cogrouped(hr.tumbling("10ms", grace="5ms")),
        put("left", ("a", "x", 1), ("a", "y", 16)),
        every("out", (("a", 0, 10), "0-x", 1), (("a", 10, 20), "0-y", 16)),
        restart(),
        put("left", ("a", "late", 2)),
        put("right", ("a", "1", 2)),
        every("out", (("a", 0, 10), "0-x+1", 2)),
    ),
    Case(
        "a window that the store forgets after a restart is still told",
        side_outputs.expired(hr.tumbling("10ms"), retention="20ms"),
        put("in", ("a", "1", 3)),
        every("expired"),
        restart(),
        put("in", ("a", "2", 25)),
        every("expired", (("a", 0, 10), 1, 3)),
    ),
    Case(
        "suppress holds back over a restart",
        suppress.final(windowed.TUMBLING),
        put("in", ("a", "1", 3), ("a", "2", 4, suppress.A)),
        every("out"),
        restart(),
        put("in", ("b", "3", 14)),
        every("out"),
        restart(),
        put("in", ("b", "4", 15)),
        every("out", (("a", 0, 10), 2, 4, suppress.A)),
    ),
    Case(
        "suppress counts what it held before a restart and the first change of a key keeps its turn",
        suppress.limited(hr.until_time_limit("10ms", max_records=2)),
        put("in", ("a", "1", 0), ("b", "2", 1)),
        every("out"),
        restart(),
        put("in", ("a", "3", 2), ("c", "4", 3)),
        every("out", ("a", "3", 2)),
    ),
    Case(
        "a record without a partner is sent on after a restart",
        stream_join.joined("outer"),
        put("left", ("a", "x", 20), ("b", "y", 21)),
        put("right", ("c", "1", 22)),
        every("out"),
        restart(),
        put("right", ("a", "2", 25), ("d", "3", 37)),
        every("out", ("a", "x+2", 25), ("b", "y+-", 21)),
        restart(),
        put("left", ("d", "z", 38)),
        every("out", ("c", "-+1", 22), ("d", "z+3", 38)),
    ),
    Case(
        "a late record of a left join is sent on alone at once after a restart",
        stream_join.joined("left"),
        put("left", ("a", "x", 100)),
        every("out"),
        restart(),
        put("left", ("b", "y", 50)),
        every("out", ("b", "y+-", 50)),
    ),
    Case(
        "a record that waits for its row waits over a restart",
        versioned_table.waiting,
        put("table", ("a", "x", 9)),
        put("in", ("a", "1", 10), ("b", "2", 10)),
        every("out"),
        restart(),
        put("table", ("a", "y", 10), ("a", "z", 11)),
        put("in", ("a", "3", 20)),
        every("out", ("a", "1+y", 10), ("b", "2+-", 10)),
        restart(),
        put("in", ("a", "4", 9)),
        every("out", ("a", "4+x", 9)),
    ),
    Case(
        "a versioned table knows its history after a restart",
        versioned_table.looked_up,
        put("table", ("a", "x", 10), ("a", "y", 20)),
        every("out"),
        restart(),
        put("table", ("a", "z", 130), ("a", "late", 29)),
        put("in", ("a", "1", 35), ("a", "2", 140)),
        every("out", ("a", "1+y", 35), ("a", "2+z", 140)),
    ),
    Case(
        "rows expire after a restart at their own times",
        ttl.read,
        put("in", ("a", "1", 0), ("b", "2", 5), ("a", "3", 9)),
        every("out", ("a", "1", 0), ("b", "2", 5), ("a", "3", 9)),
        restart(),
        put("in", ("c", "4", 16), ("d", "5", 6)),
        every("out", ("b", None, 15), ("c", "4", 16)),
        every("late", ("d", "5", 6)),
        restart(),
        put("in", ("c", "6", 99)),
        every("out", ("a", None, 19), ("c", None, 26), ("c", "6", 99)),
    ),
    Case(
        "a duplicate is one after a restart and what is late is late",
        drop_duplicates.by_key,
        put("in", ("a", "1", 100)),
        every("out", ("a", "1", 100)),
        restart(),
        put("in", ("b", "2", 90), ("a", "3", 109), ("a", "4", 110)),
        every("out", ("a", "4", 110)),
        every("late", ("b", "2", 90)),
    ),
    Case(
        "silence is counted over a restart from where stream time stood",
        idle.closing(hr.tumbling("10s", idle_after="30s")),
        put("in", ("a", "1", 1_000)),
        every("out"),
        clock("20s"),
        every("out"),
        restart(),
        clock("9999ms"),
        every("out"),
        restart(),
        clock("1ms"),
        every("out", (("a", 0, 10_000), 1, 1_000)),
        restart(),
        put("in", ("a", "2", 9_000)),
        every("out"),
    ),
    Case(
        "foreign keys are subscribed to over a restart and nan is the row it was",
        foreign_key_join.by_number,
        put("users", (NAN, "ann"), (2.0, "bob")),
        put("numbers", ("1", NAN), ("2", 2.0)),
        every("out", ("1", "ann"), ("2", "bob")),
        restart(),
        put("users", (NAN, "cyd")),
        every("out", ("1", "cyd")),
        restart(),
        put("numbers", ("2", NAN)),
        every("out", ("2", "cyd")),
    ),
    Case(
        "a row leaves its group after a restart",
        table_aggregate.counted,
        put("in", ("1", "x"), ("2", "x")),
        every("out", ("x", 1), ("x", 2)),
        restart(),
        put("in", ("1", "y")),
        every("out", ("x", 1), ("y", 1)),
    ),
    Case(
        "a partition has its time after a restart",
        lambda app: app.stream("in", key=hr.STRING, value=hr.STRING, timestamp="partition_time").to("out"),
        put("in", ("a", "1", 5)),
        every("out", ("a", "1", 5)),
        restart(),
        put("in", ("a", "2", -1)),
        every("out", ("a", "2", 5)),
    ),
    Case(
        "a processor begins anew with its stores and stream-time punctuators keep their rhythm",
        lambda app: process.sent(app, Beating),
        put("in", ("a", "1", 3)),
        every("out", ("stream", "1 1", 3)),
        restart(),
        put("in", ("a", "2", 9), ("a", "3", 10)),
        every("out", ("stream", "3 2", 10)),
    ),
    Case(
        "punctuators by the clock begin again with the processor",
        lambda app: process.sent(app, Beating),
        put("in", ("a", "1", 3)),
        every("out", ("stream", "1 1", 3)),
        clock("9s"),
        every("out"),
        restart(),
        clock("9s"),
        every("out"),
        clock("1s"),
        every("out", ("wall", "1 0", 19_000)),
    ),
]
