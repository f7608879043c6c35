import type { Logger } from 'pino'
import type { TracedDelivery } from '../../calls/tracing.ts'
import type { WireRequest } from '../../translation/wire/wire.ts'
import { ClaimLoop } from '../../platform/store/claim-loop.ts'
import type { Database } from '../../platform/store/database.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryState,
  readBody,
  recordAttempt,
  releaseDelivery,
} from '../../platform/store/deliveries/deliveries.ts'
import type { AttemptRecord } from '../../platform/store/deliveries/attempts.ts'
import { retryWhileUnavailable } from '../../platform/store/retry-while-unavailable.ts'
import { channelOf } from './channel.ts'
import { webhookHeaders } from './headers.ts'
import { type DeliveryOutcome, outcomeOfFailure, outcomeOfStatus } from './delivery-outcome.ts'
import { retryDelayMs } from './schedule.ts'
import type { Signer } from './signature.ts'

/** How many attempts of one owner run at once. */
const CONCURRENCY = 64
/** How many attempts of one owner to one receiver run at once. */
const PER_RECEIVER = 4
/** What a byte of a body takes while it is sent: itself, in the text that is signed, and in the request. */
const COPIES_OF_BODY = 3
const TIMING = {
  timeoutMs: 30_000,
  /** How long a large body may wait for memory before its delivery goes back into the queue. */
  memoryMs: 10_000,
  /** Longer than the wait for memory and an attempt can take: otherwise a second attempt would start beside it. */
  leaseMs: 45_000,
  pollMs: 250,
  /** How long attempts may go on after the deliverer is closed. */
  graceMs: 5_000,
  /** How long to retry storing a receiver's answer. If it is never stored, the webhook is sent again. */
  recordForMs: 30_000,
  recordPauseMs: 250,
}

/**
 * Sends one request and returns the status of the answer, with the beginning of its body. It does not follow redirects, and
 * throws if no answer comes.
 */
export type Post = (
  request: WireRequest,
  options: { timeoutMs: number; signal: AbortSignal },
) => Promise<{ status: number; start?: string | null }>

export type DelivererOptions = {
  db: Database
  post: Post
  signer: Pick<Signer, 'signAttempt'>
  /** Reserves memory for the bytes of an owner, and resolves to the function that releases it. Rejects if there is none. */
  holdMemory(owner: string, bytes: number, signal: AbortSignal): Promise<() => void>
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  now?: () => number
  random?: () => number
  concurrency?: number
  perReceiver?: number
  timing?: Partial<typeof TIMING>
  /** Told about every attempt whose outcome was recorded. */
  attempted?: (outcome: 'delivered' | 'retry' | 'failed') => void
  delaysMs?: number[]
  /** Is told of every attempt whose outcome is known. */
  traced?: ((attempt: TracedDelivery) => void) | undefined
}

type Deliverer = {
  readonly inFlight: number
  /** Says that a webhook was put into the outbox. */
  wake(): void
  /** Lets attempts go on for a while, then aborts them and releases their deliveries, which another process sends again. */
  close(): Promise<void>
}

export function openDeliverer(options: DelivererOptions): Deliverer {
  const delivering = deliveringWith(options)
  const { db, log, concurrency, perReceiver, timing, closing } = delivering
  const loop = new ClaimLoop<ClaimedDelivery>({
    pollMs: timing.pollMs,
    concurrency,
    claim: (capacity) => claimDeliveries(db, { ...capacity, leaseMs: timing.leaseMs, perReceiver }),
    run: (delivery) => deliver(delivery, delivering),
    failed: (error) => log.error({ error: String(error) }, 'webhooks cannot be claimed'),
  })
  let closed: Promise<void> | undefined
  return {
    get inFlight() {
      return loop.running
    },
    wake: () => loop.wake(),
    close: () => {
      closed ??= close()
      return closed
    },
  }

  async function close() {
    await loop.stop(timing.graceMs)
    closing.abort()
    await loop.stop(timing.recordForMs)
  }
}

type Delivering = ReturnType<typeof deliveringWith>

function deliveringWith(options: DelivererOptions) {
  return {
    now: Date.now,
    random: Math.random,
    concurrency: CONCURRENCY,
    perReceiver: PER_RECEIVER,
    ...options,
    timing: { ...TIMING, ...options.timing },
    closing: new AbortController(),
  }
}

