"""Applications on a broker that knows them: what they must be allowed, and what they tell of their secrets."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import headrace as hr
from headrace.cli.acls import acls
from headrace.cli.load import load_app
from headrace.cli.main import main
from headrace.engine.ownership import settings_of
from headrace.errors import BrokerNotTrusted, HeadraceError, LoginRefused, NotAllowed
from headrace.log.acls import Acl, Rights
from headrace.log.groups import Group
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from system.secured import SecuredBroker, secured_broker
from waiting import while_up

pytestmark = pytest.mark.spark

TOPICS = {"orders": 2, "prices": 2, "totals": 1, "shop-dead-letters": 1}
PROGRAM = """
import headrace as hr

app = hr.App("shop", broker={broker!r}, kafka={kafka!r}, checkpoint={checkpoint!r}, on_error="dead_letter",
             verbose={verbose!r})
prices = app.global_table("prices", key=hr.STRING, value=hr.INT64)
bought = app.stream("orders", key=hr.STRING, value=hr.STRING).join(
    prices, lambda _, price: 1200 // price, on=lambda _, product: product)
bought.group_by_key().reduce(lambda total, more: total + more, store="total").to_stream().to(
    "totals", partitioner=lambda topic, key, value, partitions: 0)
"""
NEEDED = [
    "Read on topic 'prices'",
    "Read on topic 'orders'",
    "Write on topic 'totals'",
    "Write on topic 'shop-dead-letters'",
    "Write on topic 'shop-total-changelog'",
    "Create on topic 'shop-total-changelog'",
    "DescribeConfigs on topic 'shop-total-changelog'",
    "Read on group 'shop'",
    "Read on group names that begin with 'shop-sink-'",
    "Write on transactional id names that begin with 'shop-sink-'",
]
ASKED = [
    "Read on topic 'shop-total-changelog'",
    "Read on topic 'shop-query-servers'",
    "Write on topic 'shop-query-servers'",
    "Create on topic 'shop-query-servers'",
]
"""While it runs on, and its stores can be asked."""


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    """A broker with the topics of a shop, and two users."""
    with secured_broker(tmp_path_factory.mktemp("secured"), ["shop", "guest"]) as broker:
        for topic, partitions in TOPICS.items():
            broker.topics.create(topic, partitions)
        put(broker, "prices", tea=hr.INT64.encode(300), gold=hr.INT64.encode(400), air=hr.INT64.encode(0))
        put(broker, "orders", ann=b"tea", bob=b"air")
        yield broker


@pytest.fixture(scope="module")
def needed(secured: SecuredBroker, tmp_path_factory: pytest.TempPathFactory) -> list[Acl]:
    """What the command says that the shop needs; its user has just that."""
    file = program(secured, tmp_path_factory.mktemp("shop"))
    printed = json.loads(CliRunner().invoke(acls, [str(file), "--json"], catch_exceptions=False).stdout)
    assert {one.pop("principal") for one in printed} == {"User:shop"}
    found = [Acl(**one) for one in printed]
    secured.allow("shop", found)
    return found


def program(broker: SecuredBroker, place: Path, verbose: bool = False, **changed: str) -> Path:
    """The shop in a file."""
    kafka, checkpoint = broker.login("shop", **changed), str(place / "checkpoint")
    text = PROGRAM.format(broker=broker.address, kafka=kafka, checkpoint=checkpoint, verbose=verbose)
    (place / "shop.py").write_text(text)
    return place / "shop.py"


def put(broker: SecuredBroker, topic: str, **records: bytes | None) -> None:
    produce(broker.address, broker.admin, topic, [NewRecord(key=k.encode(), value=v) for k, v in records.items()])


def have_never_run(broker: SecuredBroker, *, changelog: bool) -> None:
    """Leave nothing that tells of an earlier life, with an empty changelog or with none."""
    topic = "shop-total-changelog"
    if broker.topics.partitions([topic])[topic] is not None:
        broker.topics.delete([topic])
    if changelog:
        broker.topics.create(topic, 2, settings_of("shop", "total"))
    Group("shop", broker.address, broker.admin).delete()


def totals(broker: SecuredBroker) -> list[tuple[bytes | None, int | None]]:
    found = consume(broker.address, broker.admin, "totals")
    return [(record.key, hr.INT64.decode(record.value)) for record in found]


@pytest.mark.usefixtures("spark")
class TestAllowed:
    """One who has just what the command prints."""

    def test_it_is_enough(self, secured: SecuredBroker, needed: list[Acl], tmp_path: Path) -> None:
        assert sorted(map(str, needed)) == sorted(NEEDED + ASKED)
        file = program(secured, tmp_path)
        assert main(["run", str(file), "--until", "latest"]) == 0
        assert totals(secured) == [(b"ann", 4)]
        put(secured, "orders", ann=b"gold", bob=b"tea")
        assert main(["run", str(file), "--until", "latest"]) == 0
        assert sorted(totals(secured)) == [(b"ann", 4), (b"ann", 7), (b"bob", 4)]
        letters = list(consume(secured.address, secured.admin, "shop-dead-letters"))
        assert [letter.value for letter in letters] == [b"air"]
        ends = {(name, n): end for name in ("orders", "prices") for n, end in secured.topics.end_offsets(name).items()}
        assert Group("shop", secured.address, secured.admin).positions() == ends
        assert len(list(consume(secured.address, secured.login("shop"), "orders"))) == 4  # in no group of its own
        with pytest.raises(NotAllowed, match="does not allow Create on topic 'more'"):
            Topics(secured.address, secured.login("shop")).create("more")

    def test_it_is_enough_to_be_asked(self, secured: SecuredBroker, needed: list[Acl], tmp_path: Path) -> None:
        assert needed
        have_never_run(secured, changelog=False)
        app = load_app(str(program(secured, tmp_path)))
        put(secured, "orders", cyd=b"tea")
        with app:
            assert app.url is not None
            while_up(app, lambda: app.store("total").get("cyd") is not None, "a total of cyd")
            with hr.connect(app.url) as connection:
                assert connection.store("total").get("cyd") == app.store("total").get("cyd")

    @pytest.mark.parametrize("lacking", NEEDED)
    def test_each_is_needed(
        self,
        secured: SecuredBroker,
        needed: list[Acl],
        lacking: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        """Who may only look where they should read or write is told so by what fails, not by a check before it."""
        monkeypatch.setattr(Rights, "lacking", lambda *_: [])
        (acl,) = [one for one in needed if str(one) == lacking]
        have_never_run(secured, changelog=acl.operation != "Create")
        with Less(secured, acl):
            assert main(["run", str(program(secured, tmp_path)), "--until", "latest"]) == 1
        (told,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
        kind, name = acl.kind.replace("-", " "), acl.name + ("" if not acl.prefixed else told[-2:-1])
        assert told == f"error: the broker does not allow {acl.operation} on {kind} '{name}'"

    def test_all_that_is_lacking_is_told_before_anything_is_started(
        self, secured: SecuredBroker, tmp_path: Path
    ) -> None:
        app = hr.App("guest", broker=secured.address, kafka=secured.login("guest"), checkpoint=tmp_path / "checkpoint")
        app.stream("orders").to("totals")
        with pytest.raises(NotAllowed) as told:
            app.run(until="latest")
        assert str(told.value).splitlines() == [
            "the broker does not allow Read on topic 'orders', Write on topic 'totals', Read on group 'guest',"
            " Read on group names that begin with 'guest-sink-'",
            "  to do: have it granted; what an application needs, no more, is printed by: headrace acls app.py",
        ]
        assert not (tmp_path / "checkpoint" / "spark.log").exists()

    def test_without_transactions_less_is_enough(self, secured: SecuredBroker, tmp_path: Path) -> None:
        mine = [Acl("Read", "topic", "orders"), Acl("Write", "topic", "totals"), Acl("Read", "group", "guest")]
        secured.allow("guest", mine)
        login, before = secured.login("guest"), len(totals(secured))
        app = hr.App("guest", broker=secured.address, kafka=login, checkpoint=tmp_path, guarantee="at_least_once")
        app.stream("orders").to("totals")
        app.run(until="latest")
        secured.forbid("guest", mine)
        assert len(list(consume(secured.address, secured.admin, "totals"))) == before + sum(
            secured.topics.end_offsets("orders").values()
        )


class Less:
    """For a while somebody may describe where they could do more."""

    def __init__(self, broker: SecuredBroker, acl: Acl) -> None:
        self._broker, self._acl = broker, acl
        self._less = Acl("Describe", acl.kind, acl.name, acl.prefixed)

    def __enter__(self) -> None:
        self._broker.allow("shop", [self._less])
        self._broker.forbid("shop", [self._acl])

    def __exit__(self, *_: object) -> None:
        self._broker.allow("shop", [self._acl])
        self._broker.forbid("shop", [self._less])


# -- who is who


def refused(broker: str, kafka: dict[str, str], place: Path, kind: type[HeadraceError]) -> str:
    app = hr.App("shop", broker=broker, kafka=kafka, checkpoint=place)
    app.stream("orders").to("totals")
    with pytest.raises(kind) as told:
        app.run(until="latest")
    return told.value.what


def test_a_wrong_password(secured: SecuredBroker, tmp_path: Path) -> None:
    told = refused(secured.address, secured.login("shop", sasl_password="hunter2"), tmp_path, LoginRefused)
    assert told.startswith(f"the broker at {secured.address} refused the login: ")
    assert "hunter2" not in told
    assert "\n" not in told


def test_a_broker_whose_certificate_nobody_signed(secured: SecuredBroker, tmp_path: Path) -> None:
    login = secured.login("shop", ssl_ca_location=str(secured.other_certificate))
    told = refused(secured.address, login, tmp_path, BrokerNotTrusted)
    assert told.startswith(f"the broker at {secured.address} could not prove who it is: ")
    assert "\n" not in told


def test_a_broker_whose_certificate_is_for_another_host(secured: SecuredBroker, tmp_path: Path) -> None:
    login = secured.login("shop", ssl_ca_location=str(secured.other_certificate))
    told = refused(secured.misnamed, login, tmp_path, BrokerNotTrusted)
    assert told.startswith(f"the broker at {secured.misnamed} could not prove who it is: ")
    Topics(secured.misnamed, login | {"ssl.endpoint.identification.algorithm": "none"}).check()


# -- secrets


LOOK = """
heard = set()
app.on_batch(lambda _: heard.update(listening()))
app.on_batch(lambda _: print(*(Path(f"/proc/{{one}}/cmdline").read_text() for one in family(os.getpid()))))
app.start(until="latest")
app.wait()
print(app.describe(), app.explain(), repr(app), app.metrics(), app.metrics().prometheus())
broken = hr.App("shop-sink-broken", broker=app.broker, kafka=app.kafka, checkpoint={checkpoint!r} + "-2", verbose=True)
broken.stream("orders", key=hr.STRING, value=hr.INT64).to("totals")
for failing in (broken, hr.App("other", broker=app.broker, kafka=app.kafka | {{"ssl.ca.location": "/none"}})):
    if failing is not broken:
        failing.stream("orders").to("totals")
    try:
        failing.run(until="latest")
    except hr.HeadraceError:
        import traceback
        traceback.print_exc()
print(*sorted(heard))
"""


_RACK = "rack-f3a9c1"


@pytest.mark.usefixtures("needed")
def test_secrets_are_nowhere_to_be_seen(secured: SecuredBroker, tmp_path: Path) -> None:
    (tmp_path / "user").write_text("shop\n")
    given = {
        "client_rack": "${env:SHOP_RACK}",
        "sasl_password": "${env:SHOP_PASSWORD}",
        "sasl_username": f"${{file:{tmp_path / 'user'}}}",
    }
    have_never_run(secured, changelog=False)
    file, checkpoint = program(secured, tmp_path, verbose=True, **given), str(tmp_path / "checkpoint")
    settings = 'import os\napp.spark = {"spark.hadoop.fs.s3a.secret.key": os.environ["SHOP_PASSWORD"]}\n'
    here = Path(__file__).with_name("sockets.py").read_text()
    file.write_text(file.read_text() + settings + here + LOOK.format(checkpoint=checkpoint))
    secret = secured.passwords["shop"]
    ran = subprocess.run(
        [sys.executable, str(file)],
        env={**os.environ, "SHOP_PASSWORD": secret, "SHOP_RACK": _RACK},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert "RecordUndecodable" in ran.stdout
    assert "ConsumerConfig values" in ran.stdout
    assert "org.apache.kafka.automatic.config.providers=none" in ran.stdout
    assert secret not in ran.stdout
    assert "client.rack = [hidden]" in ran.stdout  # no password by its name, and a secret all the same
    assert _RACK not in ran.stdout
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 20
    held = {path: path.read_bytes() for path in files}
    assert [path for path, data in held.items() if secret.encode() in data or _RACK.encode() in data] == []
    for path in (tmp_path / "checkpoint", *(tmp_path / "checkpoint").rglob("*")):
        assert stat.filemode(path.stat().st_mode)[4:] == "------", path
    heard = ran.stdout.splitlines()[-1].split()
    assert len(heard) >= 3  # the driver, its blocks, and where Python speaks to it
    assert [one for one in heard if not one.startswith("127.0.0.1:")] == []
