import { randomUUID } from 'node:crypto'
import type { TestDelivery } from '../../contract/admin/deliveries.ts'
import { problem } from '../../contract/problems.ts'
import { canonicalJson } from '../../translation/json/canonical-json.ts'
import type { Post } from './deliverer.ts'
import { webhookHeaders } from './headers.ts'
import { outcomeOfFailure, outcomeOfStatus } from './delivery-outcome.ts'
import type { Signer } from './signature.ts'

const TIMEOUT_MS = 10_000
/** A person waits for each, so there are few. */
const MAX_AT_ONCE = 4

/** The key may be replaced at any time. */
type Needs = { post: Post; signer(): Signer; now(): number }

export type SendTest = (url: string) => Promise<TestDelivery>

/** Sends single signed webhooks to addresses that have been checked, and tells what became of them. */
export function openTestDeliveries(needs: Needs): SendTest {
  let running = 0
  return async (url) => {
    if (running >= MAX_AT_ONCE) throw problem('overloaded')
    running++
    try {
      return await attempt(url, needs)
    } finally {
      running--
    }
  }
}

async function attempt(url: string, { post, signer: current, now }: Needs): Promise<TestDelivery> {
  const signer = current()
  const id = randomUUID()
  const text = canonicalJson({ event: 'test', id, sent_at: new Date(now()).toISOString() })
  const body = new TextEncoder().encode(text)
  const timestamp = Math.floor(now() / 1_000)
  const signed = { id, keyId: signer.keyId, signature: await signer.sign(body) }
  const timestampSignature = await signer.signAttempt({ id, timestamp, body })
  const headers = webhookHeaders(signed, { timestamp, timestampSignature })
  const begun = performance.now()
  const { verdict, status, error, answer } = await outcomeOf(() =>
    post({ method: 'POST', url, headers, body }, { timeoutMs: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) }),
  )
  const duration_ms = Math.round(performance.now() - begun)
  return { delivered: verdict === 'delivered', status, error, duration_ms, answer, headers, body: text }
}

async function outcomeOf(send: () => ReturnType<Post>) {
  try {
    const { status, start = null } = await send()
    return { ...outcomeOfStatus(status), answer: start }
  } catch (error) {
    return { ...outcomeOfFailure(error), answer: null }
  }
}
