import { type Config, loadConfig } from '../config/config.ts'
import { openStore } from '../open-store.ts'
import { openSecrets } from '../secrets/secrets.ts'
import { openWebhookKeys, replaceWebhookKey, type WebhookKeyPair } from '../webhooks/webhook-keys.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const ACTIONS: readonly (string | undefined)[] = [undefined, 'ed25519', 'rotate']

/** Prints only the RSA key, so that it can be redirected to a file. The other key goes to stderr. */
export async function webhookKey([action]: string[], { environment, print, remark }: Terminal): Promise<number> {
  if (!ACTIONS.includes(action))
    throw new UsageError('Usage: gatehouse webhook-key, gatehouse webhook-key ed25519 or gatehouse webhook-key rotate')
  const config = loadConfig(environment)
  const isRotation = action === 'rotate'
  if (isRotation && config.webhookPrivateKeyFile)
    throw new UsageError('WEBHOOK_PRIVATE_KEY_FILE names your own key. Replace that file yourself.')
  const { signer, publicPem, timestampKey } = await currentKeys(config, isRotation)
  if (isRotation) remark('Running processes sign with the new key within seconds.\n')
  print(action === 'ed25519' ? `${timestampKey.standard}\n` : publicPem)
  remark(`Key id ${signer.keyId}. The key for signed timestamps (Ed25519) is ${timestampKey.standard}\n`)
  return 0
}

async function currentKeys(config: Config, isRotation: boolean): Promise<WebhookKeyPair> {
  const db = await openStore(config)
  try {
    const secrets = await openSecrets(db, config)
    const keys = await openWebhookKeys(secrets, config)
    if (!isRotation) return keys.current
    await replaceWebhookKey(secrets)
    return (await openWebhookKeys(secrets, config)).current
  } finally {
    await db.close()
  }
}
