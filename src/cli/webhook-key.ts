import { CLI } from '../tenants/audit/author.ts'
import { writeAuditEvents } from '../tenants/audit/audited.ts'
import { type Config, loadConfig } from '../platform/config/config.ts'
import { openStore } from '../server/open-store.ts'
import { openSecrets } from '../platform/secrets/secrets.ts'
import { openWebhookKeys, replaceWebhookKey, type WebhookKeyPair } from '../jobs/webhooks/webhook-keys.ts'
import type { Input } from './command-line/command-table.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Prints only the RSA key, so that it can be redirected to a file. The other key goes to stderr. */
export async function showRsaKey(_: Input<'webhook-key'>, terminal: Terminal): Promise<number> {
  const { publicPem } = await readKeys(terminal, false)
  terminal.print(publicPem)
  return 0
}

export async function showTimestampKey(_: Input<'webhook-key ed25519'>, terminal: Terminal): Promise<number> {
  const { timestampKey } = await readKeys(terminal, false)
  terminal.print(`${timestampKey.standard}\n`)
  return 0
}

export async function rotateWebhookKey(_: Input<'webhook-key rotate'>, terminal: Terminal): Promise<number> {
  const { publicPem } = await readKeys(terminal, true)
  terminal.remark('Running processes sign with the new key within seconds.\n')
  terminal.print(publicPem)
  return 0
}

async function readKeys({ environment, remark }: Terminal, isRotation: boolean): Promise<WebhookKeyPair> {
  const config = loadConfig(environment)
  if (isRotation && config.webhookPrivateKeyFile)
    throw new UsageError('WEBHOOK_PRIVATE_KEY_FILE names your own key. Replace that file yourself.')
  const keys = await currentKeys(config, isRotation)
  remark(`Key id ${keys.signer.keyId}. The key for signed timestamps (Ed25519) is ${keys.timestampKey.standard}\n`)
  return keys
}

async function currentKeys(config: Config, isRotation: boolean): Promise<WebhookKeyPair> {
  const db = await openStore(config)
  try {
    const secrets = await openSecrets(db, config)
    const keys = await openWebhookKeys(secrets, config)
    if (!isRotation) return keys.current
    await replaceWebhookKey(secrets)
    const { current } = await openWebhookKeys(secrets, config)
    const [before, after] = [keys.current, current].map(({ signer }) => ({ key_id: signer.keyId }))
    await writeAuditEvents(db, CLI, {
      action: 'webhook_key.rotate',
      object: 'webhook_key',
      before: before!,
      after: after!,
    })
    return current
  } finally {
    await db.close()
  }
}
