import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { postToReceivers } from '../jobs/alerts/post-to-receiver.ts'
import { openAlertRounds } from '../jobs/alerts/rounds.ts'
import { openCheckpoints } from './audit-checkpoints.ts'
import { openRollUpRounds } from '../money/billing/roll-up-rounds.ts'
import { sweepContents } from '../calls/contents/sweep-contents.ts'
import { sweepFiles } from '../calls/files/files.ts'
import type { CallServices } from '../calls/services/call-services.ts'
import type { ActiveServices } from '../http/services.ts'
import { executeTask } from '../jobs/execute-task.ts'
import type { Execute } from '../jobs/run-job.ts'
import { announceBatch } from '../jobs/batches/announce-batch.ts'
import type { Lines } from '../jobs/batches/ask-line.ts'
import { openBatchWorker } from '../jobs/batches/batch-worker.ts'
import { Pace } from '../jobs/batches/pace.ts'
import { openWorker } from '../jobs/worker.ts'
import { executeResponse } from '../jobs/background-responses/execute.ts'
import { RESPONSES } from '../platform/store/jobs/jobs.ts'
import type { Egress } from '../platform/net/egress/guarded-fetch.ts'
import { purgeDeleted } from '../tenants/projects/purge.ts'
import type { Database } from '../platform/store/database.ts'
import { openRetention } from './retention.ts'
import { RECEIVER_SCHEME } from '../jobs/webhooks/channel.ts'
import { type DelivererOptions, openDeliverer, type Post } from '../jobs/webhooks/deliverer.ts'
import { startOf } from '../jobs/webhooks/answer-start.ts'
import { prepareDelivery } from '../jobs/webhooks/prepare-delivery.ts'
import type { WebhookKeys } from '../jobs/webhooks/webhook-keys.ts'
import { HOUR_MS } from '../base/units/units.ts'

// Work without a caller: jobs run, webhooks are sent, ledger lines are rolled up, and what is too old is removed.

const JOB_DEADLINE_MS = 600_000
/** Models that reason and search by themselves take longer than any task. */
const RESPONSE_DEADLINE_MS = HOUR_MS
/** The limit for one owner. */
const JOBS_AT_ONCE = 64
const SWEEP_MS = 60_000

type Needs = {
  active: ActiveServices
  db: Database
  egress(): Egress
  webhookKeys: WebhookKeys
  /** Answers lines of batches. */
  lines: Lines
  /** How many requests of clients this process works on. */
  requestsInFlight(): number
  log: Logger
}

/**
 * For tests: how long a closing worker lets jobs run, and how long to wait between the attempts of a delivery and between
 * looks at the rules of alerts.
 */
export type BackgroundTiming = {
  jobGraceMs?: number
  batchTiming?: Parameters<typeof openBatchWorker>[0]['timing']
  deliveryDelaysMs?: number[]
  alertRoundMs?: number
}

export function openBackground(needs: Needs, timing: BackgroundTiming = {}) {
  const { active, db, webhookKeys, log } = needs
  const { now, newId, circuits } = active.current.calls
  const deliverer = openDelivererFor(needs, timing)
  const worker = openWorkerFor(needs, deliverer.wake)
  const batches = openBatchesFor(needs, deliverer.wake, timing)
  const config = () => active.current.calls.config
  const signer = () => webhookKeys.current.signer
  const common = { db, log, now, newId, signer, wakeDeliverer: deliverer.wake }
  const checkpoints = openCheckpoints({ ...common, receivers: () => config().alerts.receivers })
  const rollUps = openRollUpRounds({ db, log, leaseHolder: randomUUID() })
  const retention = openRetention({ db, log, config, leaseHolder: randomUUID(), now })
  const alerts = openAlertRounds({
    ...common,
    leaseHolder: randomUUID(),
    roundMs: timing.alertRoundMs,
    settings: () => config().alerts,
    limits: () => active.current.calls.spendLimits.all,
    guardrails: () => active.current.calls.guardrails.all,
    circuits: () => circuits.list(),
  })
  const sweepTimer = setInterval(() => sweep(active.current.calls, log), SWEEP_MS).unref()
  return {
    wakeWorker: worker.wake,
    stopJob: worker.stop,
    wakeBatches: batches.wake,
    wakeDeliverer: deliverer.wake,
    close: async (graceMs: number) => {
      clearInterval(sweepTimer)
      await rollUps.close()
      await retention.close()
      await checkpoints.close()
      await alerts.close()
      await Promise.all([worker.close(graceMs), batches.close(graceMs)])
      await deliverer.close()
    },
  }
}

