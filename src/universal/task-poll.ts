import { Problem } from '../contract/problems.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { Result, SlowAdapter, Task, Tools } from '../tasks/feature.ts'
import { FAILURES, isFailure } from '../attempts/failures.ts'

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 15_000
const SLOWER_BY = 1.5
/** One failed poll says nothing about a task that is running and paid for; this many in a row do. */
const MAX_FAILED_POLLS = 6

/** What lets a wait survive a restart: the ticket of an earlier execution, and where to store a new one. */
export type PollOptions = {
  ticket?: unknown
  saveTicket(ticket: unknown): Promise<void>
  /** Another execution continues with the ticket if this one is interrupted. */
  survives: boolean
  /** Called when polling has failed although the task may still be running; its argument ends the task at the provider. */
  abandoned?(end: () => Promise<void>): void
  /** Called when nobody wants the result any more, before the task is ended at the provider, which may take a while. */
  left?(): void
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * Starts the task unless there is a ticket, then polls at growing intervals. The signal ends the task, also at the provider.
 */
export async function pollUntilDone(
  adapter: SlowAdapter,
  task: Task<unknown>,
  tools: Tools,
  options: PollOptions,
): Promise<Result<unknown>> {
  const ticket = options.ticket ?? (await adapter.start(task, tools))
  let isSaved = options.ticket !== undefined
  try {
    if (!isSaved) await options.saveTicket(ticket)
    isSaved = true
    return await poll(adapter, ticket, tools, options)
  } catch (error) {
    const end = () => cancel(adapter, ticket, tools)
    if (isOver(tools.signal, options)) options.left?.()
    if (!isSaved || isOver(tools.signal, options)) await end()
    else if (!tools.signal.aborted && mayPass(error)) options.abandoned?.(end)
    throw tools.signal.aborted ? tools.signal.reason : error
  }
}

async function poll(adapter: SlowAdapter, ticket: unknown, tools: Tools, { sleep }: PollOptions) {
  for (let wait = FIRST_WAIT_MS, failed = 0; ; wait = Math.min(wait * SLOWER_BY, MAX_WAIT_MS)) {
    let requested = 0
    try {
      const state = await adapter.poll(ticket, tools)
      if (state !== 'pending') return state
      failed = 0
    } catch (error) {
      failed++
      if (tools.signal.aborted || failed >= MAX_FAILED_POLLS || !mayPass(error)) throw error
      requested = error instanceof UpstreamProblem ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
    }
    await sleep(Math.max(wait, Math.min(requested, MAX_WAIT_MS)), tools.signal)
  }
}

function mayPass(error: unknown): boolean {
  if (!isFailure(error)) return false
  return error.kind === 'rate_limited' || error.kind.endsWith('_timeout') || FAILURES[error.kind].next === 'retry'
}

function isOver(signal: AbortSignal, { survives }: PollOptions): boolean {
  return signal.aborted && (!survives || !isInterrupted(signal))
}

/** An interrupted job continues in another process or after a restart. A deadline or a caller who left ends the task. */
export function isInterrupted({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof Problem)
}

async function cancel({ cancel }: SlowAdapter, ticket: unknown, tools: Tools): Promise<void> {
  await cancel?.(ticket, { ...tools, signal: new AbortController().signal }).catch(() => undefined)
}
