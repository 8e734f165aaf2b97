"""Page views by region, minute by minute: a stream joined with a table, then counted in windows."""

from dataclasses import dataclass

import headrace as hr


@dataclass
class View:
    user: str
    page: str


@dataclass
class User:
    name: str
    region: str


def in_region(_: View, user: User | None) -> str:
    """The region of a view; a user nobody knows is somewhere."""
    return "unknown" if user is None else user.region


app = hr.App("page-views")
views = app.stream("views", value=hr.json(View))
users = app.table("users", key=hr.STRING, value=hr.json(User), store="users")

regions = views.select_key(lambda _, view: view.user).left_join(users, in_region)
per_minute = (
    regions.group_by(lambda _, region: region)
    .windowed_by(hr.tumbling("1m", grace="10s"))
    .emit_strategy(hr.on_window_close())
    .count(store="views-per-minute")
)
per_minute.to_stream(lambda window, _: window.key).to("views-by-region", value=hr.INT64)

if __name__ == "__main__":
    app.run()
