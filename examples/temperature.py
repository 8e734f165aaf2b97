"""The hottest reading of each sensor in ten minutes, told once the window is over, if it is an alarm."""

from dataclasses import dataclass

import headrace as hr

ALARM = 30.0


@dataclass
class Reading:
    sensor: str
    celsius: float = float("nan")
    """Not a number where the sensor sent nothing."""


app = hr.App("temperature")
readings = app.stream("readings", value=hr.json(Reading)).filter(lambda _, reading: -90 < reading.celsius < 90)
hottest = (
    readings.group_by(lambda _, reading: reading.sensor)
    .windowed_by(hr.tumbling("10m", grace="30s"))
    .reduce(lambda a, b: b if b.celsius > a.celsius else a, store="hottest")
    .suppress(hr.until_window_closes())
)
alarms = hottest.to_stream().filter(lambda _, reading: reading.celsius > ALARM)
alarms.map(lambda window, reading: (window.key, reading.celsius)).to("alarms", key=hr.STRING, value=hr.DOUBLE)

if __name__ == "__main__":
    app.run()
