import { hash } from 'node:crypto'
import { problem } from '../contract/problems.ts'
import type { ValidationIssue } from '../base/schema/validation-issue.ts'
import type { UniversalAsyncRequest } from '../contract/universal.ts'
import { isSubmitted, submitJob } from '../platform/store/jobs/jobs.ts'
import { ownerOf } from '../platform/store/owner.ts'
import type { Caller } from '../tenants/access/caller.ts'
import type { CallTrace } from '../calls/call-trace.ts'
import type { Labels } from '../calls/labels.ts'
import type { MemoryLease } from '../calls/memory-budget.ts'
import { withoutBlanks } from '../translation/json/exact-numbers.ts'
import { type PreparedTask, prepareTask } from '../endpoints/universal/prepare-task.ts'
import type { TaskTarget } from '../endpoints/universal/task-targets.ts'
import { taskWorstCase } from '../endpoints/universal/task-worst-case.ts'
import { demandJobRoom } from './demand-room.ts'
import { findJob, type JobReply, toReply } from './read-jobs.ts'
import type { JobServices } from './job-services.ts'

// A job that was acknowledged is on disk; the worker runs it.

const MAX_IDEMPOTENCY_KEY_CHARS = 255
/** The parameters are loaded with the job, and many jobs are loaded at once. */
const MAX_PARAMETER_CHARS = 256 * 1024

const PARAMETERS = ['body', 'user_webhook_parameters']

export type Submission = {
  body: UniversalAsyncRequest
  text: string
  /** The text of `user_webhook_parameters`, without repeated keys. */
  parameters: string | undefined
  idempotencyKey: string | undefined
  labels: Labels
  /** The span of the request, if requests are traced. */
  trace?: CallTrace | undefined
}

export async function submit(
  { body, text, parameters, idempotencyKey, labels, trace }: Submission,
  caller: Caller,
  memory: MemoryLease,
  services: JobServices,
): Promise<JobReply> {
  const { calls } = services
  const prepared = await prepareTask(body, { caller }, calls)
  const userParameters = checkedParameters(body, parameters)
  if (body.webhook_receiver) await calls.callerUrls.checkForLater(body.webhook_receiver, ['body', 'webhook_receiver'])
  const key = idempotencyKey === undefined ? undefined : checkedKey(idempotencyKey)
  const countedBy = await demandCapacity(key, { prepared, chars: text.length, caller, labels }, services)
  const [target] = prepared.targets
  const { feature, subfeature } = target!.feature
  const id = services.newId()
  const submittedBy = trace && calls.tracing?.submitted(trace, { id, name: `${feature}/${subfeature}` })
  const submission = await submitJob(services.db, {
    id,
    ...ownerOf(caller),
    keyId: caller.keyId,
    endUser: labels.endUser,
    feature,
    subfeature,
    provider: target!.provider.id,
    model: target!.model,
    request: { body: withoutWebhook(body), caller, labels, submittedBy, countedBy },
    showOriginal: body.show_original_response === true,
    webhook: body.webhook_receiver ? { url: body.webhook_receiver } : null,
    userParameters,
    idempotency: key === undefined ? null : { key, bodyHash: hash('sha256', text) },
  })
  if (submission.outcome === 'conflict')
    throw problem('conflict', {
      message: 'This Idempotency-Key was used with another body. Send a new key, or the same body.',
    })
  if (submission.outcome === 'repeated') return findJob(submission.id, caller, memory, calls)
  services.background.current?.wakeWorker()
  return toReply(submission.job)
}

type SubmittedTask = { prepared: PreparedTask; chars: number; caller: Caller; labels: Labels }

/** Refuses a job that could not run now. Asking again for one that was accepted takes nothing. Returns the limits that count it. */
async function demandCapacity(
  key: string | undefined,
  { prepared, chars, caller, labels }: SubmittedTask,
  services: Pick<JobServices, 'db' | 'maxWaitingJobs' | 'calls'>,
): Promise<string[]> {
  if (key !== undefined && (await isSubmitted(services.db, caller.owner, key))) return []
  await demandJobRoom(caller.owner, chars, services)
  const { input, provider_params } = prepared.request
  // Files are opened when the job runs, so here the worst case is that of a task without them.
  const task = { input, files: {}, params: provider_params ?? {} }
  const worstCase = (target: TaskTarget) => taskWorstCase(target, task)
  return await services.calls.spendLimits.submit({ caller, labels, endpoint: 'universal' }, prepared.targets, {
    worstCase,
  })
}

/** The webhook's address and parameters belong to the delivery, not to the execution. */
function withoutWebhook({ webhook_receiver: _, user_webhook_parameters: __, ...body }: UniversalAsyncRequest) {
  return body
}

function checkedKey(key: string): string {
  if (key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY_CHARS) return key
  throw refused(['header', 'idempotency-key'], `String should have 1 to ${MAX_IDEMPOTENCY_KEY_CHARS} characters`)
}

/** The caller's parameters as short JSON, with the digits of their numbers. */
function checkedParameters({ user_webhook_parameters }: UniversalAsyncRequest, text?: string): string | null {
  if (!user_webhook_parameters) return null
  refuseHalfCharacters(user_webhook_parameters, PARAMETERS)
  const rewritten = refuseLong(JSON.stringify(user_webhook_parameters))
  return text === undefined ? rewritten : refuseLong(withoutBlanks(text))
}

function refuseLong(parameters: string): string {
  if (parameters.length <= MAX_PARAMETER_CHARS) return parameters
  throw refused(PARAMETERS, `The value should have at most ${MAX_PARAMETER_CHARS} characters as JSON`)
}

/**
 * A key with a lone surrogate cannot be encoded. Two such keys may become equal, and then the webhook cannot be created.
 */
function refuseHalfCharacters(value: unknown, loc: ValidationIssue['loc']): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const path = [...loc, Array.isArray(value) ? Number(key) : key.toWellFormed()]
    if (!key.isWellFormed()) throw refused(path, 'The name contains an incomplete Unicode character')
    refuseHalfCharacters(inner, path)
  }
}

function refused(loc: ValidationIssue['loc'], msg: string) {
  return problem('validation_error', {
    message: `${loc.slice(1).join('.')}: ${msg}`,
    detail: [{ loc, msg, type: 'value_error' }],
  })
}
