"""The notebook of the examples, executed as a user would: and its cells run a second time."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from headrace.log.broker import EmbeddedBroker

pytestmark = pytest.mark.spark

NOTEBOOK = Path(__file__).parents[2] / "examples" / "orders.ipynb"
NEW_CELL: dict[str, Any] = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}


class Executed:
    """A notebook with its kernel: more cells can be run behind those that it has."""

    def __init__(self, client: NotebookClient) -> None:
        self._client = client
        self.number = 0
        """Of the cell that was run last, as it stands beside it."""

    @property
    def errors(self) -> list[str]:
        """What its cells failed of."""
        outputs = [one for cell in self._client.nb.cells for one in cell.get("outputs", ())]
        return [text_of([one]) for one in outputs if one["output_type"] == "error"]

    def run(self, source: str) -> Any:
        """Run a cell once more, or another one; what is shown below it."""
        cells = self._client.nb.cells
        cells.append(nbformat.from_dict({**NEW_CELL, "source": source}))
        self._client.execute_cell(cells[-1], len(cells) - 1)
        self.number = cells[-1].execution_count
        return cells[-1].outputs

    def cell(self, begin: str) -> Any:
        """The shortest cell that begins so."""
        found = [cell for cell in self._client.nb.cells if cell.source.startswith(begin)]
        return min(found, key=lambda cell: len(cell.source))

    def html(self, begin: str) -> str:
        """What is shown below a cell."""
        return html_of(self.cell(begin).outputs)


def html_of(outputs: Any) -> str:
    return "".join(one["data"].get("text/html", "") for one in outputs if "data" in one)


def text_of(outputs: Any) -> str:
    return "".join(one.get("text", "") or "\n".join(one.get("traceback", ())) for one in outputs)


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executed]:
    """The notebook, executed in a kernel of its own with a broker and checkpoints of its own."""
    place = tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADRACE_BROKER_DIR", str(place / "broker"))
        patch.setenv("HEADRACE_DATA_DIR", str(place / "data"))
        patch.setenv("IPYTHONDIR", str(place / "ipython"))
        patch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
        client = NotebookClient(nbformat.reads(NOTEBOOK.read_text(), as_version=4), timeout=300, allow_errors=True)
        with client.setup_kernel():
            for number, cell in enumerate(client.nb.cells):
                client.execute_cell(cell, number)
            yield Executed(client)
    EmbeddedBroker(place / "broker").stop()


def rows_in(html: str) -> list[list[str]]:
    """The cells of a table, row by row."""
    lines = re.findall("<tr>(.*?)</tr>", html)
    return [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", line) for line in lines]


def test_every_cell_shows_what_it_is_for(executed: Executed) -> None:
    assert executed.errors == []
    assert 'src="data:image/svg+xml;base64,' in executed.html("app = hr.App")
    head, *rows = rows_in(executed.html("large.show()"))
    assert head == ["key", "customer", "country", "total"]
    assert sorted(rows) == [  # they went to several partitions, so their order may be any
        ["ann", "ann", "NO", "12.5"],
        ["ann", "ann", "NO", "230.0"],
        ["bob", "bob", "SE", "41.0"],
        ["bob", "bob", "SE", "80.0"],
    ]
    table = [["key", "orders", "total"], ["ann", "2", "242.5"], ["bob", "2", "121.0"]]
    assert rows_in(executed.html("spent.show()")) == table
    assert [row[:3] for row in rows_in(executed.html("rows = app.run"))] == table
    assert rows_in(executed.html("app.start()")) == rows_in(executed.html('app.store("spent")')) == table


def test_cells_that_are_run_again_take_over(executed: Executed) -> None:
    declared, started = executed.cell("app = hr.App").source, executed.cell("app.start()").source
    assert "image/svg+xml" in html_of(executed.run(declared))
    executed.run(started)
    assert "image/svg+xml" in html_of(executed.run(declared))  # a new App of the same name, while the first one runs
    assert rows_in(html_of(executed.run(started)))[1] == ["ann", "2", "242.5"]
    assert rows_in(html_of(executed.run(started)))[1] == ["ann", "2", "242.5"]  # the same App again
    assert "RUNNING" in str(executed.run("print(app.state)"))
    executed.run("app.close()")


def test_places_are_named_by_cell(executed: Executed) -> None:
    told = text_of(executed.run('wrong = hr.App("wrong")\n\nwrong.stream("a").show(0)'))
    assert f"cell {executed.number}, line 3" in told
