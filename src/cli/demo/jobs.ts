import { NO_LABELS } from '../../calls/labels.ts'
import { toCaller } from '../../tenants/access/cached-key.ts'
import { taskPrice } from '../../platform/catalog/task-prices.ts'
import { problem } from '../../contract/problems.ts'
import { lineWithoutCall } from '../../jobs/job-line.ts'
import { atMoment } from '../../platform/store/clock/at-moment.ts'
import { type ClaimedJob, claimJobs, type FinishedRun, finishJob } from '../../platform/store/jobs/job-runs.ts'
import { submitJob } from '../../platform/store/jobs/jobs.ts'
import { touchKeys } from '../../platform/store/keys/keys.ts'
import type { NewDelivery } from '../../platform/store/deliveries/deliveries.ts'
import { prepareDelivery } from '../../jobs/webhooks/prepare-delivery.ts'
import type { AttemptDetail } from '../../platform/store/ledger/request-detail.ts'
import type { Demo } from './demo.ts'
import { deliver } from './deliveries.ts'
import { FREE_KIND, JOB_KINDS, type JobKind } from './job-kinds.ts'
import { ownerIn } from '../../platform/store/owner.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/units/units.ts'

const JOBS_A_DAY = 15
const WAITING = 4
const RUNNING = 3
const HOOK = 'https://hooks.demo.example/gatehouse'
const CLAIM = { worker: 'demo', deadlineMs: 2 * DAY_MS, maxExecutions: 3, limit: 1 }

/** Jobs of the days before they are removed, with their webhooks; the last ones still run or wait. */
export async function addJobs(demo: Demo): Promise<number> {
  const days = Math.min((demo.to - demo.from) / DAY_MS - 1, demo.config.jobRetentionDays - 1)
  const count = Math.round(days * JOBS_A_DAY)
  for (let at = 0; at < count; at++) {
    const moment = demo.to - ((count - at) / count) * days * DAY_MS - demo.random.whole(0, HOUR_MS)
    await runJob(demo, moment)
  }
  for (let at = 0; at < RUNNING; at++) {
    await submit(demo, JOB_KINDS[at % JOB_KINDS.length]!, demo.to - (RUNNING - at) * MINUTE_MS)
    await claim(demo, demo.to - (RUNNING - at) * MINUTE_MS + 2_000, DAY_MS)
  }
  // A gateway that is started on the demo runs these.
  for (let at = 0; at < WAITING; at++) await submit(demo, FREE_KIND, demo.to - (WAITING - at) * 9_000)
  return count + RUNNING + WAITING
}

async function runJob(demo: Demo, at: number): Promise<void> {
  const { random } = demo
  const kind = random.pick(JOB_KINDS)
  await submit(demo, kind, at)
  const startedAt = at + random.skewed(1_500)
  const job = await claim(demo, startedAt, MINUTE_MS)
  await finish(demo, { job, kind, startedAt, endedAt: startedAt + random.skewed(kind.usualMs) })
}

async function submit(demo: Demo, kind: JobKind, at: number): Promise<void> {
  const key = demo.keys.get(kind.key)!
  const { feature, subfeature, provider, model } = kind
  const name = [feature, subfeature, provider, ...(model ? [model] : [])].join('/')
  const labels = { ...NO_LABELS, tags: { team: key.project }, requestedModel: name }
  await submitJob(atMoment(demo.db, at), {
    id: demo.random.uuid(),
    ...ownerIn(key, key.ownerKind, key.ownerId),
    keyId: key.id,
    feature,
    subfeature,
    provider,
    model,
    request: { body: { model: name, input: kind.input }, caller: toCaller(key), labels },
    showOriginal: false,
    webhook: demo.random.isTrue(0.7) ? { url: HOOK } : null,
    userParameters: JSON.stringify({ batch: demo.random.whole(100, 999) }),
    idempotency: null,
  })
  await touchKeys(demo.db, [{ id: key.id, at: Math.round(at) }])
}

/** Only one job waits at a time, so it is the one that is claimed. */
async function claim({ db }: Demo, at: number, leaseMs: number): Promise<ClaimedJob> {
  const [job] = await claimJobs(atMoment(db, at), { ...CLAIM, leaseMs })
  return job!
}

type Ended = { job: ClaimedJob; kind: JobKind; startedAt: number; endedAt: number }

async function finish(demo: Demo, ended: Ended): Promise<void> {
  const { job, kind, startedAt, endedAt } = ended
  const error = demo.random.isTrue(0.14) ? demo.random.pick(kind.errors) : null
  const status = error === null ? 'success' : 'fail'
  const reason = error === null ? null : problem('upstream_error', { message: error })
  const cost = error === null ? costOf(kind) : 0
  const ms = endedAt - startedAt
  const [outcome, told] = error === null ? ['answered', 200] : ['server_error', 500]
  const detail: AttemptDetail = [null, null, null, outcome, told, null, null, Math.round(ms * 0.9), ms, error]
  const line = {
    ...lineWithoutCall(job, { at: endedAt, startedAt, reason }),
    cost,
    estimated: false,
    attempts: 1,
    detail: { a: [detail] },
  }
  const { id, attempt, provider, model } = job
  const output = error === null ? kind.output : null
  const run: FinishedRun = {
    id,
    attempt,
    status,
    output,
    error,
    cost,
    provider,
    model,
    original: undefined,
    finishedAt: endedAt,
    line,
  }
  const delivery = job.webhook ? await announce(demo, ended, error) : undefined
  await finishJob(atMoment(demo.db, endedAt), run, delivery)
  if (delivery) await deliver(demo, endedAt)
}

function announce(demo: Demo, { job, kind, endedAt }: Ended, error: string | null): Promise<NewDelivery> {
  const { id, feature, subfeature, provider, model, createdAt } = job
  const result =
    error === null ? { status: 'success' as const, output: kind.output } : { status: 'fail' as const, error }
  const userParameters = JSON.parse(job.userParameters!) as Record<string, unknown>
  const finished = { id, feature, subfeature, provider, model, createdAt, finishedAt: endedAt, userParameters, result }
  const made = { signer: demo.signer, newId: () => demo.random.uuid() }
  return prepareDelivery({ job: finished, url: job.webhook!.url }, made)
}

function costOf({ feature, subfeature, provider, model, units }: JobKind): number | null {
  const price = taskPrice(`${feature}/${subfeature}`, provider, model)
  return price && (units * price.price) / price.per
}
