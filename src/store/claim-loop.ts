import { setTimeout as sleep } from 'node:timers/promises'
import { type ClaimCapacity, claimCapacity } from '../fairness/claim-capacity.ts'
import { capacityFor } from '../fairness/fair-semaphore.ts'

/** An idle store is asked four times less often than a busy one: another process's work then waits for a moment longer. */
const IDLE_FACTOR = 4

type ClaimLoopOptions<Item extends { owner: string }> = {
  /** How soon to look although nobody said that there is something; ever more seldom while there is nothing. */
  pollMs: number
  /** How many of one owner may run at once; a third more are there for other owners. */
  concurrency: number
  claim(capacity: ClaimCapacity): Promise<Item[]>
  /** Must not fail. */
  run(item: Item): Promise<void>
  /** Called when claiming fails, once until it succeeds again. */
  failed(error: unknown): void
}

export type ClaimLoop = {
  readonly running: number
  /** There may be something to claim. */
  wake(): void
  /** Claims no more, and comes back when everything that runs has ended or the grace is over. */
  stop(graceMs: number): Promise<void>
}

/** Takes work out of the store as long as there is some and there is room for it, one claim at a time. */
export function openClaimLoop<Item extends { owner: string }>(options: ClaimLoopOptions<Item>): ClaimLoop {
  const { pollMs, concurrency, claim, run, failed } = options
  const capacity = capacityFor(concurrency)
  const running = new Set<Promise<void>>()
  const runningOf = new Map<string, number>()
  let hungry = true
  let failing = false
  let stopped = false
  let bell = Promise.withResolvers<void>()
  let emptyLooks = 0
  let poll = setTimeout(look, pollMs)
  const ended = loop()
  return {
    get running() {
      return running.size
    },
    wake,
    stop,
  }

  async function loop() {
    while (!stopped) {
      if (hungry && running.size < capacity) await fill()
      else await rest()
    }
  }

  async function fill() {
    hungry = false
    try {
      const items = await claim(claimCapacity(runningOf, capacity))
      failing = false
      items.forEach(start)
      // Where something was, more may be.
      if (items.length > 0) hungry = true
      emptyLooks = items.length > 0 ? 0 : emptyLooks + 1
    } catch (error) {
      if (!failing) failed(error)
      failing = true
    }
  }

  function start(item: Item) {
    count(item, 1)
    const work = run(item).finally(() => {
      running.delete(work)
      count(item, -1)
      // Its owner may have been at its share: more of it may wait.
      wake()
    })
    running.add(work)
  }

  function count({ owner }: Item, change: number) {
    const now = (runningOf.get(owner) ?? 0) + change
    if (now > 0) runningOf.set(owner, now)
    else runningOf.delete(owner)
  }

  async function rest() {
    await bell.promise
    bell = Promise.withResolvers()
  }

  function look() {
    wake()
    poll = setTimeout(look, pollMs * Math.min(IDLE_FACTOR, 1 + Math.floor(emptyLooks / IDLE_FACTOR)))
  }

  function wake() {
    hungry = true
    bell.resolve()
  }

  async function stop(graceMs: number) {
    stopped = true
    clearTimeout(poll)
    bell.resolve()
    await ended
    const grace = new AbortController()
    const over = sleep(graceMs, undefined, { signal: grace.signal }).catch(() => {})
    await Promise.race([Promise.all(running), over])
    grace.abort()
  }
}
