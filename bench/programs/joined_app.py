"""An application with a store that many watch; its changelog is written by the benchmark."""

import os

import headrace as hr

app = hr.App("joined", broker=os.environ["JOINED_BROKER"])
app.stream("words", key=hr.STRING, value=hr.STRING).group_by_key().count(store="counts")
