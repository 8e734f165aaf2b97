"""Watchers of a whole store that join at once, in a process of their own; says how long each took to be current."""

from __future__ import annotations

import resource
import selectors
import socket
import sys
import time

from bench.job import tell

_CURRENT = b"event: current"
_AT_ONCE = 1 << 16


def main(port: str, path: str, count: str) -> None:
    """Join, read until everybody is current, and leave."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(count) + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    there, buffer, read = selectors.DefaultSelector(), bytearray(_AT_ONCE), 0
    begun, took = time.monotonic(), list[float]()
    for _ in range(int(count)):
        one = socket.create_connection(("127.0.0.1", int(port)), timeout=60)
        one.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        one.setblocking(False)
        there.register(one, selectors.EVENT_READ, bytearray())
    while there.get_map():
        for key, _ in there.select(60):
            asked = key.fileobj
            assert isinstance(asked, socket.socket)
            size = asked.recv_into(buffer)
            read += size
            tail = key.data
            tail += buffer[:size] if size < 200 else buffer[size - 200 : size]
            if _CURRENT in tail or not size:
                if not size:
                    raise SystemExit(f"hung up on: {bytes(tail)!r}")
                took.append(time.monotonic() - begun)
                there.unregister(asked)
                asked.close()
            del tail[:-20]
    took.sort()
    tell("joined", median_s=took[len(took) // 2], last_s=took[-1], megabytes=read / 1e6)


if __name__ == "__main__":
    main(*sys.argv[1:])
