import { mkdir } from 'node:fs/promises'
import { type Config, loadConfig } from '../config/config.ts'
import { keyIdOf } from '../webhooks/signature.ts'
import { ensureSigningKey, publicPem, readSigningKey, replaceSigningKey } from '../webhooks/signing-key.ts'
import { timestampPublicKey } from '../webhooks/timestamp-key.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const ACTIONS: readonly (string | undefined)[] = [undefined, 'ed25519', 'rotate']

/** Prints only the RSA key, so that it can be redirected to a file. The other key goes to stderr. */
export async function webhookKey([action]: string[], { environment, print, remark }: Terminal): Promise<number> {
  if (!ACTIONS.includes(action))
    throw new UsageError('Usage: gatehouse webhook-key, gatehouse webhook-key ed25519 or gatehouse webhook-key rotate')
  const config = loadConfig(environment)
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  if (action === 'rotate') remark(await rotate(config))
  const key = readSigningKey(await ensureSigningKey(config.dataDir, config.webhookPrivateKeyFile))
  const { standard } = timestampPublicKey(key)
  print(action === 'ed25519' ? `${standard}\n` : publicPem(key))
  remark(`Key id ${keyIdOf(key)}. The key for signed timestamps (Ed25519) is ${standard}\n`)
  return 0
}

async function rotate({ dataDir, webhookPrivateKeyFile }: Config): Promise<string> {
  if (webhookPrivateKeyFile)
    throw new UsageError('WEBHOOK_PRIVATE_KEY_FILE names your own key. Replace that file yourself.')
  const kept = await replaceSigningKey(dataDir)
  return `The old key is now in ${kept}. Restart the gateway to sign with the new key.\n`
}
