"""The kernel is compiled when its sources change, and only then."""

from __future__ import annotations

import os
import subprocess
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from headrace.errors import KernelBuildFailed, KernelDamaged, KernelMissing
from headrace.jvm import kernel
from headrace.jvm.java import find_java
from headrace.jvm.lock import sha256
from headrace.jvm.paths import pyspark_jars

GOOD = """
package example
object Tiny { def main(args: Array[String]): Unit = println(org.apache.spark.SPARK_VERSION) }
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A folder with one Scala file."""
    folder = tmp_path / "kernel"
    folder.mkdir()
    (folder / "Tiny.scala").write_text(GOOD)
    return folder


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The compiler replaced by one that takes no time; what it was asked to compile."""
    asked: list[list[str]] = []

    def compile_kernel(sources: Sequence[Path], out: Path, *, jars: Sequence[Path]) -> None:
        assert jars == [Path("connector.jar")]
        asked.append([path.name for path in sources])
        out.write_text(" ".join(asked[-1]))

    monkeypatch.setattr(kernel, "compile_kernel", compile_kernel)
    monkeypatch.setattr(kernel, "fetch", lambda _: [Path("connector.jar")])
    return asked


def test_a_good_source_becomes_a_jar_that_runs(sources: Path, tmp_path: Path) -> None:
    jar = tmp_path / "out.jar"
    kernel.compile_kernel([sources / "Tiny.scala"], jar)
    assert "example/Tiny.class" in zipfile.ZipFile(jar).namelist()
    command = [str(find_java().path), "-cp", f"{jar}:{pyspark_jars()}/*", "example.Tiny"]
    assert subprocess.run(command, capture_output=True, check=True, text=True).stdout.startswith("4.")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kernel", "out.jar"]


def test_a_broken_source_is_shown_as_the_compiler_shows_it(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_TOOL_OPTIONS")  # or Java says first that it has seen it
    source = sources / "Tiny.scala"
    source.write_text("package example\nobject Tiny { val n: Int = missing }\n")
    with pytest.raises(KernelBuildFailed) as caught:
        kernel.compile_kernel([source], tmp_path / "out.jar")
    assert str(caught.value) == (
        "the kernel does not compile\n"
        f"{source}:2: error: not found: value missing\n"
        "object Tiny { val n: Int = missing }\n"
        "                           ^\n"
        "1 error\n"
        "  at: kernel/"
    )
    assert not (tmp_path / "out.jar").exists()


def test_unchanged_sources_are_compiled_once(
    sources: Path, runs: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    first = kernel.compiled(sources)
    assert kernel.compiled(sources) == first
    assert runs == [["Tiny.scala"]]
    assert capsys.readouterr().err == "compiling the kernel (a few seconds, only after changes) ...\n"


@pytest.mark.parametrize("content", ["", "something else"], ids=["truncated", "replaced"])
def test_a_damaged_one_is_compiled_again(
    sources: Path, runs: list[list[str]], capsys: pytest.CaptureFixture[str], content: str
) -> None:
    jar = kernel.compiled(sources)
    jar.write_text(content)
    assert kernel.compiled(sources) == jar
    assert jar.read_text() == "Tiny.scala"
    assert len(runs) == 2
    assert capsys.readouterr().err.splitlines()[1:] == ["compiling the kernel (what was compiled is damaged) ..."]


def test_any_change_compiles_again(
    sources: Path, runs: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {kernel.compiled(sources)}
    (sources / "Tiny.scala").write_text(GOOD + "// changed\n")
    made.add(kernel.compiled(sources))
    (sources / "deep").mkdir()
    (sources / "deep" / "More.scala").write_text("")
    made.add(kernel.compiled(sources))
    (sources / "deep" / "More.scala").rename(sources / "deep" / "Other.scala")
    made.add(kernel.compiled(sources))
    (tmp_path / "new.lock").write_text("other jars")
    monkeypatch.setattr(kernel, "LOCK", tmp_path / "new.lock")
    made.add(kernel.compiled(sources))
    monkeypatch.setattr(kernel, "version", lambda _: "5.0.0")
    made.add(kernel.compiled(sources))
    assert len(made) == len(runs) == 6


def test_two_at_once_compile_once(sources: Path, runs: list[list[str]]) -> None:
    with ThreadPoolExecutor() as pool:
        first, second = pool.map(kernel.compiled, [sources, sources])
    assert first == second
    assert len(runs) == 1


def test_the_three_used_last_are_kept(cache: Path, sources: Path, runs: list[list[str]]) -> None:
    made = []
    for number in range(3):
        (sources / "Tiny.scala").write_text(f"// {number}")
        made.append(kernel.compiled(sources))
        os.utime(made[-1], (number, number))
    (sources / "Tiny.scala").write_text("// 0")
    assert kernel.compiled(sources) == made[0]
    (sources / "Tiny.scala").write_text("// 3")
    made.append(kernel.compiled(sources))
    assert {path.name for path in (cache / "kernel").glob("*.jar")} == {made[n].name for n in (0, 2, 3)}
    assert len(runs) == 4


def test_a_checkout_uses_its_sources(
    sources: Path, runs: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "HERE", tmp_path / "src" / "headrace" / "jvm")
    assert kernel.kernel_jar() == kernel.compiled(sources)
    assert runs == [["Tiny.scala"]]


def test_a_wheel_uses_the_jar_it_brings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "site-packages" / "headrace" / "jvm"
    inside.mkdir(parents=True)
    monkeypatch.setattr(kernel, "HERE", inside)
    with pytest.raises(KernelMissing) as caught:
        kernel.kernel_jar()
    assert str(caught.value) == (
        "the kernel is missing: there is neither a jar of it nor a Scala source\n"
        f"  at: {inside}\n"
        "  to do: install headrace again from its wheel"
    )
    (tmp_path / "draft").write_text("classes")
    jar = kernel.packaged(inside).named(sha256(tmp_path / "draft"))
    (tmp_path / "draft").rename(jar)
    assert kernel.kernel_jar() == jar
    jar.write_text("class")
    with pytest.raises(KernelDamaged) as damaged:
        kernel.kernel_jar()
    assert str(damaged.value) == (
        "the kernel is damaged or was replaced: its SHA-256 is not the one in its name\n"
        f"  at: {jar}\n"
        "  to do: install headrace again from its wheel: pip install --force-reinstall headrace"
    )
