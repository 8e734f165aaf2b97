"""headrace's side of the keyed count."""

from __future__ import annotations

import json
import sys
import time

begun = time.monotonic()

import headrace as hr  # noqa: E402

address, source, target, checkpoint = sys.argv[1:]
app = hr.App("bench", broker=address, checkpoint=checkpoint)
app.stream(source).group_by_key().count(store="counts").to_stream().to(target)
app.start(until="latest")
started = time.monotonic()
app.wait()
print(json.dumps({"start_s": started - begun, "drain_s": time.monotonic() - started}))
