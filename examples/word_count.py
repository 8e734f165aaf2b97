"""Count the words of a topic, live."""

import headrace as hr

app = hr.App("word-count")
counts = (
    app.stream("lines", value=hr.STRING)
    .flat_map_values(lambda line: line.lower().split())
    .group_by(lambda _, word: word)
    .count(store="counts")
)
counts.to_stream().to("counts", value=hr.INT64)

if __name__ == "__main__":
    app.run()
