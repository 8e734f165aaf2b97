"""Who listens: the sockets of this process and of those that it started, in programs of their own."""

import os
import struct
from ipaddress import ip_address
from pathlib import Path


def listening() -> set[str]:
    """The addresses on which others can reach this process, or a child of it; Linux only."""
    return {address for process in family(os.getpid()) for address in sockets(process)}


def family(process: int) -> list[int]:
    """A process, its children, and theirs."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    return [process, *(one for child in children for one in family(child))]


def sockets(process: int) -> set[str]:
    """The addresses on which one process listens."""
    mine = {str(file.readlink()) for file in Path(f"/proc/{process}/fd").iterdir() if file.is_symlink()}
    lines = [line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()]
    return {address(line[1]) for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in mine}


def address(told: str) -> str:
    """An address as the kernel tells it: words in the machine's own order, in hexadecimal."""
    host, port = told.split(":")
    words = [int(host[at : at + 8], 16) for at in range(0, len(host), 8)]
    found = ip_address(b"".join(struct.pack("=I", word) for word in words))
    return f"{getattr(found, 'ipv4_mapped', None) or found}:{int(port, 16)}"
