import type { SendReport } from '../translation/wire/wire.ts'
import type { Call } from './call.ts'

/** Of longer streams, the rest is not measured. */
const MAX_GAPS = 10_000

/**
 * Notes how long after the one before each chunk of a traced stream came. Chunks of one read came together: all but the first of
 * them took no time. The first chunk of a stream has a measurement of its own.
 */
export function noteChunkTimes({ trace, record: { firstTokenAt } }: Call, wire: SendReport, chunks: number): void {
  if (!trace || wire.arrivedAt === 0 || chunks === 0) return
  const before = trace.lastChunkAt ?? firstTokenAt
  trace.lastChunkAt = wire.arrivedAt
  if (before !== null) trace.chunkGaps.push(Math.max(0, wire.arrivedAt - before))
  for (let more = 1; more < chunks && trace.chunkGaps.length < MAX_GAPS; more++) trace.chunkGaps.push(0)
  if (trace.chunkGaps.length > MAX_GAPS) trace.chunkGaps.length = MAX_GAPS
}
