import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isWorldReadable } from '../secrets/world-readable.ts'

// The RSA key that signs webhooks. Processes share it through the store, unless the operator names a file of his own, which
// is checked and never changed.

/** Where earlier versions kept the key. */
const OLD_FILE_NAME = 'webhook-key.pem'
const MIN_BITS = 2048

class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError'
}

export async function newSigningKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MIN_BITS })
  return pemOf(privateKey)
}

/** The key that an earlier version has left in the data folder, as PEM. */
export function findOldSigningKey(dataDir: string): string | undefined {
  const path = join(dataDir, OLD_FILE_NAME)
  return statSync(path, { throwIfNoEntry: false }) && pemOf(readSigningKey(path))
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

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
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
