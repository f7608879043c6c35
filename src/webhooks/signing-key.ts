import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { link, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

// The key pair that signs webhooks. It is created at the first start. A key that the operator provides is checked and never
// changed.

const FILE_NAME = 'webhook-key.pem'
const MIN_BITS = 2048
const WORLD_READABLE = 0o004

class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError'
}

/**
 * Returns the path of the key in use. Creates a key in the data folder if the operator names none and there is none yet.
 */
export async function ensureSigningKey(dataDir: string, value: string | undefined): Promise<string> {
  if (value) return value
  const path = join(dataDir, FILE_NAME)
  if (!statSync(path, { throwIfNoEntry: false })) await makeKey(path)
  return path
}

/** Creates a new key and returns the path under which the old one is kept. */
export async function replaceSigningKey(dataDir: string): Promise<string> {
  const path = await ensureSigningKey(dataDir, undefined)
  const kept = join(dataDir, `webhook-key.${Date.now()}.pem`)
  await rename(path, kept)
  await makeKey(path)
  return kept
}

export function readSigningKey(path: string): KeyObject {
  const { mode } = statOf(path)
  if (mode & WORLD_READABLE)
    throw new SigningKeyError(`${path} can be read by every user of this machine. Run chmod 600 on it`)
  const key = parseKey(path)
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (key.asymmetricKeyType !== 'rsa' || bits < MIN_BITS)
    throw new SigningKeyError(`${path} is not an RSA key of at least ${MIN_BITS} bits`)
  return key
}

export function publicPem(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
}

/**
 * Writes the key to a temporary file and links it into place: if several processes start at once, one creates the key and
 * all use it.
 */
async function makeKey(path: string): Promise<void> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MIN_BITS })
  const coolDownOf = `${path}.${process.pid}`
  await writeFile(coolDownOf, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flush: true })
  await link(coolDownOf, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(coolDownOf)
}

function statOf(path: string) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new SigningKeyError(`${path} does not exist`)
  return stat
}

function parseKey(path: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(path))
  } catch {
    throw new SigningKeyError(`${path} is not a private key in PEM form`)
  }
}
