"""What people do in one visit: clicks in sessions, each told once, when nobody has clicked for half an hour."""

from dataclasses import dataclass, field

import headrace as hr


@dataclass
class Click:
    user: str
    page: str


@dataclass
class Visit:
    pages: list[str] = field(default_factory=list)
    bought: bool = False


def clicked(_: str, click: Click, visit: Visit) -> Visit:
    return Visit([*visit.pages, click.page], visit.bought or click.page == "/thanks")


def together(_: str, left: Visit, right: Visit) -> Visit:
    return Visit(left.pages + right.pages, left.bought or right.bought)


def summary(session: hr.Windowed[str], visit: Visit) -> str:
    minutes = (session.end - session.start) // 60_000
    pages = f"{len(visit.pages)} pages in {minutes} min"
    return f"{pages}, bought" if visit.bought else f"{pages}, left at {visit.pages[-1]}"


app = hr.App("user-sessions")
clicks = app.stream("clicks", value=hr.json(Click))
visits = (
    clicks.group_by(lambda _, click: click.user)
    .windowed_by(hr.session("30m", grace="1m"))
    .emit_strategy(hr.on_window_close())
    .aggregate(Visit, clicked, merger=together, store="visits")
)
ended = visits.to_stream().map(lambda session, visit: (session.key, summary(session, visit)))
ended.to("user-visits", key=hr.STRING, value=hr.STRING)

if __name__ == "__main__":
    app.run()
