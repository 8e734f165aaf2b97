"""Stock levels with reminders: a processor keeps what is there, and every minute tells what has run low."""

from dataclasses import dataclass

import headrace as hr

LOW = 5


@dataclass
class Movement:
    product: str
    pieces: int
    """Less than 0 for what was sold."""


LEVELS = hr.stores.key_value("levels", key=hr.STRING, value=hr.INT64)


class Watch(hr.Processor[str, str]):
    def init(self, context: hr.ProcessorContext) -> None:
        super().init(context)
        context.schedule("1m", self.remind, by="stream")

    def process(self, record: hr.Record) -> None:
        movement: Movement = record.value
        level = (self.context.store(LEVELS).get(movement.product) or 0) + movement.pieces
        if level < 0:
            self.context.forward(record.with_key(movement.product).with_value(f"{-level} pieces too many were sold"))
            level = 0
        self.context.store(LEVELS).put(movement.product, level)

    def remind(self, now_ms: int) -> None:
        for product, level in self.context.store(LEVELS).all():
            if level < LOW:
                self.context.forward(hr.Record(key=product, value=f"only {level} left", ts=now_ms))


app = hr.App("stock-levels")
movements = app.stream("movements", value=hr.json(Movement))
by_product = movements.select_key(lambda _, movement: movement.product).repartition()
by_product.process(Watch, stores=[LEVELS], name="watch").to("reminders")

if __name__ == "__main__":
    app.run()
