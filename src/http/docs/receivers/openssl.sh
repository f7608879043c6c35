#!/usr/bin/env bash
# Verifies a Gatehouse webhook with openssl; good for finding out why a receiver of yours does not.
#
#   ./openssl.sh public-key.pem body.json <X-Service-Signature>
set -euo pipefail
public_key=$1 body=$2 signature=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What was signed is the SHA-256 of the body in hexadecimal, as text and without a newline.
openssl dgst -sha256 -r "$body" | cut -c 1-64 | tr -d '\n' > "$work/digest"

# The signature comes as hexadecimal too; openssl wants its bytes.
printf '%b' "$(sed 's/../\\x&/g' <<< "$signature")" > "$work/signature"

openssl dgst -sha256 -verify "$public_key" -signature "$work/signature" "$work/digest"
