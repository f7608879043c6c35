import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Beside the compile cache in node_modules, so it is created once per clone. */
const FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
const FILE = join(FOLDER, 'webhook-key-of-tests.pem')

let shared: string | undefined

/**
 * The setting with which a gateway signs with the key of the tests. Creating a key takes a quarter of a second, and most tests
 * do not care which one it is.
 */
export function withSharedKey(): { WEBHOOK_PRIVATE_KEY_FILE: string } {
  shared ??= keptKey()
  return { WEBHOOK_PRIVATE_KEY_FILE: FILE }
}

/** The same key, for tests that sign with it. */
export function sharedPrivateKey(): KeyObject {
  shared ??= keptKey()
  return createPrivateKey(shared)
}

function keptKey(): string {
  try {
    return readFileSync(FILE, 'utf8')
  } catch {
    return makeKey()
  }
}

/** Writes a temporary file and renames it, so that another process finds a whole key or none. */
function makeKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(`${FILE}.${process.pid}`, pem, { mode: 0o600 })
  renameSync(`${FILE}.${process.pid}`, FILE)
  return pem
}
