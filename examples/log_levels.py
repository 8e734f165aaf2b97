"""Log lines by level: each service's errors to a topic of its own, and how many of each level there are in a minute."""

import re
from dataclasses import dataclass

import headrace as hr


@dataclass(frozen=True)
class Entry:
    service: str
    level: str
    message: str


def parse(line: str) -> list[Entry]:
    """The entry of a line; none if it is something else, such as a stack trace."""
    found = re.match(r"(\S+) \[(\w+)\] (.*)", line)
    if not found:
        return []
    service, level, message = found.groups()
    return [Entry(service, level.upper(), message)]


def topic(_: bytes, entry: Entry) -> str:
    return f"errors-of-{entry.service}" if entry.service in ("shop", "billing") else "errors-of-others"


app = hr.App("log-levels")
entries = app.stream("log-lines", value=hr.STRING).flat_map_values(parse)
levels = entries.split("level-").branch(lambda _, entry: entry.level == "ERROR", name="error").default_branch("rest")
levels["level-error"].to(topic, value=hr.json(Entry))

per_minute = entries.group_by(lambda _, entry: entry.level).windowed_by(hr.tumbling("1m")).count(store="levels")
per_minute.to_stream(lambda window, _: f"{window.key} at {window.start // 60_000}").to(
    "levels-per-minute", key=hr.STRING, value=hr.INT64
)

if __name__ == "__main__":
    app.run()
