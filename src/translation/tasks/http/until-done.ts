import { setTimeout as sleep } from 'node:timers/promises'
import type { Tools } from '../feature.ts'

const FIRST_WAIT_MS = 300
const MAX_WAIT_MS = 3_000
const SLOWER_BY = 1.4

/** Starts a task and polls until it is done, for callers who wait. The call's signal is the time limit. */
export async function untilDone<Done>(poll: () => Promise<'pending' | Done>, { signal }: Tools): Promise<Done> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * SLOWER_BY, MAX_WAIT_MS)) {
    const state = await poll()
    if (state !== 'pending') return state as Done
    await sleep(wait, undefined, { signal })
  }
}
