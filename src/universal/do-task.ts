import type { AppContext } from '../app/context.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { tryTargets } from '../attempts/try-targets.ts'
import type { Call } from '../calls/call.ts'
import { costOfUnits } from '../catalog/task-prices.ts'
import type { Credential } from '../config/provider-settings.ts'
import { slotForLarge } from '../calls/large-work.ts'
import type { MemoryLease } from '../calls/memory-budget.ts'
import { payForLeft } from '../calls/pay-if-left.ts'
import { notePaid, spend } from '../calls/spend.ts'
import { UniversalRequest } from '../contract/universal.ts'
import { TempFiles } from '../files/temp-files.ts'
import type { Feature, Result, Task } from '../tasks/feature.ts'
import { declined } from '../tasks/http/declined.ts'
import { isBlankResult } from '../tasks/results/blank-result.ts'
import { MAX_COUNT } from '../schema/record.ts'
import { isCustomized } from '../upstream/customized.ts'
import { withoutModel } from '../upstream/provider-params.ts'
import { toolsFor } from '../upstream/task-tools.ts'
import { type ProblemKind, UpstreamProblem } from '../wire/upstream-problem.ts'
import type { PreparedTask } from './prepare-task.ts'
import { embedForTask } from './task-embeddings.ts'
import { collectFiles } from './task-files.ts'
import { drawForTask } from './task-images.ts'
import { likelyTaskBill, taskWorstCase } from './task-worst-case.ts'
import { askForTask } from './task-llm.ts'
import { isInterrupted, pollUntilDone } from './task-poll.ts'
import type { TaskTarget } from './task-route.ts'
import { fileFieldsOf, outputIssues } from './task-schemas.ts'

// Doing a task that has been prepared: the first target that can does it.

/** What lets a slow task survive a restart: the ticket of an earlier execution, and where to store a new one. */
export type TaskProgress = {
  ticket?: TargetTicket | undefined
  saveTicket(ticket: TargetTicket): Promise<void>
  /** Another execution continues with the ticket if this one is interrupted. */
  survives: boolean
  /** Ends the abandoned task of the ticket at its provider. */
  end?: (() => Promise<void>) | undefined
  /** What was ordered has been paid for, because nobody wants it any more. */
  isPaid?: boolean
}

/**
 * A ticket belongs to one account at the provider. If the provider has several credentials, `credential` is the index and
 * `name` the name: operators add and remove credentials while a task runs.
 */
export type TargetTicket = { target: string; value: unknown; credential?: number; name?: string | undefined }

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
    const access = { owner: call.caller.owner, signal: call.signal, memory: lease, tempFiles }
    const files = await collectFiles({ input: request.input, fields: fileFieldsOf(feature), access }, context)
    return await tryTaskTargets({ ...prepared, files }, call, context, releasingMemory(progress, lease))
  } finally {
    lease?.close()
    await tempFiles.close()
  }
}

/** Once there is a ticket, the provider has the files, so the gateway releases their memory while it waits. */
function releasingMemory(progress: TaskProgress, lease: MemoryLease | undefined): TaskProgress {
  const saveTicket: TaskProgress['saveTicket'] = async (ticket) => {
    lease?.empty()
    await progress.saveTicket(ticket)
  }
  return { ...progress, saveTicket }
}

type TaskWithFiles = PreparedTask & { files: Task<unknown>['files'] }
type TaskAttempt = Attempt<TaskTarget, AppContext>

async function tryTaskTargets(prepared: TaskWithFiles, call: Call, context: AppContext, progress: TaskProgress) {
  const { provider_params } = prepared.request
  call.isCustomized = () => isCustomized({ provider_params }, UniversalRequest)
  const targets = targetsLeft(prepared, progress)
  const input = { input: prepared.request.input, files: prepared.files, params: provider_params ?? {} }
  call.worstCase = (target: TaskTarget) => taskWorstCase(target, input)
  call.likelyBill = (target: TaskTarget) => {
    if (target.doer.kind !== 'adapter' || progress.isPaid || continuesElsewhere(progress, call)) return undefined
    progress.isPaid = true
    return likelyTaskBill(target, input)
  }
  try {
    const ask = (attempt: TaskAttempt) => askTarget(attempt, prepared, progress)
    const { attempt, reply: result } = await tryTargets(targets, { call, context }, ask)
    const { target } = attempt
    // Requests to models have been billed one by one.
    if (target.doer.kind === 'adapter') spend(call, costOf(target, result))
    call.estimated ||= result.estimated === true
    return { target, result }
  } catch (error) {
    payForTicket(targets, progress, call)
    if (!call.signal.aborted) await progress.end?.()
    throw error
  }
}

