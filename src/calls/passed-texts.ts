import { createHmac, randomBytes } from 'node:crypto'
import { OwnedMap } from '../base/fairness/owned-map.ts'
import type { CheckedText } from '../translation/guardrails/check.ts'

const MAX_ENTRIES = 50_000
const SECRET_BYTES = 32

/**
 * Texts in which services and models found nothing: in a conversation, only what is new is sent to them. Of a text there is only a
 * digest, which belongs to its owner and to the guardrails that have seen it.
 */
export class PassedTexts {
  readonly #secret = randomBytes(SECRET_BYTES)
  readonly #passed = new OwnedMap<true>(MAX_ENTRIES)

  digestOf(texts: readonly CheckedText[], versions: string): string {
    const hmac = createHmac('sha256', this.#secret).update(versions)
    for (const { text, phase, isFixed } of texts) hmac.update(`\0${phase} ${isFixed} ${text.length}\0`).update(text)
    return hmac.digest('base64')
  }

  has(owner: string, digest: string): boolean {
    return this.#passed.get(owner, digest) === true
  }

  add(owner: string, digest: string): void {
    this.#passed.set(owner, digest, true)
  }
}
