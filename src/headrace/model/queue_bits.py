"""Bit layout of a queue number, which also says where a record was read.

From the highest bit: the place of a topic in the plan, a number for each topic of a pattern, the partition. What a
stage sends on late or early waits behind the queue of the record that it comes of; two bits of the partition say so.
"""

PLACE = 40
"""The first bit of a topic's place."""

TOPIC = 24
"""The first bit of the number that tells the topics of one pattern apart."""

PARTITIONS = (1 << TOPIC) - 1
"""The bits of the partition."""

NUMBERS = (1 << (PLACE - TOPIC)) - 1
"""The bits of a topic's number, once they are shifted to the right."""

BEHIND = 1 << 23
"""Set in the queue of what a stage sends on: it goes behind the queue of the record it comes of."""

ON_TIME = 1 << 22
"""Set beside `BEHIND` for what goes on time; what was held back has its turn before that."""
