"""Events that came twice, taken once: a producer that tries again sends an event with the id that it had."""

from dataclasses import dataclass

import headrace as hr


@dataclass
class Event:
    id: str
    source: str
    text: str


app = hr.App("distinct-events")
events = app.stream("events", key=hr.STRING, value=hr.json(Event))
known = events.filter(lambda _, event: event.source in ("web", "app") and event.id is not None)
once = known.select_key(lambda _, event: event.id).drop_duplicates(within="10m")
once.to("distinct-events")
once.late().to("too-late-events")

if __name__ == "__main__":
    app.run()
