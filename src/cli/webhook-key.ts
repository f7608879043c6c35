import { mkdir } from 'node:fs/promises'
import { loadConfig } from '../config/config.ts'
import { ensureSigningKey, publicPem, readSigningKey } from '../webhooks/signing-key.ts'

export async function webhookKey(): Promise<number> {
  const { dataDir, webhookPrivateKeyFile } = loadConfig()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  process.stdout.write(publicPem(readSigningKey(await ensureSigningKey(dataDir, webhookPrivateKeyFile))))
  return 0
}
