import type { CallServices } from '../../calls/services/call-services.ts'
import { type Attempt, inOneOrder } from '../../calls/attempts/attempt.ts'
import { jsonWithoutSecrets } from '../../base/redaction/without-secrets.ts'
import { type ChosenCredential, credentialsOf } from '../../calls/attempts/credentials.ts'
import type { AskPlan } from '../../calls/attempts/plan.ts'
import { providerSecrets } from '../../calls/attempts/provider-secrets.ts'
import { SlowWork, type TicketStore } from '../../calls/attempts/slow-work.ts'
import { tryTargets } from '../../calls/attempts/try-targets.ts'
import type { Call } from '../../calls/call.ts'
import { slotForLarge } from '../../calls/large-work.ts'
import { guardedAnswer, guardedBody } from '../../calls/guardrails/guarded-body.ts'
import type { MemoryLease } from '../../calls/memory-budget.ts'
import type { Bill, Order } from '../../calls/order.ts'
import { costOfUnits } from '../../platform/catalog/task-prices.ts'
import type { Credential } from '../../platform/config/provider-settings.ts'
import { UniversalRequest } from '../../contract/universal.ts'
import { TempFiles } from '../../calls/files/temp-files.ts'
import { MAX_COUNT } from '../../base/schema/record.ts'
import type { Adapter, Feature, Result, SlowAdapter, Task } from '../../translation/tasks/feature.ts'
import { declined } from '../../translation/tasks/http/declined.ts'
import { isBlankResult } from '../../translation/tasks/results/blank-result.ts'
import { isCustomized } from '../../calls/upstream/customized.ts'
import { withoutModel } from '../../calls/upstream/provider-params.ts'
import { slowTask } from '../../calls/upstream/slow-task.ts'
import { toolsFor } from '../../calls/upstream/task-tools.ts'
import { type ProblemKind, UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { SendReport } from '../../translation/wire/wire.ts'
import type { PreparedTask } from './prepare-task.ts'
import { embedForTask } from './task-embeddings.ts'
import { collectFiles } from './task-files.ts'
import { drawForTask } from './task-images.ts'
import { askForTask } from './task-llm.ts'
import type { TaskTarget } from './task-targets.ts'
import { fileFieldsOf, outputIssues } from './task-schemas.ts'
import { likelyTaskBill, taskWorstCase } from './task-worst-case.ts'

// Doing a task that has been prepared: the first target that can does it.

/**
 * A ticket (`value`) belongs to one account at the provider: `credential` is the index of its credential and `name` the name, if it has
 * one, because operators add and remove credentials while a task runs.
 */
export type TargetTicket = { target: string; value: unknown; credential?: number; name?: string | undefined }

/** What lets a slow task survive a restart. */
export type JobTickets = {
  /** The ticket of an earlier execution, and the order for it; without an order, the target that an earlier one had moved to. */
  earlier?: { ticket: TargetTicket; order?: Order | undefined } | undefined
  save(ticket: TargetTicket): Promise<void>
}

/** The first target that can does the task. A task that was started before continues at the target that has its ticket. */
export async function doTask(asked: PreparedTask, call: Call, services: CallServices, tickets?: JobTickets) {
  const prepared = await guardedTask(asked, call, services)
  const tempFiles = new TempFiles(services.config.dataDir, call.caller.owner)
  // A part of the request's memory lease: an owner's only request may use all free memory.
  const lease = call.memory?.part()
  try {
    const plan = await taskPlan({ ...prepared, tickets, lease, tempFiles }, call, services)
    const { attempt, reply: result } = await tryTargets(plan, call, services).finally(() => plan.slow.end(call.signal))
    return { target: attempt.target, result: await guardedResult(result, prepared, call, services) }
  } finally {
    lease?.close()
    await tempFiles.close()
  }
}

/** A part of a call, such as a hook, sends what guardrails have seen. Files are not read. */
async function guardedTask(prepared: PreparedTask, call: Call, services: CallServices): Promise<PreparedTask> {
  if (call.isPart || services.guardrails.ofCaller(call.caller).length === 0) return prepared
  const { request, feature } = prepared
  const files = new Set<string>(fileFieldsOf(feature))
  const texts = Object.fromEntries(Object.entries(request.input).filter(([name]) => !files.has(name)))
  const { model, fallbacks, provider_params } = request
  const guarded = await guardedBody({ model, fallbacks, provider_params, input: texts }, call, services)
  const input = { ...request.input, ...guarded.input }
  return { ...prepared, request: { ...request, input, provider_params: guarded.provider_params } }
}

async function guardedResult(
  result: Result<unknown>,
  { request }: PreparedTask,
  call: Call,
  services: CallServices,
): Promise<Result<unknown>> {
  if (call.isPart || services.guardrails.ofCaller(call.caller).length === 0) return result
  const { output, original } = result
  return { ...result, ...(await guardedAnswer({ output, original }, request, call, services)) }
}

type TaskAttempt = Attempt<TaskTarget, CallServices>
type Doing = PreparedTask & {
  tickets: JobTickets | undefined
  lease: MemoryLease | undefined
  tempFiles: TempFiles
}
type TaskPlan = AskPlan<TaskTarget, CallServices, Result<unknown>> & { slow: SlowWork<unknown> }

async function taskPlan(doing: Doing, call: Call, services: CallServices): Promise<TaskPlan> {
  const { request, feature, inline, locOf, paramsFor, tickets, lease, tempFiles } = doing
  const { provider_params } = request
  const access = { owner: call.caller.owner, signal: call.signal, memory: lease, tempFiles }
  const fields = fileFieldsOf(feature)
  const files = await collectFiles({ input: request.input, fields, inline, locOf, access }, services)
  const input = { input: request.input, files, params: provider_params ?? {} }
  const inherits = (target: TaskTarget, order: Order) => {
    order.expect(() => likelyTaskBill(target, input), target)
    services.spendLimits.mayCharge({ ...call, labels: call.record.labels }, target)
  }
  const slow = slowWorkOf(doing, inherits)
  return {
    slow,
    targets: targetsLeft(doing, tickets),
    worstCase: (target) => taskWorstCase(target, input),
    isCustomized: () => isCustomized({ provider_params }, UniversalRequest),
    ask: async (attempt) => {
      const { target } = attempt
      await slow.moveTo(target.id)
      const task: Task<unknown> = {
        ...input,
        model: target.model,
        params: withoutModel(paramsFor?.(target, input.params) ?? input.params),
      }
      const result = await answered(() =>
        perform(attempt, task, { slow, likelyBill: () => likelyTaskBill(target, input) }),
      )
      await slotForLarge(call, services)
      return await answered(async () => checked(feature, notBlank(result, target)))
    },
  }
}

/** Once there is a ticket, the provider has the files, so the gateway releases their memory while it waits. */
function slowWorkOf(
  { targets, tickets, lease }: Doing,
  inherits: (target: TaskTarget, order: Order) => void,
): SlowWork<unknown> {
  const save: TicketStore<unknown>['save'] = async ({ target, ticket: value, credential: { index, name } }) => {
    lease?.empty()
    await tickets?.save({ target, value, credential: index, ...(name !== undefined && { name }) })
  }
  // A restart continues with the new target.
  const moved = async (target: string) => await tickets?.save({ target, value: undefined })
  const slow = new SlowWork<unknown>({ save, moved, survives: tickets !== undefined })
  const { ticket, order } = tickets?.earlier ?? {}
  if (!ticket || !order) return slow
  // The operator may have removed the target, or its credential.
  const target = targets.find(({ id }) => id === ticket.target)
  if (target) inherits(target, order)
  const credential = target && credentialOf(ticket, target)
  slow.inherit({ target: ticket.target, ticket: ticket.value, credential }, order)
  return slow
}

/** From the target that has the ticket on. */
function targetsLeft({ targets }: PreparedTask, tickets: JobTickets | undefined): TaskTarget[] {
  const begun = targets.findIndex(({ id }) => id === tickets?.earlier?.ticket.target)
  return targets.slice(Math.max(0, begun))
}

/** What a provider answers to a task is billed, whether or not it can be read, so the same provider is not asked again. */
async function answered<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
  try {
    return await ask()
  } catch (error) {
    if (!isAnswer(error)) throw error
    throw new UpstreamProblem('unreadable', error.message)
  }
}

