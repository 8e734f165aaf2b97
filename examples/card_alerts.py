"""Alerts for cards that are used too often in one go: payments in sessions, and how many there were."""

from dataclasses import dataclass

import headrace as hr


@dataclass
class Payment:
    card: str
    amount: float


@dataclass
class Burst:
    payments: int = 0
    total: float = 0.0


def added(_: str, payment: Payment, burst: Burst) -> Burst:
    return Burst(burst.payments + 1, burst.total + payment.amount)


def together(_: str, left: Burst, right: Burst) -> Burst:
    return Burst(left.payments + right.payments, left.total + right.total)


app = hr.App("card-alerts")
payments = app.stream("payments", value=hr.json(Payment))
bursts = (
    payments.group_by(lambda _, payment: payment.card)
    .windowed_by(hr.session("5m"))
    .aggregate(Burst, added, merger=together, store="bursts")
)
# A session that grows has a new key each time, and its old one is deleted: those are no alerts.
alarming = bursts.filter(lambda _, burst: burst.payments >= 3 and burst.total > 500)
alerts = alarming.to_stream().filter(lambda _, burst: burst is not None)
alerts.select_key(lambda session, _: session.key).to("alerts", value=hr.json(Burst))

if __name__ == "__main__":
    app.run()
