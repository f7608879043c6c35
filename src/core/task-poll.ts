import { setTimeout as sleep } from 'node:timers/promises'
import type { Result, SlowAdapter, Task, Tools } from '../features/feature.ts'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000
const SLOWER_BY = 1.5

/** What lets a wait outlive a restart: the ticket of an earlier execution, and where to put a new one. */
export type Patience = { ticket?: unknown; saveTicket(ticket: unknown): Promise<void> }

/** Starts unless there is a ticket, then asks again and again, ever more seldom. The signal ends it, at the provider too. */
export async function pollUntilDone(
  adapter: SlowAdapter,
  task: Task<unknown>,
  tools: Tools,
  patience: Patience,
): Promise<Result<unknown>> {
  const ticket = patience.ticket ?? (await adapter.start(task, tools))
  if (patience.ticket === undefined) await patience.saveTicket(ticket)
  try {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * SLOWER_BY, LONGEST_WAIT_MS)) {
      const state = await adapter.poll(ticket, tools)
      if (state !== 'pending') return state
      await sleep(wait, undefined, { signal: tools.signal })
    }
  } catch (error) {
    if (tools.signal.aborted)
      await adapter.cancel?.(ticket, { ...tools, signal: new AbortController().signal }).catch(() => undefined)
    throw tools.signal.aborted ? tools.signal.reason : error
  }
}