/** A caller may also leave between two attempts, while the provider of the ticket is at work. */
function payForTicket(targets: readonly TaskTarget[], { ticket }: TaskProgress, call: Call): void {
  const target = ticket?.value === undefined ? undefined : targets.find(({ id }) => id === ticket.target)
  if (target) payForLeft(call, target)
}

/** The task goes on at its provider, and whichever execution gets its result pays for it. */
function continuesElsewhere({ survives, ticket }: TaskProgress, { signal }: Call): boolean {
  return survives && ticket?.value !== undefined && isInterrupted(signal)
}

/** From the target that has the ticket on. */
function targetsLeft({ targets }: PreparedTask, { ticket }: TaskProgress): TaskTarget[] {
  const begun = targets.findIndex(({ id }) => id === ticket?.target)
  return targets.slice(Math.max(0, begun))
}

async function askTarget(
  attempt: TaskAttempt,
  { feature, request, files }: TaskWithFiles,
  progress: TaskProgress,
): Promise<Result<unknown>> {
  const { target, call, context } = attempt
  await moveOn(progress, target)
  const params = withoutModel(request.provider_params ?? {})
  const task: Task<unknown> = { input: request.input, model: target.model, params, files }
  return await askedOnce(attempt, async () => {
    const result = await perform(attempt, task, progress)
    await slotForLarge(call, context)
    return checked(feature, notBlank(result, attempt))
  })
}

/**
 * What a provider answers to a task is billed, whether or not it can be read, so the same provider is not asked again. How
 * much an unreadable answer costs is not known.
 */
async function askedOnce<Reply>(attempt: TaskAttempt, ask: () => Promise<Reply>): Promise<Reply> {
  const { target } = attempt
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof UpstreamProblem) || !ANSWERED.includes(error.kind)) throw error
    spendInVain(attempt, target.price?.price === 0 ? 0 : null)
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

async function perform(attempt: TaskAttempt, task: Task<unknown>, progress: TaskProgress): Promise<Result<unknown>> {
  const { target, call, context } = attempt
  const { doer, provider } = target
  const kept = progress.ticket?.target === target.id ? progress.ticket : undefined
  const credential = (kept && credentialOf(kept, provider.credentials)) ?? attempt.credential
  const tools = toolsFor(target, credential, call, context)
  if (doer.kind === 'llm') return await askForTask(target.feature, task, { ...attempt, target: doer.chat })
  if (doer.kind === 'images') return await drawForTask(task, doer.drawer, attempt)
  if (doer.kind === 'embeddings') return await embedForTask(target.feature, task, { ...attempt, target: doer.embedder })
  const adapter = await doer.load()
  if ('run' in adapter) return await adapter.run(task, tools)
  const { survives } = progress
  const { sleep } = context
  // The provider has got the request of an earlier execution.
  if (kept?.value !== undefined) call.wire.isWritten = true
  const left = () => payForLeft(call, target)
  return await pollUntilDone(adapter, task, tools, {
    ticket: kept?.value,
    saveTicket,
    survives,
    abandoned,
    left,
    sleep,
  })

  function abandoned(end: () => Promise<void>) {
    progress.end = end
  }

  /** Then it is kept in memory, so that a further attempt does not start the task again. One that is not stored is of no use to anybody. */
  async function saveTicket(value: unknown) {
    const { index, name } = attempt.credential
    const ticket = { target: target.id, value, credential: index, ...(name !== undefined && { name }) }
    await progress.saveTicket(ticket)
    progress.ticket = ticket
  }
}

function credentialOf({ credential = -1, name }: TargetTicket, all: readonly Credential[]): Credential | undefined {
  const same = all[credential]
  return name === undefined || same?.name === name ? same : all.find((one) => one.name === name)
}

/** For callers who wait: no later execution continues with the ticket. */
function notResumable(): TaskProgress {
  return { saveTicket: async () => {}, survives: false }
}

/** A parser that read nothing has not done the task. Its work is paid, and another provider may read more. */
function notBlank(result: Result<unknown>, attempt: TaskAttempt): Result<unknown> {
  const { target } = attempt
  if (!target.feature.refusesBlank || !isBlankResult(result.output)) return result
  spendInVain(attempt, costOf(target, result))
  throw declined('the provider found nothing in this document', 422, 'nothing_found')
}

/** The provider is paid, although another one has to do the task. A chat model books by itself. */
function spendInVain({ target, call }: TaskAttempt, cost: number | null): void {
  if (target.doer.kind !== 'adapter') return
  spend(call, cost)
  notePaid(call, target.id)
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

/** Some providers count themselves what they did. A count that cannot be one has no price. */
function costOf({ price }: TaskTarget, { units }: Result<unknown>): number | null {
  const isCount = units >= 0 && units <= MAX_COUNT
  return price && isCount ? costOfUnits(price, units) : null
}
