import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { link, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let shared: string | undefined

/**
 * Puts a webhook key where a gateway looks for its own. Making one is a quarter of a second of work, and most tests do not
 * care which one it is: all gateways of this process get the same. A key that is there stays.
 */
export async function seedSigningKey(dataDir: string): Promise<void> {
  shared ??= makeKeyFile()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await link(shared, join(dataDir, 'webhook-key.pem')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

function makeKeyFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-key-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const file = join(folder, 'key.pem')
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  return file
}
