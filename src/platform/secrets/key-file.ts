import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import { createOnce } from '../blobs/create-once.ts'
import { newKeyText } from './encryption-key.ts'
import { isWorldReadable } from './world-readable.ts'

// The encryption key of an installation that sets none itself.

export const KEY_FILE = 'encryption-key'
const MIN_CHARS = 32
const MAX_CHARS = 512

/** The key in the data folder, or undefined if there is none. */
export function readKeyFile(dataDir: string): string | undefined {
  const path = join(dataDir, KEY_FILE)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return undefined
  if (isWorldReadable(stat))
    throw new ConfigError(`${path} can be read by every user of this machine. Run chmod 600 on it`)
  const text = stat.size <= MAX_CHARS ? readFileSync(path, 'utf8').trim() : ''
  if (text.length < MIN_CHARS) throw new ConfigError(`${path} does not hold an encryption key`)
  return text
}

/** If several processes start at once, one creates the key and all use it. */
export async function createKeyFile(dataDir: string): Promise<string> {
  await createOnce(join(dataDir, KEY_FILE), `${newKeyText()}\n`)
  return readKeyFile(dataDir)!
}