function openDelivererFor({ active, db, egress, webhookKeys, log }: Needs, { deliveryDelaysMs }: BackgroundTiming) {
  const { calls } = active.current
  return openDeliverer({
    db,
    post: postEither(active, postThrough(egress)),
    // The key may be replaced at any time.
    signer: { signAttempt: (attempt) => webhookKeys.current.signer.signAttempt(attempt) },
    holdMemory: memoryHolder(calls),
    log,
    now: calls.now,
    attempted: (outcome) => calls.metrics.deliveryAttempts.add([outcome]),
    traced: calls.tracing && ((attempt) => calls.tracing?.delivered(attempt)),
    ...(deliveryDelaysMs && { delaysMs: deliveryDelaysMs }),
  })
}

function openWorkerFor({ active, db, webhookKeys, log }: Needs, wakeDeliverer: () => void) {
  const { ledger, metrics, newId } = active.current.calls
  return openWorker({
    db,
    log,
    execute: executeEither(
      executeTask(() => active.current.calls),
      executeResponse(() => active.current.jobs),
    ),
    prepareDelivery: (announced) => prepareDelivery(announced, { signer: webhookKeys.current.signer, newId }),
    wakeDeliverer,
    recordLine: (line) => ledger.record(line),
    ended: ({ feature, subfeature }, status, runMs) =>
      metrics.jobs.observe([`${feature}/${subfeature}`, status], runMs / 1000),
    deadlineMs: JOB_DEADLINE_MS,
    responseDeadlineMs: RESPONSE_DEADLINE_MS,
    concurrency: JOBS_AT_ONCE,
    workerId: randomUUID(),
  })
}

function openBatchesFor(needs: Needs, wakeDeliverer: () => void, { batchTiming }: BackgroundTiming) {
  const { active, lines, requestsInFlight, webhookKeys, log } = needs
  const { now, newId } = active.current.calls
  return openBatchWorker({
    services: () => active.current.calls,
    lines,
    pace: new Pace(requestsInFlight),
    announce: (batch, ending) => announceBatch(batch, ending, { signer: webhookKeys.current.signer, newId, now }),
    wakeDeliverer,
    log,
    workerId: randomUUID(),
    timing: batchTiming,
  })
}

function sweep({ db, files }: Pick<CallServices, 'db' | 'files'>, log: Logger): void {
  const noted = (text: string) => (error: unknown) => log.warn({ error: String(error) }, text)
  sweepFiles(files).catch(noted('expired files could not be removed'))
  sweepContents({ db, blobs: files.blobs }).catch(noted('old contents of calls could not be removed'))
  purgeDeleted({ db, files }).catch(noted('the content of deleted projects and people could not be removed'))
}

function executeEither(task: Execute, response: Execute): Execute {
  return (job, tools) => (job.feature === RESPONSES ? response(job, tools) : task(job, tools))
}

/** Receivers of the operator have a name instead of an address. */
function postEither(active: ActiveServices, toCallers: Post): Post {
  const toOperator = postToReceivers({
    send: () => active.current.calls.send,
    receivers: () => active.current.calls.config.alerts.receivers,
  })
  return (request, options) => (request.url.startsWith(RECEIVER_SCHEME) ? toOperator : toCallers)(request, options)
}

/** A body that is larger than all memory that may be held gets all of it, so that it is sent alone. */
function memoryHolder({ memory }: Pick<CallServices, 'memory'>): DelivererOptions['holdMemory'] {
  return async (owner, bytes, signal) => {
    const lease = memory.lease(owner)
    await lease.hold(Math.min(bytes, memory.capacity), signal)
    return () => lease.close()
  }
}

const MAX_RECEIVER_ANSWER_BYTES = 64 * 1024

/** Webhooks go through the egress guard and never follow a redirect. */
export function postThrough(egress: () => Egress): Post {
  return async (request, { timeoutMs, signal }) => {
    const { status, body } = await egress().fetch({
      ...request,
      maxBytes: MAX_RECEIVER_ANSWER_BYTES,
      timeoutMs,
      signal,
      redirects: 0,
    })
    return { status, start: await startOf(body) }
  }
}
