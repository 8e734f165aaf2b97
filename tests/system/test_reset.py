"""Begin anew, from another place, or beside the live application; and what a changed application finds of its state."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.cli.main import main
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.errors import CannotRunBeside, ResetRefused
from headrace.log.groups import Group
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.runtime.commands.reset import resetting

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

PROGRAM = """
import headrace as hr

app = hr.App({name!r}, broker={broker!r}, checkpoint={checkpoint!r})
words = app.stream({source!r}, key=hr.STRING, value=hr.STRING)
words.group_by_key().count(store="counts").to_stream().to({target!r})
{more}
"""


class Counting:
    """An application in a file that counts by keys, with commands for it."""

    def __init__(self, broker: str, source: str, target: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.broker, self.source, self.target, self._capsys = broker, source, target, capsys
        self.name, self.file, self.checkpoint = f"counting-{source}", place / "app.py", place / "checkpoint"
        self.write()

    def write(self, more: str = "", **changes: str) -> None:
        parts = {"name": self.name, "broker": self.broker, "checkpoint": str(self.checkpoint), "source": self.source}
        text = PROGRAM.format(**parts, target=self.target, more=more)
        for old, new in changes.items():
            text = text.replace(old, new)
        self.file.write_text(text)

    def say(self, *words: str) -> None:
        produce(self.broker, None, self.source, [NewRecord(key=word.encode(), value=b"") for word in words])

    def command(self, name: str, *options: str) -> tuple[int, str]:
        self._capsys.readouterr()
        code = main([name, str(self.file), *options])
        return code, "".join(self._capsys.readouterr())

    def run(self, *options: str) -> None:
        code, said = self.command("run", "--until", "latest", *options)
        assert code == 0, said

    def changelog(self, beside: str = "") -> str:
        return f"{self.name}{beside}-counts-changelog"

    def written(self, since: int = 0, target: str | None = None) -> list[tuple[str, int]]:
        found = list(consume(self.broker, None, target or self.target))[since:]
        return sorted(((record.key or b"").decode(), hr.INT64.decode(record.value) or 0) for record in found)


@pytest.fixture
def app(broker: str, topic: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Counting:
    """One that has counted two words, one of them twice."""
    made = Counting(broker, topic("words", 1), topic("counts", 1), tmp_path, capsys)
    made.say("mill", "weir", "mill")
    made.run()
    assert made.written() == [("mill", 2), ("weir", 1)]
    return made


def test_from_the_beginning(app: Counting) -> None:
    code, said = app.command("reset", "--to", "earliest", "--dry-run")
    assert code == 0
    assert said.splitlines() == [
        f"application '{app.name}', checkpoint {app.checkpoint}",
        "  state that is removed: counts",
        f"  changelogs that begin anew: {app.name}-counts-changelog",
        f"  topic {app.source}: read from its beginning; 3 read again",
        "nothing was done (--dry-run)",
    ]
    app.run()
    assert len(app.written()) == 2
    assert app.command("reset", "--to", "earliest", "--yes")[1].endswith("begins anew at its next start\n")
    assert Group(app.name, app.broker).positions() == {(app.source, 0): 0}
    assert Topics(app.broker).partitions([app.changelog()]) == {app.changelog(): None}
    app.run()
    assert app.written(2) == [("mill", 2), ("weir", 1)]
    assert app.written(target=app.changelog()) == [("mill", 2), ("weir", 1)]


@pytest.mark.parametrize(("to", "counted"), [("latest", []), ("file", [("mill", 1), ("weir", 1)])])
def test_from_elsewhere(app: Counting, tmp_path: Path, to: str, counted: list[tuple[str, int]]) -> None:
    file = tmp_path / "offsets.json"
    file.write_text(json.dumps({app.source: {"0": 1}}))
    assert app.command("reset", "--to", str(file) if to == "file" else to, "-y")[0] == 0
    app.run()
    assert app.written(2) == counted
    app.say("mill")
    app.run()
    assert app.written(2 + len(counted)) == [("mill", 1 + len(counted) // 2)]


def test_from_a_time(app: Counting) -> None:
    produce(app.broker, None, app.source, [NewRecord(key=b"race", value=b"", timestamp_ms=4_000_000_000_000)])
    said = app.command("reset", "--to", "2090-01-01T00:00:00Z", "-y")[1]
    assert f"topic {app.source}: read from 0@3" in said
    app.run()
    assert app.written(2) == [("race", 1)]


def test_tables_are_read_from_their_beginnings(app: Counting, topic: Callable[..., str]) -> None:
    names, joined = topic("names", 1), topic("joined", 1)
    more = (
        f"names = app.table({names!r}, key=hr.STRING, value=hr.STRING, store='names')\n"
        f"words.join(names, lambda word, name: name).to({joined!r})"
    )
    app.write(more, **{app.name: f"{app.name}-2", str(app.checkpoint): f"{app.checkpoint}-2"})
    produce(app.broker, None, names, [NewRecord(key=b"mill", value=b"Mill")])
    app.run()
    assert f"table {names}: read from its beginning; 1 read again" in app.command("reset", "--to", "latest", "-y")[1]
    app.say("mill")
    app.run()
    # The row is later than the first words, which do not find it: what is joined is the new word, by the row of before.
    assert [record.value for record in consume(app.broker, None, joined)] == [b"Mill"]


def test_refusals(app: Counting, tmp_path: Path) -> None:
    assert "is no time like" in app.command("reset", "--to", "yesterday")[1]
    assert "say where to begin with --to, or --as which run" in app.command("reset")[1]
    file = tmp_path / "offsets.json"
    checkpoint, plan = Checkpoint(app.name, app.checkpoint), hr.App(app.name)
    plan.stream(app.source).to(app.target)
    for text, words in {
        "[]": "holds no offsets",
        json.dumps({app.source: {"7": 0}}): f"topic '{app.source}' has no partition 7\n  to do: it has 0 to 0",
        json.dumps({app.source: {"0": 9}}): f"{app.source}-0 has no offset 9\n  to do: it has 0 to 3",
        json.dumps(
            {"word": {"0": 0}}
        ): f"names 'word', which is none of the streams that are read\n  to do: these are {app.source};",
    }.items():
        file.write_text(text)
        with pytest.raises(ResetRefused) as refused, resetting(plan.plan(), checkpoint, file, app.broker, {}):
            pass
        assert words in str(refused.value)
    checkpoint.take()
    try:
        assert "is already running on this checkpoint" in app.command("reset", "--to", "earliest", "-y")[1]
    finally:
        checkpoint.release()
    app.write(**{app.name: "another"})
    assert (
        f"was made with application {app.name}, now it is another" in app.command("reset", "--to", "earliest", "-y")[1]
    )
    app.write()
    app.run()
    assert len(app.written()) == 2


def test_a_reset_that_was_broken_off_is_completed_by_the_next_start(app: Counting) -> None:
    Topics(app.broker).delete([app.changelog()])
    (app.checkpoint / "reset.json").write_text('{"starts": {}}')
    app.run()
    assert app.written(2) == [("mill", 2), ("weir", 1)]
    app.run()
    assert len(app.written()) == 4


def test_beside_and_then_in_its_place(app: Counting) -> None:
    app.write(**{"group_by_key()": "filter(lambda key, _: key != 'weir').group_by_key()"})
    Topics(app.broker).create(f"{app.target}-v2", 1)
    app.run("--as", "v2")
    assert app.written(target=f"{app.target}-v2") == [("mill", 2)]
    assert len(app.written()) == 2  # nobody has touched the live one
    app.say("mill")
    app.run("--as", "v2")
    assert "there is no run to go on from" in app.command("reset", "--as", "v3", "--dry-run")[1]
    assert not app.checkpoint.with_name("checkpoint-v3").exists()
    app.checkpoint.with_name("checkpoint-v2").rename(app.checkpoint.with_name("away"))
    code, said = app.command("run", "--as", "v2")
    assert code == 1
    assert "; or run it beside the live one under another name: --as; nothing was changed" in said
    shutil.rmtree(app.checkpoint.with_name("checkpoint-v2"))
    app.checkpoint.with_name("away").rename(app.checkpoint.with_name("checkpoint-v2"))
    app.write()
    app.write(**{'store="counts"': 'store="numbers"'})
    assert "does not fit its state" in app.command("reset", "--as", "v2", "-y")[1]
    app.write(**{"group_by_key()": "filter(lambda key, _: key != 'weir').group_by_key()"})
    assert app.written(target=app.changelog()) == [("mill", 2), ("weir", 1)]
    assert app.command("reset", "--as", "v2", "--yes")[0] == 0
    assert app.written(target=app.changelog()) == app.written(target=app.changelog("-v2")) == [("mill", 2), ("mill", 3)]
    app.say("mill")
    app.run()
    assert app.written(2) == [("mill", 4)]
    assert app.written(target=app.changelog()) == [("mill", 2), ("mill", 3), ("mill", 4)]
    assert app.written(target=f"{app.target}-v2") == [("mill", 2), ("mill", 3)]
    # And once more: it is behind by now, and what the live one writes has other batches.
    assert app.command("reset", "--as", "v2", "--yes")[0] == 0
    app.say("mill")
    app.run()
    assert app.written(3) == [("mill", 5)]


def test_without_the_changelog_of_the_one_beside(app: Counting) -> None:
    Topics(app.broker).create(f"{app.target}-v2", 1)
    app.run("--as", "v2")
    Topics(app.broker).delete([app.changelog("-v2")])
    assert app.command("reset", "--as", "v2", "--yes")[0] == 0
    assert Topics(app.broker).partitions([app.changelog()]) == {app.changelog(): None}
    app.say("mill")
    app.run()
    assert app.written(2) == [("mill", 3)]


def test_topics_that_a_function_names_are_not_run_beside() -> None:
    app = hr.App("chooses")
    app.stream("in", value=hr.STRING).to(lambda _, value: value)
    app.run_beside("v2")
    with pytest.raises(CannotRunBeside, match=r"in\.to writes to topics that a function names"):
        app.describe()


def test_what_is_found_of_the_state(app: Counting) -> None:
    app.write("words.map_values(lambda word: word + '!').group_by_key().reduce(lambda a, b: b, store='last')")
    assert app.command("diff") == (0, "kept:    store 'counts'\nadded:   store 'last'\nit goes on with its state\n")
    app.write(**{'store="counts"': 'store="numbers"'})
    code, said = app.command("diff")
    assert code == 1
    assert said.startswith("added:   store 'numbers'\nlost:    store 'counts'\nit does not fit its checkpoint")
    app.write(**{"group_by_key()": "group_by(lambda key, _: key)"})
    assert "changed: the rule for the task of a key of store 'counts' is hash" in app.command("diff")[1]
    app.write("app.stream('others').to('copies')")
    code, said = app.command("diff")
    assert (code, said.splitlines()[1]) == (1, "added:   source 'others'")
    app.write(**{app.name: "never"})
    assert "has kept nothing yet" in app.command("diff", "--checkpoint", str(app.checkpoint / "none"))[1]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            "def same(record):\n    yield record\n\nwords.process(same)",
            "store 'counts' is kept in Python, it was kept in the kernel",
        ),
        (
            "def seen(key, value):\n    pass\n\nwords.foreach(seen)",
            "stage 1 runs in the kernel and Python, it ran in the kernel",
        ),
    ],
    ids=["a store", "a stage"],
)
def test_state_of_another_lane_is_refused(app: Counting, more: str, told: str) -> None:
    app.write(more)
    code, said = app.command("diff")
    assert code == 1
    assert f"changed: {told}\n" in said
    assert "it does not fit its checkpoint" in said
    assert "to do: headrace explain tells what runs in Python, and why: start with the old topology" in said
    code, said = app.command("run", "--until", "latest")
    assert code == 1
    assert f"does not fit its state: {told}\n" in said
    app.write()
    app.say("mill")
    app.run()
    assert app.written(2) == [("mill", 3)]


def test_what_is_held_back_is_not_forgotten(app: Counting, topic: Callable[..., str]) -> None:
    finals = topic("finals", 1)
    hourly = "words.group_by_key().windowed_by(hr.tumbling('1h', grace='0s')).count(store='hourly')"
    held = "suppress(hr.until_window_closes()).to_stream(lambda window, _: window.key)"
    app.write(f"{hourly}.{held}.to({finals!r})")
    app.say("mill")
    app.run()
    app.write(f"{hourly}.filter(lambda _, n: n > 0).{held}.to({finals!r})")
    code, said = app.command("diff")
    assert code == 1
    assert "lost:    what 'hourly.suppress' holds back\n" in said
    assert "to do: give what holds something back its old name with name=; or start" in said
    code, said = app.command("run", "--until", "latest")
    assert code == 1
    assert "does not fit its state: what 'hourly.suppress' holds back would be lost: its operator is gone\n" in said
    named = held.replace("closes()", "closes(), name='hourly.suppress'")
    app.write(f"{hourly}.filter(lambda _, n: n > 0).{named}.to({finals!r})")
    assert app.command("diff")[0] == 0
    produce(app.broker, None, app.source, [NewRecord(key=b"race", value=b"", timestamp_ms=4_000_000_000_000)])
    app.run()
    assert app.written(target=finals) == [("mill", 1)]
