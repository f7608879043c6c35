import { validationProblemOf } from '../contract/validation-problem.ts'
import { UniversalRequest, type UniversalResponse } from '../contract/universal.ts'
import { problem } from '../contract/problems.ts'
import { type ProblemKind, UpstreamProblem } from '../wire/upstream-problem.ts'
import type { Feature, Result, Task } from '../tasks/feature.ts'
import { declined } from '../tasks/http/declined.ts'
import { saysNothing } from '../tasks/results/says-nothing.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { tryTargets } from '../attempts/try-targets.ts'
import { type Call, closeCall, failCall, knownCost } from '../calls/call.ts'
import { requireCollection } from './collections.ts'
import { isCustomized } from '../upstream/customized.ts'
import { TempFiles } from '../files/temp-files.ts'
import { slotForLarge } from '../calls/large-work.ts'
import type { MemoryLease } from '../calls/memory-budget.ts'
import type { AppContext } from '../app/context.ts'
import { destinationIssues, withoutModel } from '../upstream/provider-params.ts'
import { askForTask } from './task-llm.ts'
import { collectFiles } from './task-files.ts'
import { embedForTask } from './task-embeddings.ts'
import { drawForTask } from './task-images.ts'
import { type TaskTarget, routeTask } from './task-route.ts'
import { checkInput, fileFieldsOf, outputIssues } from './task-schemas.ts'
import { pollUntilDone } from './task-poll.ts'
import { spend, spendInVain } from '../calls/spend.ts'
import { toolsFor } from '../upstream/task-tools.ts'

/** A task whose model string and input are valid. */
export type PreparedTask = { feature: Feature; targets: TaskTarget[]; request: UniversalRequest }

/** Refuses everything that can be refused before a provider is called or a job is accepted. */
export async function prepareTask(
  request: UniversalRequest,
  call: Pick<Call, 'caller'>,
  context: AppContext,
): Promise<PreparedTask> {
  const targets = routeTask(request, call.caller, context)
  const { feature } = targets[0]!
  checkInput(feature, request.input)
  checkParams(request.provider_params, targets)
  if (feature.collections) await requireCollection(String(request.input.collection_id), targets, call.caller, context)
  return { feature, targets, request }
}

function checkParams(params: UniversalRequest['provider_params'], targets: readonly TaskTarget[]): void {
  if (!params) return
  const providers = targets.map(({ provider }) => provider)
  const issues = destinationIssues(params, ['body', 'provider_params'], providers)
  if (issues.length > 0) throw validationProblemOf(issues)
}

/** Does the task while the caller waits. */
export async function universal(
  request: UniversalRequest,
  call: Call,
  context: AppContext,
): Promise<UniversalResponse> {
  try {
    const prepared = await prepareTask(request, call, context)
    refuseSlow(prepared.feature)
    call.tellsEstimate = true
    const { target, result } = await doTask(prepared, call, context)
    return present(target, result, call, request.show_original_response === true)
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, context)
  }
}

/** What lets a slow task survive a restart: the ticket of an earlier execution, and where to store a new one. */
export type TaskProgress = {
  ticket?: TargetTicket | undefined
  saveTicket(ticket: TargetTicket): Promise<void>
  /** Another execution continues with the ticket if this one is interrupted. */
  survives: boolean
  /** Ends the abandoned task of the ticket at its provider. */
  end?: (() => Promise<void>) | undefined
}

/** A ticket belongs to one account at the provider. If the provider has several credentials, `credential` is the index. */
export type TargetTicket = { target: string; value: unknown; credential?: number }

/** The first target that can does the task. A task that was started before continues at the target that has its ticket. */
export async function doTask(
  prepared: PreparedTask,
  call: Call,
  context: AppContext,
  progress: TaskProgress = notResumable(),
) {
  const tempFiles = new TempFiles(context.config.dataDir, call.caller.owner)
  // A part of the request's memory lease: an owner's only request may use all free memory.
  const lease = call.memory?.part()
  try {
    const { request, feature } = prepared
    const asking = { owner: call.caller.owner, signal: call.signal, memory: lease, tempFiles }
    const files = await collectFiles({ input: request.input, fields: fileFieldsOf(feature), asking }, context)
    return await doWithFiles({ ...prepared, files }, call, context, emptiedBy(progress, lease))
  } finally {
    lease?.close()
    await tempFiles.close()
  }
}

/** Once there is a ticket, the provider has the files, so the gateway releases their memory while it waits. */
function emptiedBy(progress: TaskProgress, lease: MemoryLease | undefined): TaskProgress {
  const saveTicket: TaskProgress['saveTicket'] = async (ticket) => {
    lease?.empty()
    await progress.saveTicket(ticket)
  }
  return { ...progress, saveTicket }
}

type TaskWithFiles = PreparedTask & { files: Task<unknown>['files'] }

