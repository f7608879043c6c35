import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Beside the compiled code of the installed packages: made once for each clone. */
const FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
const FILE = join(FOLDER, 'webhook-key-of-tests.pem')

let shared: string | undefined

/**
 * Puts a webhook key where a gateway looks for its own. Making one is a quarter of a second of work, and most tests do not
 * care which one it is: all gateways get the same. A key that is there stays.
 */
export async function seedSigningKey(dataDir: string): Promise<void> {
  shared ??= keptKey()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await writeFile(join(dataDir, 'webhook-key.pem'), shared, { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
}

/** The same key, for who signs with one. */
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

/** Written aside and renamed: another process finds a whole key or none. */
function makeKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(`${FILE}.${process.pid}`, pem, { mode: 0o600 })
  renameSync(`${FILE}.${process.pid}`, FILE)
  return pem
}
