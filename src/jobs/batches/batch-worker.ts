import { capacityFor, FairSemaphore } from '../../base/fairness/fair-semaphore.ts'
import { HOUR_MS, SECOND_MS } from '../../base/units/units.ts'
import { type ClaimedBatch, claimBatches } from '../../platform/store/batches/batch-runs.ts'
import { ClaimLoop } from '../../platform/store/claim-loop.ts'
import { BatchTurn, type TurnNeeds } from './batch-turn.ts'

const TIMING = {
  /** The batch of a dead process goes on after this lease and at most one poll. */
  leaseMs: 20_000,
  heartbeatMs: 5_000,
  /** How long a process works on a batch before another one may be next. */
  turnMs: 30_000,
  /** How often the key of a batch is looked up. */
  keyMs: 5_000,
  pollMs: 500,
  /** When a provider is asked for the first time how far its batch is, and at most how long it is not asked. */
  lookMs: 60_000,
  maxLookMs: 600_000,
  /** The batch does not look sooner than this, however soon one of its batches at providers is to be looked at. */
  leastLookMs: SECOND_MS,
  /** How long results of a provider are read again that have lines which are no results. */
  garbledMs: HOUR_MS,
}
/** Batches of one owner that a process works on at once. */
const BATCHES_AT_ONCE = 3
/** Lines of one owner that a process asks at once. */
const LINES_OF_OWNER = 64

type WorkerNeeds = Omit<TurnNeeds, 'timing' | 'places'> & {
  workerId: string
  timing?: Partial<typeof TIMING> | undefined
}

type BatchWorker = {
  /** Says that a batch was submitted, or that this one is cancelled. Other processes see that at their next heartbeat. */
  wake(cancelled?: string): void
  /** Lets lines that run end for a while. The rest of the lines is left to other processes. */
  close(graceMs: number): Promise<void>
}

export function openBatchWorker({ workerId, timing, ...needs }: WorkerNeeds): BatchWorker {
  const times = { ...TIMING, ...timing }
  const places = new FairSemaphore({ capacity: capacityFor(LINES_OF_OWNER) })
  const turns = new Set<BatchTurn>()
  const loop = new ClaimLoop<ClaimedBatch>({
    pollMs: times.pollMs,
    concurrency: BATCHES_AT_ONCE,
    claim: (capacity) => claimBatches(needs.services().db, { worker: workerId, leaseMs: times.leaseMs, ...capacity }),
    run: async (batch) => {
      const turn = new BatchTurn(batch, { ...needs, places, timing: times })
      turns.add(turn)
      await turn.done
      turns.delete(turn)
    },
    failed: (error) => needs.log.error({ error: String(error) }, 'batches cannot be claimed'),
  })
  return {
    wake: (cancelled) => {
      for (const turn of turns) if (turn.id === cancelled) turn.stop()
      loop.wake()
    },
    close: async (graceMs) => {
      const stopped = loop.stop(graceMs)
      for (const turn of turns) turn.stop()
      await stopped
      for (const turn of turns) turn.abandon()
      await Promise.all(Array.from(turns, (turn) => turn.done))
    },
  }
}
