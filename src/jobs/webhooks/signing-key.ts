import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { isWorldReadable } from '../../platform/secrets/world-readable.ts'

// The RSA key that signs webhooks. Processes share it through the store, unless the operator names a file of his own, which
// is checked and never changed.

const MIN_BITS = 2048

class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError'
}

export async function newSigningKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MIN_BITS })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

export function readSigningKey(path: string): KeyObject {
  if (isWorldReadable(statOf(path)))
    throw new SigningKeyError(`${path} can be read by every user of this machine. Run chmod 600 on it`)
  return parseSigningKey(readFileSync(path, 'utf8'), path)
}

/** `origin` says in an error where the key comes from. */
export function parseSigningKey(pem: string, origin: string): KeyObject {
  const key = parse(pem, origin)
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (key.asymmetricKeyType !== 'rsa' || bits < MIN_BITS)
    throw new SigningKeyError(`${origin} is not an RSA key of at least ${MIN_BITS} bits`)
  return key
}

function statOf(path: string) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new SigningKeyError(`${path} does not exist`)
  return stat
}

function parse(pem: string, origin: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new SigningKeyError(`${origin} is not a private key in PEM form`)
  }
}
