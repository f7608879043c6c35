import type { Logger } from 'pino'
import type { WireRequest } from '../wire/wire.ts'
import { openClaimLoop } from '../store/claim-loop.ts'
import type { Database } from '../store/database.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryState,
  recordAttempt,
  releaseDelivery,
} from '../store/deliveries.ts'
import { whileUnavailable } from '../store/while-unavailable.ts'
import { webhookHeaders } from './headers.ts'
import { type Outcome, outcomeOfFailure, outcomeOfStatus } from './outcome.ts'
import { retryDelayMs } from './schedule.ts'
import type { Signer } from './signature.ts'

/** Of one owner. */
const CONCURRENCY = 64
/** Of one owner to one receiver. */
const PER_RECEIVER = 4
const TIMING = {
  timeoutMs: 30_000,
  /** Longer than an attempt can take, or a second one would start beside it. */
  leaseMs: 45_000,
  pollMs: 250,
  /** How long attempts may go on when the deliverer is closed. */
  graceMs: 5_000,
  /** A receiver's answer is worth this much trouble: without it the webhook is sent again. */
  recordForMs: 30_000,
  recordPauseMs: 250,
}

/** Sends one request and gives the status of the answer; does not follow redirects, and throws when no answer comes. */
export type Post = (
  request: WireRequest,
  options: { timeoutMs: number; signal: AbortSignal },
) => Promise<{ status: number }>

export type DelivererOptions = {
  db: Database
  post: Post
  signer: Pick<Signer, 'signAttempt'>
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  now?: () => number
  random?: () => number
  concurrency?: number
  perReceiver?: number
  timing?: Partial<typeof TIMING>
  delaysMs?: number[]
}

export type Deliverer = {
  readonly inFlight: number
  /** Something was put into the outbox. */
  wake(): void
  /** Lets attempts end for a while, then breaks them off and hands them back: another process sends them again. */
  close(): Promise<void>
}

export function openDeliverer(options: DelivererOptions): Deliverer {
  const { db, post, signer, log, now = Date.now, random = Math.random } = options
  const { concurrency = CONCURRENCY, perReceiver = PER_RECEIVER, delaysMs } = options
  const timing = { ...TIMING, ...options.timing }
  const closing = new AbortController()
  const loop = openClaimLoop<ClaimedDelivery>({
    pollMs: timing.pollMs,
    concurrency,
    claim: (capacity) => claimDeliveries(db, { ...capacity, leaseMs: timing.leaseMs, perReceiver }),
    run: (delivery) => deliver(delivery).catch((error) => note(delivery, error)),
    failed: (error) => log.error({ error: String(error) }, 'webhooks cannot be claimed'),
  })
  let closed: Promise<void> | undefined
  return {
    get inFlight() {
      return loop.running
    },
    wake: loop.wake,
    close: () => {
      closed ??= close()
      return closed
    },
  }

  async function deliver(delivery: ClaimedDelivery) {
    const outcome = await attempt(delivery)
    if (outcome) await record(delivery, outcome)
    else await releaseDelivery(db, delivery)
  }

  function note(delivery: ClaimedDelivery, error: unknown) {
    log.error({ ...namesOf(delivery), error: String(error) }, 'webhook attempt not recorded')
  }

  /** Undefined when it was broken off, so that nobody knows how it would have ended. */
  async function attempt(delivery: ClaimedDelivery): Promise<Outcome | undefined> {
    const { id, url, body } = delivery
    const timestamp = Math.floor(now() / 1_000)
    const timestampSignature = await signer.signAttempt({ id, timestamp, body })
    const headers = webhookHeaders(delivery, { timestamp, timestampSignature })
    const request = { method: 'POST', url, headers, body } as const
    try {
      const { status } = await post(request, { timeoutMs: timing.timeoutMs, signal: closing.signal })
      return outcomeOfStatus(status)
    } catch (error) {
      return closing.signal.aborted ? undefined : outcomeOfFailure(error)
    }
  }

  async function record(delivery: ClaimedDelivery, { verdict, status, error }: Outcome) {
    const attempts = delivery.attempts + 1
    const delayMs = verdict === 'retry' ? retryDelayMs(attempts, random, delaysMs) : undefined
    const state: DeliveryState = verdict === 'delivered' ? 'delivered' : delayMs === undefined ? 'failed' : 'pending'
    const { id, lease } = delivery
    const written = await whileUnavailable(
      () => recordAttempt(db, { id, lease, state, status, error, delayMs: delayMs ?? 0 }),
      { pauseMs: timing.recordPauseMs, forMs: timing.recordForMs },
    )
    const fields = { ...namesOf(delivery), attempts, status, error }
    if (!written) log.warn(fields, 'webhook attempt came too late to be recorded')
    else if (state === 'delivered') log.info(fields, 'webhook delivered')
    else log.warn(fields, state === 'failed' ? 'webhook given up' : 'webhook will be tried again')
  }

  async function close() {
    await loop.stop(timing.graceMs)
    closing.abort()
    await loop.stop(timing.recordForMs)
  }
}

/** Nothing of the address: people put secrets into the URLs of their receivers. */
function namesOf({ id, jobId }: ClaimedDelivery) {
  return { delivery: id, job: jobId }
}
