import { atMoment } from '../../platform/store/clock/at-moment.ts'
import {
  claimDeliveries,
  type ClaimedDelivery,
  type DeliveryState,
  recordAttempt,
} from '../../platform/store/deliveries/deliveries.ts'
import type { Demo } from './demo.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/units/units.ts'

type Answer = { status: number | null; error: string | null; answer: string | null; ms: number }

const TAKEN: Answer = { status: 200, error: null, answer: '{"received":true}', ms: 140 }
const BUSY = refused(503, '<html><body><h1>503 Service Unavailable</h1></body></html>')
const GONE = refused(404, '{"error":"no such endpoint"}')
const SILENT: Answer = { status: null, error: 'The receiver did not answer in time.', answer: null, ms: 30_000 }

/** What receivers answer to one attempt after the other. */
const STORIES: readonly { weight: number; answers: readonly Answer[]; end: DeliveryState }[] = [
  { weight: 80, answers: [TAKEN], end: 'delivered' },
  { weight: 8, answers: [BUSY, TAKEN], end: 'delivered' },
  { weight: 4, answers: [SILENT, BUSY, TAKEN], end: 'delivered' },
  { weight: 5, answers: [BUSY, BUSY, SILENT, BUSY], end: 'failed' },
  { weight: 4, answers: [GONE], end: 'failed' },
  { weight: 10, answers: [BUSY, SILENT], end: 'pending' },
]

/** Sends the only webhook that is due, as the receivers of the demo answer it. */
export async function deliver(demo: Demo, from: number): Promise<void> {
  const { answers, end } = demo.random.weighted(STORIES)
  let at = from
  for (const [index, answer] of answers.entries()) {
    at += index * demo.random.whole(2_000, 20_000) + answer.ms
    const db = atMoment(demo.db, at)
    const [claimed] = await claimDeliveries(db, { limit: 1, leaseMs: MINUTE_MS, perReceiver: 1_000 })
    const isLast = index === answers.length - 1
    await recordAttempt(db, await attemptOf(demo, claimed!, { at, answer, state: isLast ? end : 'pending', isLast }))
  }
}

type Made = { at: number; answer: Answer; state: DeliveryState; isLast: boolean }

/** The next try of what still waits is hours away, so that it is there to look at. */
async function attemptOf({ signer }: Demo, { id, lease, body }: ClaimedDelivery, { at, answer, state, isLast }: Made) {
  const timestamp = Math.floor(at / 1_000)
  const timestampSignature = await signer.signAttempt({ id, timestamp, body: body! })
  const record = { durationMs: answer.ms, answer: answer.answer, signed: { timestamp, timestampSignature } }
  const { status, error } = answer
  return { id, lease, state, status, error, delayMs: isLast ? 6 * HOUR_MS : 0, record }
}

function refused(status: number, answer: string): Answer {
  return { status, error: `The receiver answered with status ${status}.`, answer, ms: 90 }
}