/** Never rejects. */
async function deliver(delivery: ClaimedDelivery, delivering: Delivering): Promise<void> {
  try {
    const attempted = await withBody(delivery, delivering, (body) => attempt({ ...delivery, body }, delivering))
    if (attempted) await record(delivery, attempted, delivering)
    else await releaseDelivery(delivering.db, delivery)
  } catch (error) {
    delivering.log.error({ ...idsOf(delivery), error: String(error) }, 'webhook attempt not recorded')
  }
}

/** Memory for a large body is reserved before the body is read. Returns undefined if there is no memory in time. */
async function withBody(
  { id, owner, body, bodyBytes }: ClaimedDelivery,
  { db, holdMemory, timing, closing }: Delivering,
  send: (body: Uint8Array) => Promise<Attempted | undefined>,
): Promise<Attempted | undefined> {
  if (body) return send(body)
  const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timing.memoryMs)])
  const release = await holdMemory(owner, bodyBytes * COPIES_OF_BODY, signal).catch(() => undefined)
  if (!release) return undefined
  try {
    return await send(await readBody(db, id))
  } finally {
    release()
  }
}

/** How an attempt ended, and what is kept of it. */
type Attempted = { outcome: DeliveryOutcome; record: AttemptRecord }

/** Returns undefined if the attempt was aborted, because it is unknown how it would have ended. */
async function attempt(
  delivery: ClaimedDelivery & { body: Uint8Array },
  delivering: Delivering,
): Promise<Attempted | undefined> {
  const { post, signer, now, timing, closing } = delivering
  const { id, url, body } = delivery
  const timestamp = Math.floor(now() / 1_000)
  const timestampSignature = await signer.signAttempt({ id, timestamp, body })
  const headers = webhookHeaders(delivery, { timestamp, timestampSignature })
  const request = { method: 'POST', url, headers, body } as const
  const begun = performance.now()
  const sent = post(request, { timeoutMs: timing.timeoutMs, signal: closing.signal })
  const { outcome, answer } = await sent.then(
    ({ status, start = null }) => ({
      outcome: outcomeOfStatus(status, channelOf(url).retriedStatuses),
      answer: start,
    }),
    (error: unknown) => ({ outcome: outcomeOfFailure(error), answer: null }),
  )
  if (closing.signal.aborted && outcome.status === null) return undefined
  const durationMs = performance.now() - begun
  trace(delivery, outcome, durationMs, delivering)
  return { outcome, record: { durationMs, answer, signed: { timestamp, timestampSignature } } }
}

function trace(
  delivery: ClaimedDelivery,
  { status }: DeliveryOutcome,
  durationMs: number,
  { traced }: Delivering,
): void {
  const { id, jobId, url, attempts } = delivery
  traced?.({ id, jobId, url, attempt: attempts + 1, durationMs, status })
}

async function record(delivery: ClaimedDelivery, attempted: Attempted, delivering: Delivering): Promise<void> {
  const { db, log, random, timing, delaysMs = channelOf(delivery.url).delaysMs } = delivering
  const { verdict, status, error } = attempted.outcome
  const attempts = delivery.attempts + 1
  const delayMs = verdict === 'retry' ? retryDelayMs(attempts, random, delaysMs) : undefined
  const state: DeliveryState = verdict === 'delivered' ? 'delivered' : delayMs === undefined ? 'failed' : 'pending'
  const { id, lease } = delivery
  const written = await retryWhileUnavailable(
    () => recordAttempt(db, { id, lease, state, status, error, delayMs: delayMs ?? 0, record: attempted.record }),
    { pauseMs: timing.recordPauseMs, forMs: timing.recordForMs },
  )
  if (written) delivering.attempted?.(state === 'pending' ? 'retry' : state)
  const fields = { ...idsOf(delivery), attempts, status, error }
  if (!written) log.warn(fields, 'webhook attempt came too late to be recorded')
  else if (state === 'delivered') log.info(fields, 'webhook delivered')
  else log.warn(fields, state === 'failed' ? 'webhook given up' : 'webhook will be tried again')
}

/** The log gets no part of the URL, because people put secrets into the URLs of their receivers. */
function idsOf({ id, jobId }: ClaimedDelivery) {
  return { delivery: id, job: jobId }
}
