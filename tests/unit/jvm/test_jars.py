"""Jars are fetched once, checked always, and named when they do not come."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest

from headrace.errors import JarsMissing, JavaMissing
from headrace.jvm import ivy, jars, lock
from headrace.jvm.jars import fetch

from .conftest import Repository, write_settings


class Heard:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def begin(self, total: int, text: str) -> None:
        self.lines.append(f"begin {total}: {text}")

    def step(self, done: int, total: int, text: str) -> None:
        self.lines.append(f"{done}/{total} {text}")

    def end(self, text: str) -> None:
        self.lines.append(f"end: {text.rpartition(' in ')[0]}")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_all_jars_of_a_group_in_the_order_of_the_lock(cache: Path, repository: Repository) -> None:
    for name in ("zebra", "ant"):
        repository.pin("connector", name, name.encode() * 1000)
    repository.pin("broker", "other", b"other")
    heard = Heard()
    assert fetch("connector", progress=heard) == [cache / "jars" / "zebra-1.0.jar", cache / "jars" / "ant-1.0.jar"]
    assert (cache / "jars" / "ant-1.0.jar").read_bytes() == b"ant" * 1000
    assert names(cache / "jars") == ["ant-1.0.jar", "zebra-1.0.jar"]
    assert heard.lines == [
        "begin 2: fetching 2 connector jars (0.0 MB)",
        "0/2 zebra-1.0.jar",
        "1/2 zebra-1.0.jar",
        "1/2 ant-1.0.jar",
        "2/2 ant-1.0.jar",
        "end: fetched 2 connector jars",
    ]


def test_nothing_runs_when_all_is_there(cache: Path, repository: Repository, request: pytest.FixtureRequest) -> None:
    repository.pin("connector", "ant", b"ant")
    first = fetch("connector", progress=Heard())
    request.getfixturevalue("no_java")
    heard = Heard()
    assert fetch("connector", progress=heard) == first
    assert heard.lines == []
    (cache / "jars" / "ant-1.0.jar").unlink()
    with pytest.raises(JavaMissing):
        fetch("connector", progress=heard)


@pytest.mark.parametrize("damage", [None, b"bug", b"an", b""], ids=["missing", "other bytes", "cut off", "empty"])
def test_only_what_is_missing_or_damaged_is_fetched_again(
    damage: bytes | None, cache: Path, repository: Repository
) -> None:
    repository.pin("connector", "ant", b"ant")
    whole = repository.pin("connector", "zebra", b"zebra")
    fetch("connector", progress=Heard())
    repository.remove(whole)
    jar = cache / "jars" / "ant-1.0.jar"
    if damage is None:
        jar.unlink()
    else:
        jar.write_bytes(damage)
    heard = Heard()
    fetch("connector", progress=heard)
    assert jar.read_bytes() == b"ant"
    assert heard.lines[0] == "begin 1: fetching 1 connector jar (0.0 MB)"


def test_two_at_once_fetch_once(repository: Repository) -> None:
    repository.pin("connector", "ant", b"ant")
    heard = [Heard(), Heard()]
    with ThreadPoolExecutor() as pool:
        first, second = pool.map(lambda each: fetch("connector", progress=each), heard)
    assert first == second
    assert sorted(len(each.lines) for each in heard) == [0, 4]


def words(error: JarsMissing, cache: Path) -> str:
    """The message without its last lines, which are always the same."""
    always = (
        f"\n  at: Ivy's own lines are in {cache}/ivy.log"
        "\n  to do: connect to the network once, or name an Ivy settings file with your mirror in HEADRACE_IVY_SETTINGS"
    )
    assert str(error).endswith(always)
    return str(error).removesuffix(always)


def test_a_repository_without_them(cache: Path, repository: Repository) -> None:
    there = repository.pin("connector", "ant", b"ant")
    for name in ("bee", "cow"):
        repository.remove(repository.pin("connector", name, b"gone"))
    heard = Heard()
    with pytest.raises(JarsMissing) as caught:
        fetch("connector", progress=heard)
    assert words(caught.value, cache) == (
        "2 jar(s) could not be fetched: the repository does not have them or does not answer"
        "\n    bee-1.0.jar\n    cow-1.0.jar"
    )
    assert heard.lines[-1] == "end: fetched 1 of 3 connector jars"
    assert names(cache / "jars") == [there.file]
    assert "UNRESOLVED DEPENDENCIES" in (cache / "ivy.log").read_text()


def test_another_jar_than_the_pinned_one(cache: Path, repository: Repository) -> None:
    jar = repository.pin("connector", "ant", b"ant")
    repository.put(jar, b"bug")
    with pytest.raises(JarsMissing) as caught:
        fetch("connector", progress=Heard())
    assert words(caught.value, cache) == (
        "1 jar(s) could not be fetched: what came is not what is pinned (SHA-256 differs: ant-1.0.jar)\n    ant-1.0.jar"
    )
    assert names(cache / "jars") == []
    repository.put(jar, b"ant")
    assert [path.read_bytes() for path in fetch("connector", progress=Heard())] == [b"ant"]


def test_nobody_at_the_address(
    cache: Path, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    repository.pin("connector", "ant", b"ant")
    monkeypatch.setenv("HEADRACE_IVY_SETTINGS", str(write_settings(tmp_path / "closed.xml", f"http://{address}/")))
    with pytest.raises(JarsMissing) as caught:
        fetch("connector", progress=Heard())
    assert words(caught.value, cache) == (
        f"1 jar(s) could not be fetched: {address} cannot be reached (Connection refused)\n    ant-1.0.jar"
    )


def test_an_address_that_never_answers(
    cache: Path, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ivy, "SILENCE_S", 1.5)
    repository.pin("connector", "ant", b"ant")
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        monkeypatch.setenv("HEADRACE_IVY_SETTINGS", str(write_settings(tmp_path / "silent.xml", url)))
        with pytest.raises(JarsMissing) as caught:
            fetch("connector", progress=Heard())
    assert words(caught.value, cache) == (
        "1 jar(s) could not be fetched: the repository was silent for 1.5 s\n    ant-1.0.jar"
    )


def test_settings_that_are_no_file(cache: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.pin("connector", "ant", b"ant")
    monkeypatch.setenv("HEADRACE_IVY_SETTINGS", "/no/such/settings.xml")
    with pytest.raises(JarsMissing) as caught:
        fetch("connector", progress=Heard())
    assert words(caught.value, cache) == (
        "1 jar(s) could not be fetched: HEADRACE_IVY_SETTINGS names /no/such/settings.xml, which is not a file"
        "\n    ant-1.0.jar"
    )


def test_settings_that_are_no_settings(
    cache: Path, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.pin("connector", "ant", b"ant")
    (tmp_path / "broken.xml").write_text("<nonsense")
    monkeypatch.setenv("HEADRACE_IVY_SETTINGS", str(tmp_path / "broken.xml"))
    with pytest.raises(JarsMissing) as caught:
        fetch("connector", progress=Heard())
    assert words(caught.value, cache).startswith("1 jar(s) could not be fetched: Ivy stopped (")
    assert "broken.xml" in str(caught.value)


def test_another_lock_can_be_asked_for(cache: Path, repository: Repository, tmp_path: Path) -> None:
    lock.write(tmp_path / "other.lock", [repository.pin("other", "ant", b"ant")], by="a test")
    repository.lock.write_text("")
    found = fetch("other", progress=Heard(), pinned=tmp_path / "other.lock")
    assert found == [cache / "jars" / "ant-1.0.jar"]


BENCH = Path(__file__).parents[3] / "bench" / "programs"


@pytest.mark.parametrize(
    ("folder", "groups"), [(jars.HERE, jars.GROUPS), (BENCH, ("streams",))], ids=["headrace", "bench"]
)
def test_the_lock_holds_what_ivy_xml_asks_for(folder: Path, groups: tuple[str, ...]) -> None:
    pinned = lock.read(folder / "jars.lock")
    held = {(jar.group, jar.organisation, jar.name, jar.revision) for jar in pinned}
    asked = {
        (each.attrib["conf"].partition("->")[0], each.attrib["org"], each.attrib["name"], each.attrib["rev"])
        for each in ElementTree.parse(folder / "ivy.xml").iter("dependency")
    }
    assert asked <= held
    assert {jar.group for jar in pinned} == set(groups)
    assert len({(jar.group, jar.file) for jar in pinned}) == len(pinned)
    assert len({(jar.file, jar.sha256) for jar in pinned}) == len({jar.file for jar in pinned})


def test_a_new_lock_has_the_dependencies_too(repository: Repository, tmp_path: Path) -> None:
    pinned = [repository.pin("broker", name, name.encode()) for name in ("ant", "leaf")]
    leaf = "<dependencies><dependency><groupId>org.example</groupId><artifactId>leaf</artifactId><version>1.0</version>"
    for name, needs in (("ant", f"{leaf}</dependency></dependencies>"), ("leaf", "")):
        (repository.root / "org" / "example" / name / "1.0" / f"{name}-1.0.pom").write_text(
            "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>"
            f"<artifactId>{name}</artifactId><version>1.0</version>{needs}</project>"
        )
    (tmp_path / "ivy.xml").write_text(
        '<ivy-module version="2.0"><info organisation="headrace" module="jars"/>'
        '<configurations><conf name="broker"/></configurations><dependencies>'
        '<dependency org="org.example" name="ant" rev="1.0" conf="broker->compile,runtime,master"/>'
        "</dependencies></ivy-module>"
    )
    assert jars.relock(tmp_path / "ivy.xml", ("broker",)) == pinned