const ANSWERED: readonly ProblemKind[] = ['garbage', 'empty', 'cut']

function isAnswer(error: unknown): error is UpstreamProblem {
  return error instanceof UpstreamProblem && ANSWERED.includes(error.kind)
}

type Performing = { slow: SlowWork<unknown>; likelyBill(): Bill }

async function perform(attempt: TaskAttempt, task: Task<unknown>, performing: Performing): Promise<Result<unknown>> {
  const { target, call } = attempt
  const { doer } = target
  // A service that shows the request that it got, as one that reads the web may, shows the gateway's credential.
  if (doer.kind === 'adapter')
    return jsonWithoutSecrets(
      await runAdapter(await doer.load(), attempt, task, performing),
      providerSecrets(target.provider),
    )
  // A model states no estimate of what it costs.
  const ofModel = { ...attempt, call: { ...call, spending: call.spending.part({ hidesEstimates: true }) } }
  if (doer.kind === 'llm') return await askForTask(target.feature, task, { ...ofModel, target: doer.chat })
  if (doer.kind === 'images') return await drawForTask(task, doer.drawer, ofModel)
  return await embedForTask(target.feature, task, { ...ofModel, target: doer.embedder })
}

async function runAdapter(
  adapter: Adapter | SlowAdapter,
  attempt: TaskAttempt,
  task: Task<unknown>,
  { slow, likelyBill }: Performing,
): Promise<Result<unknown>> {
  const { target, call, services } = attempt
  const toolsWith = (reach: { credential: Credential; report: SendReport }) =>
    toolsFor(target, { ...reach, call, services })
  const billOf = (result: Result<unknown>) => billOfTask(target, result)
  if (!('run' in adapter)) {
    return await slow.ask(attempt, {
      likelyBill,
      billOf,
      provider: (reach) => slowTask(adapter, task, toolsWith(reach)),
    })
  }
  return await inOneOrder(attempt, {
    likelyBill,
    billOf,
    ask: (order) => adapter.run(task, toolsWith({ credential: attempt.credential, report: order.report })),
  })
}

function credentialOf({ credential = -1, name }: TargetTicket, { provider }: TaskTarget): ChosenCredential | undefined {
  const all = credentialsOf({ id: '', provider })
  const same = all[credential]
  return name === undefined || same?.name === name ? same : all.find((one) => one.name === name)
}

/** A parser that read nothing has not done the task. Its work is paid, and another provider may read more. */
function notBlank(result: Result<unknown>, { feature }: TaskTarget): Result<unknown> {
  if (!feature.refusesBlank || !isBlankResult(result.output)) return result
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

/** Some providers count themselves what they did. A count that cannot be one has no price. */
function billOfTask({ price }: TaskTarget, { units, estimated }: Result<unknown>): Bill {
  const isCount = units >= 0 && units <= MAX_COUNT
  return { cost: price && isCount ? costOfUnits(price, units) : null, estimated }
}
