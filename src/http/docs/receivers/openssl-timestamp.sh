#!/usr/bin/env bash
# Verifies the signed time of a Gatehouse webhook with openssl 3 (and jq for the key).
#
#   curl -H "Authorization: Bearer $KEY" "$API/v3/webhooks/public-key/ed25519" | jq -r .pem > ed25519.pem
#   ./openssl-timestamp.sh ed25519.pem body.json <webhook-id> <webhook-timestamp> <webhook-signature>
set -euo pipefail
public_key=$1 body=$2 id=$3 timestamp=$4 signature=$5

# A webhook that an attacker recorded is refused after five minutes.
age=$(($(date +%s) - timestamp))
if [ "${age#-}" -gt 300 ]; then echo "too old, or from the future" >&2; exit 1; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What was signed is the id, the time and the body, with dots between them.
{ printf '%s.%s.' "$id" "$timestamp"; cat "$body"; } > "$work/content"
printf '%s' "${signature#v1a,}" | base64 -d > "$work/signature"

openssl pkeyutl -verify -pubin -inkey "$public_key" -rawin -in "$work/content" -sigfile "$work/signature"
