import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { openSigner, type Signer } from './signature.ts'
import { newSigningKey, parseSigningKey, readSigningKey } from './signing-key.ts'
import { type TimestampPublicKey, timestampPublicKey } from './timestamp-key.ts'

/** The secret in the store. */
export const WEBHOOK_KEY = 'webhook-key'

export type WebhookKeyPair = { signer: Signer; publicPem: string; timestampKey: TimestampPublicKey }

type Settings = { webhookPrivateKeyFile?: string | undefined }

/** The key pair in use. `refresh` finds out whether an operator has replaced it. */
export class WebhookKeys {
  #pair: WebhookKeyPair
  #version: number
  readonly #secrets: Secrets | undefined

  /** Without secrets, the key is the operator's own file and does not change. */
  constructor(key: KeyObject, version: number, secrets?: Secrets) {
    this.#pair = pairOf(key)
    this.#version = version
    this.#secrets = secrets
  }

  get current(): WebhookKeyPair {
    return this.#pair
  }

  /** Takes over the key in the store if it has another version than ours. Returns whether it had. */
  async refresh(version: number | undefined): Promise<boolean> {
    if (!this.#secrets || version === undefined || version === this.#version) return false
    const secret = await this.#secrets.find(WEBHOOK_KEY)
    if (!secret || secret.version === this.#version) return false
    this.#pair = pairOf(parseSigningKey(secret.value, IN_STORE))
    this.#version = secret.version
    return true
  }
}

/** The first process of a new installation makes the key. */
export async function openWebhookKeys(secrets: Secrets, { webhookPrivateKeyFile }: Settings): Promise<WebhookKeys> {
  if (webhookPrivateKeyFile) return new WebhookKeys(readSigningKey(webhookPrivateKeyFile), 0)
  const { value, version } = await secrets.ensure(WEBHOOK_KEY, newSigningKey)
  return new WebhookKeys(parseSigningKey(value, IN_STORE), version, secrets)
}

/** Running processes take over the new key within seconds. */
export async function replaceWebhookKey(secrets: Secrets): Promise<void> {
  await secrets.replace(WEBHOOK_KEY, await newSigningKey())
}

const IN_STORE = 'The webhook key in the database'

function pairOf(key: KeyObject): WebhookKeyPair {
  return {
    signer: openSigner(key),
    publicPem: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
    timestampKey: timestampPublicKey(key),
  }
}
