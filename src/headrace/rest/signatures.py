"""Signatures of requests between instances: caller and callee show that they know the secret."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass

from headrace.query.service.proof import CLOCKS_MS, Proof

ANSWER_HEADER = "headrace-signature"
STREAM = "stream"
"""Instead of the digest of an answer that goes on."""

_SCHEME = b"Headrace"
_FIELDS = 4


def digest_of(body: bytes) -> str:
    """Digest of a body, which is signed."""
    return hashlib.sha256(body).hexdigest()


@dataclass(frozen=True)
class Signed:
    """Signed head of a request: the time it was made, a number used once, and a digest of its body."""

    at_ms: int
    nonce: str
    digest: str
    signature: str

    @staticmethod
    def make(proof: Proof, url: str, path: str, body: bytes) -> Signed:
        """Sign a request to the instance at that address, and to no other."""
        at_ms, nonce, digest = time.time_ns() // 1_000_000, secrets.token_hex(16), digest_of(body)
        return Signed(at_ms, nonce, digest, proof.sign("request", url, path, str(at_ms), nonce, digest))

    @staticmethod
    def read(headers: Mapping[bytes, bytes]) -> Signed | None:
        """Read a signed head from the headers of a request; None if there is no such signature."""
        scheme, *fields = headers.get(b"authorization", b"").split()
        if scheme != _SCHEME or len(fields) != _FIELDS or not fields[0].isdigit() or len(fields[0]) > 18:
            return None
        at_ms, nonce, digest, signature = (field.decode("latin-1") for field in fields)
        return Signed(int(at_ms), nonce, digest, signature)

    @property
    def header(self) -> str:
        """Header that `read` takes."""
        return f"{_SCHEME.decode()} {self.at_ms} {self.nonce} {self.digest} {self.signature}"

    def is_good(self, proof: Proof, url: str, path: str) -> bool:
        """Whether somebody with the secret has just signed it, for this path of the instance at that address."""
        if abs(time.time_ns() // 1_000_000 - self.at_ms) > CLOCKS_MS:
            return False
        return proof.is_signed(self.signature, "request", url, path, str(self.at_ms), self.nonce, self.digest)

    def answer(self, proof: Proof, status: int, digest: str) -> str:
        """The signature of the answer to it."""
        return proof.sign("answer", self.nonce, str(status), digest)

    def is_answer(self, proof: Proof, signature: str | None, status: int, digest: str) -> bool:
        """Whether somebody with the secret has signed this answer to it."""
        return signature is not None and proof.is_signed(signature, "answer", self.nonce, str(status), digest)