async function doWithFiles(prepared: TaskWithFiles, call: Call, context: AppContext, progress: TaskProgress) {
  const { feature, request, files } = prepared
  const begun = prepared.targets.findIndex(({ id }) => id === progress.ticket?.target)
  const targets = prepared.targets.slice(Math.max(0, begun))
  const { provider_params } = request
  call.isCustomized = () => isCustomized({ provider_params }, UniversalRequest)
  const pending = tryTargets(targets, { call, context }, async (attempt) => {
    const { target } = attempt
    await moveOn(progress, target)
    const task: Task<unknown> = {
      input: request.input,
      model: target.model,
      params: withoutModel(request.provider_params ?? {}),
      files,
    }
    return await askedOnce(attempt, async () => {
      const result = await perform(attempt, task, progress)
      await slotForLarge(call, context)
      return checked(feature, notBlank(result, attempt))
    })
  })
  const { attempt, reply: result } = await pending.catch(async (error) => {
    if (!call.signal.aborted) await progress.end?.()
    throw error
  })
  const { target } = attempt
  // Requests to models have been billed one by one.
  if (target.doer.kind === 'adapter') spend(call, costOf(target, result))
  call.estimated ||= result.estimated === true
  return { target, result }
}

/**
 * What a provider answers to a task is billed, whether or not it can be read, so the same provider is not asked again. How
 * much an unreadable answer costs is not known.
 */
async function askedOnce<Reply>(
  { target, call }: Attempt<TaskTarget, AppContext>,
  ask: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof UpstreamProblem) || !ANSWERED.includes(error.kind)) throw error
    if (target.doer.kind === 'adapter') spendInVain(call, target.price?.price === 0 ? 0 : null)
    throw new UpstreamProblem('unreadable', error.message)
  }
}

const ANSWERED: readonly ProblemKind[] = ['garbage', 'empty', 'cut']

/**
 * Ends an abandoned task at its provider when another target takes over, and stores that a restart continues with the new
 * target.
 */
async function moveOn(progress: TaskProgress, { id }: TaskTarget): Promise<void> {
  const { ticket, end } = progress
  progress.end = undefined
  if (!end || ticket?.target === id) return
  progress.ticket = { target: id, value: undefined }
  await progress.saveTicket(progress.ticket)
  await end()
}

async function perform(
  attempt: Attempt<TaskTarget, AppContext>,
  task: Task<unknown>,
  progress: TaskProgress,
): Promise<Result<unknown>> {
  const { target, call, context } = attempt
  const { doer, provider } = target
  const kept = progress.ticket?.target === target.id ? progress.ticket : undefined
  const credential = provider.credentials[kept?.credential ?? -1] ?? attempt.credential
  const tools = toolsFor(target, credential, call, context)
  if (doer.kind === 'llm') return await askForTask(target.feature, task, { ...attempt, target: doer.chat })
  if (doer.kind === 'images') return await drawForTask(task, doer.drawer, attempt)
  if (doer.kind === 'embeddings') return await embedForTask(target.feature, task, { ...attempt, target: doer.embedder })
  const adapter = await doer.load()
  if ('run' in adapter) return await adapter.run(task, tools)
  const { survives } = progress
  const { sleep } = context
  return await pollUntilDone(adapter, task, tools, { ticket: kept?.value, saveTicket, survives, abandoned, sleep })

  function abandoned(end: () => Promise<void>) {
    progress.end = end
  }

  /** Also stored in memory, so that a further attempt does not start the task again. */
  async function saveTicket(value: unknown) {
    progress.ticket = { target: target.id, value, credential: attempt.credential.index }
    await progress.saveTicket(progress.ticket)
  }
}

/** For callers who wait: no later execution continues with the ticket. */
function notResumable(): TaskProgress {
  return { saveTicket: async () => {}, survives: false }
}

/** A parser that read nothing has not done the task. Its work is paid, and another provider may read more. */
function notBlank(result: Result<unknown>, { target, call }: Attempt<TaskTarget, AppContext>): Result<unknown> {
  if (!target.feature.refusesBlank || !saysNothing(result.output)) return result
  if (target.doer.kind === 'adapter') spendInVain(call, costOf(target, result))
  throw declined('the provider found nothing in this document', 422, 'nothing_found')
}

/** Checks the result of a provider or a chat model against the output schema of the task. */
function checked(feature: Feature, result: Result<unknown>): Result<unknown> {
  const issues = outputIssues(feature, result.output)
  if (issues.length === 0) return result
  const { loc, msg } = issues[0]!
  throw new UpstreamProblem(
    'garbage',
    `the provider's result does not match the output schema of this task (${loc.join('.')}: ${msg})`,
  )
}

function refuseSlow({ mode, feature, subfeature }: Feature) {
  if (mode === 'sync') return
  const message = `${feature}/${subfeature} takes too long to wait for: send it to POST /v3/universal-ai/async.`
  throw problem('validation_error', {
    message,
    param: 'model',
    detail: [{ loc: ['body', 'model'], msg: message, type: 'value_error' }],
  })
}

function costOf({ price }: TaskTarget, { units }: Result<unknown>): number | null {
  return price && (units * price.price) / price.per
}

function present(
  { feature, provider }: TaskTarget,
  { output, original }: Result<unknown>,
  call: Call,
  showOriginal: boolean,
): UniversalResponse {
  return {
    status: 'success',
    cost: knownCost(call),
    provider: provider.id,
    feature: feature.feature,
    subfeature: feature.subfeature,
    output,
    ...(showOriginal && { original_response: original }),
  }
}
