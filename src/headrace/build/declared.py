"""What was declared so far: the nodes of one application, with their names and stores."""

from __future__ import annotations

from typing import Any, TypeVar

from headrace.build.connections import Connections
from headrace.build.handlers import with_handler
from headrace.build.names import LONGEST_NAME, checked_name, emit_of
from headrace.build.paths import Paths
from headrace.build.shown import Viewer
from headrace.build.topic_checks import check_topics
from headrace.errors import NameTaken, NothingToRun, StoreNeedsName
from headrace.plan.graph import Plan
from headrace.plan.handlers import FAIL, Handler, Handlers
from headrace.plan.nodes import Emit, Node, StreamJoin
from headrace.plan.stores import Store

N = TypeVar("N", bound=Node)


class Declared:
    """Takes in the nodes of one application, and looks after their names. Nothing runs while they are declared."""

    def __init__(self, app_id: str, emit: Emit, on_error: Handler = FAIL) -> None:
        self.id, self.emit, self.handlers = app_id, emit, Handlers(on_error)
        self.nodes: list[Node] = []
        self._names: dict[str, Node] = {}
        self._stores: dict[str, Node] = {}
        self._unnamed_stores: set[str] = set()
        self._path_of: dict[str, str] = {}
        self._paths = Paths()
        self.connections = Connections()
        self.viewer: Viewer | None = None
        """What shows rows of its nodes."""

    def take_store(self, store: Store[Any], here: str, keeper: str | None = None) -> None:
        """Take in a store of processors; `keeper` is the only node that may write it, if there is one."""
        name = getattr(store, "name", None)
        if name in self._stores:
            raise NameTaken(name, self._stores[name].origin, here)
        self.connections.add(store, here, keeper)

    @property
    def node_names(self) -> list[str]:
        """The names of all nodes, in the order they were declared."""
        return list(self._names)

    def plan(self) -> Plan:
        """Plan of the nodes that were declared so far."""
        read = {upstream for node in self.nodes for upstream in node.inputs}
        ends = tuple(node for node in self.nodes if node.facts.ends and node not in read)
        if not ends:
            raise NothingToRun(self.id)
        self._check_stores()
        check_topics(self.nodes)
        named = frozenset(self._stores.keys() - self._unnamed_stores)
        return Plan(self.id, ends, tuple(self.nodes), named, self.connections.requests(), self.handlers)

    def add(self, node: N) -> N:
        """Take a node into the topology."""
        self.nodes.append(node)
        self._names[node.name] = node
        store = getattr(node, "store", None)
        if store is not None:
            self._stores[store] = node
        if isinstance(node, StreamJoin):
            self._stores |= dict.fromkeys(node.side_stores, node)
        if node.name in self._path_of:
            named_by_store = store is not None and store not in self._unnamed_stores
            after = node.inputs[0] if node.inputs and not named_by_store else None
            self._paths.unnamed(node, self._path_of[node.name], after)
        else:
            self._paths.named(node)
        return node

    def follow(self, kind: type[N], upstream: Node, op: str, name: str | None, here: str, **parameters: Any) -> N:
        """Add the node of an operator behind another node, named by the user or by the path that leads to it."""
        path = self.unique(name, f"{upstream.name}.{op}", here)
        return self.add(kind(name=path, origin=here, upstream=upstream, **parameters))  # type: ignore[call-arg]

    def follow_keeping(
        self, kind: type[N], upstream: Node, op: str, store: str | None, emit: str | None, here: str, **parameters: Any
    ) -> N:
        """Add the node of an operator that always keeps its rows, named as its store."""
        kept = self.store_name(store, f"{upstream.name}.{op}", here)
        path, chosen = self.unique(None, kept, here), self.emission(emit, here)
        options = {"upstream": upstream, "store": kept, "emit": chosen, **parameters}
        return self.add(kind(name=path, origin=here, **options))

    def handle(self, node: Node, handler: Handler, here: str) -> None:
        """Say what becomes of the records that an operator fails on."""
        self.handlers = with_handler(self.handlers, node, handler, here)

    def node(self, name: str) -> Node | None:
        """The node of a name, if there is one."""
        return self._names.get(name)

    def unique(self, name: str | None, path: str, here: str, *, place: str | None = None) -> str:
        """The user's name, which must be new, or the path, told apart from its twins by a number.

        The number is for reading only: nothing that reaches disk or a topic is named by it. `place` is the path
        without a number that the caller has put there itself.
        """
        if name is not None:
            checked_name("an operator", name, here)
            if name in self._names:
                raise NameTaken(name, self._names[name].origin, here)
            return name
        candidate, twin = path, 2
        while candidate in self._names:
            candidate, twin = f"{path}-{twin}", twin + 1
        self._path_of[candidate] = place or path
        return candidate

    def store_name(self, name: str | None, path: str, here: str, parts: tuple[str, ...] = ()) -> str:
        """A name for a store, the user's or the path; both must be new, for state is found again by it.

        With `parts` it stands for several, each with a part behind the name, and all of them must be new.
        """
        chosen = path if name is None else name
        for store in (chosen, *(f"{chosen}.{part}" for part in parts)):
            taken = self._stores[store].origin if store in self._stores else self.connections.origin_of(store)
            if name is None:
                _check_path(store, path.rpartition(".")[2].partition("-")[0], taken, here)
            elif taken is not None:
                raise NameTaken(store, taken, here)
            else:
                checked_name("a store", store, here)
        if name is None:
            self._unnamed_stores.add(path)
        return chosen

    def kept(self, store: str | None, emit: str | None, here: str, path: str | None = None) -> dict[str, Any]:
        """`store` and `emit` of a table that keeps its rows only if told where; without, every change is sent on.

        One that always keeps them has a `path` for the name of its store.
        """
        if store is None and path is None:
            self.emission(emit, here)  # raises if it is none
            return {"store": None, "emit": Emit.EVERY}
        return {"store": self.store_name(store, path or str(store), here), "emit": self.emission(emit, here)}

    def emission(self, emit: str | None, here: str) -> Emit:
        """Emission of a table: as its own options say, or as for the whole application."""
        return self.emit if emit is None else emit_of(emit, here)

    def _check_stores(self) -> None:
        """Refuse a store whose name hangs on the order of lines: after a swap it would find another one's state.

        Only the whole topology tells, for the twin may be declared last.
        """
        for store in sorted(self._unnamed_stores & self._stores.keys()):
            node = self._stores[store]
            sides = [one for one in node.inputs if one.name in store]  # the store of a join is named after both
            named_after = sides if len(sides) > 1 else [node, *sides]
            found = next(filter(None, map(self._paths.twins, named_after)), None)
            if found is not None:
                path, first, second = found
                raise StoreNeedsName(
                    node.op,
                    node.origin,
                    f"only the order of two lines tells which {path!r} it belongs to",
                    (first.origin, second.origin),
                )


def _check_path(path: str, op: str, taken: str | None, here: str) -> None:
    """Raise if a path is too long for the name of a store, or is one already."""
    if len(path) > LONGEST_NAME:
        raise StoreNeedsName(op, here, f"its path has {len(path)} characters, a name has at most {LONGEST_NAME}")
    if taken is not None:
        raise StoreNeedsName(op, here, f"there is a store at its path {path!r} already", (taken, here))
