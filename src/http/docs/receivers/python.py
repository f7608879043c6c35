"""Verifies a Gatehouse webhook in Python, with the package `cryptography` or, without it, the program `openssl`."""

import base64
import hashlib
import json
import subprocess
import tempfile
import time
from pathlib import Path

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
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


def verify_timestamped(raw_body: bytes, headers: dict, public_key: str, now=None) -> bool:
    """Checks the second signature, which covers the time: a webhook that an attacker recorded is refused after five minutes.

    `public_key` is the `whpk_...` of GET /v3/webhooks/public-key/ed25519. Remember `webhook-id` for as long, and refuse one
    that comes again after you have answered it with 2xx.
    """
    timestamp = headers.get("webhook-timestamp", "")
    now = time.time() if now is None else now
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(now - int(timestamp)) > 300:
        return False
    content = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + raw_body
    key = base64.b64decode(public_key.removeprefix("whpk_"))
    signatures = [one[4:] for one in headers.get("webhook-signature", "").split(" ") if one.startswith("v1a,")]
    return any(ed25519_verifies(content, signature, key) for signature in signatures)


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


def ed25519_verifies(message: bytes, signature: str, public_key: bytes) -> bool:
    try:
        signed = base64.b64decode(signature, validate=True)
    except ValueError:
        return False
    return (ed25519_with_package if padding else ed25519_with_openssl)(message, signed, public_key)


def ed25519_with_package(message: bytes, signature: bytes, public_key: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def ed25519_with_openssl(message: bytes, signature: bytes, public_key: bytes) -> bool:
    """Needs openssl 3."""
    with tempfile.TemporaryDirectory() as folder:
        key, signed, content = Path(folder, "key.der"), Path(folder, "signature"), Path(folder, "content")
        key.write_bytes(bytes.fromhex("302a300506032b6570032100") + public_key)
        signed.write_bytes(signature)
        content.write_bytes(message)
        flags = ["-pubin", "-keyform", "DER", "-inkey", key, "-rawin", "-in", content, "-sigfile", signed]
        return subprocess.run(["openssl", "pkeyutl", "-verify", *flags], capture_output=True).returncode == 0
