"""Verifies a Gatehouse webhook in Python, with the package `cryptography` or, without it, the program `openssl`."""

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding
except ImportError:
    padding = None


def verify(raw_body: bytes, signature: str, public_key_pem: bytes) -> bool:
    """The way that always works: over the body as it arrived (Flask: request.get_data(), FastAPI: await request.body())."""
    digest = hashlib.sha256(raw_body).hexdigest().encode()
    try:
        signed = bytes.fromhex(signature)
    except ValueError:
        return False
    return (rsa_verifies if padding else openssl_verifies)(digest, signed, public_key_pem)


def verify_parsed(payload: dict, signature: str, public_key_pem: bytes) -> bool:
    """For when the raw body is gone and only the parsed payload is left: writes the same bytes again.

    Fails for payloads that hold numbers between 1e-9 and 1e-4, which Python writes otherwise.
    """
    return verify(canonical_json(payload), signature, public_key_pem)


def canonical_json(payload) -> bytes:
    """Without ensure_ascii=False, no payload with an accent would ever verify."""
    return json.dumps(payload, sort_keys=True, indent=2, ensure_ascii=False).encode()


def rsa_verifies(message: bytes, signature: bytes, public_key_pem: bytes) -> bool:
    public_key = serialization.load_pem_public_key(public_key_pem)
    try:
        public_key.verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        return False
    return True


def openssl_verifies(message: bytes, signature: bytes, public_key_pem: bytes) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        key, signed = Path(folder, "key.pem"), Path(folder, "signature")
        key.write_bytes(public_key_pem)
        signed.write_bytes(signature)
        command = ["openssl", "dgst", "-sha256", "-verify", key, "-signature", signed]
        return subprocess.run(command, input=message, capture_output=True).returncode == 0
