"""Users who click far too often: three windows of a minute with too many clicks, and they are told, once a window."""

from dataclasses import dataclass

import headrace as hr

TOO_OFTEN = 3


@dataclass
class Click:
    user: str
    ip: str


app = hr.App("anomalies")
clicks = app.stream("user-clicks", value=hr.json(Click))
per_minute = (
    clicks.group_by(lambda _, click: click.user)
    .windowed_by(hr.tumbling("1m"))
    .count(store="clicks-per-minute", emit="every")
)
anomalous = per_minute.filter(lambda _, clicks: clicks >= TOO_OFTEN, store="anomalous")
told = anomalous.to_stream().filter(lambda _, clicks: clicks is not None)
told.map(lambda window, clicks: (window.key, f"{clicks} clicks in a minute")).to(
    "anomalous-users", key=hr.STRING, value=hr.STRING
)

if __name__ == "__main__":
    app.run()
