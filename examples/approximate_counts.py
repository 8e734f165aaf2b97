"""How often words occur, approximately: a count-min sketch takes 20 kB for each task, however many words there are."""

from array import array
from hashlib import blake2b

import headrace as hr

DEPTH, WIDTH = 5, 1_000
EMPTY = array("I", [0] * DEPTH * WIDTH).tobytes()

SKETCHES = hr.stores.key_value("sketches", key=hr.STRING, value=hr.BYTES)


def place(row: int, word: str) -> int:
    """Where a row of the sketch counts a word."""
    digest = blake2b(word.encode(), digest_size=8, salt=bytes([row])).digest()
    return row * WIDTH + int.from_bytes(digest, "big") % WIDTH


class CountWords(hr.Processor[str, int]):
    """Says how often a word was there: never too low, and seldom much too high."""

    def process(self, record: hr.Record) -> None:
        store = self.context.store(SKETCHES)
        sketch = array("I", store.get("words") or EMPTY)
        places = [place(row, record.value) for row in range(DEPTH)]
        for one in places:
            sketch[one] += 1
        store.put("words", sketch.tobytes())
        self.context.forward(record.with_value(min(sketch[one] for one in places)))


app = hr.App("approximate-counts")
words = app.stream("texts", value=hr.STRING).flat_map_values(lambda line: line.lower().split())
by_word = words.select_key(lambda _, word: word).repartition()
estimates = by_word.process(CountWords, stores=[SKETCHES], name="sketch")
estimates.to("word-estimates", key=hr.STRING, value=hr.INT64)

if __name__ == "__main__":
    app.run()
