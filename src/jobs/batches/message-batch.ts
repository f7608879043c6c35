import type { MessageBatch } from '../../contract/anthropic-batches.ts'
import type { StoredBatch } from '../../platform/store/batches/batches.ts'
import { batchName } from './batch-ids.ts'

/** A batch as clients of Anthropic know it. `resultsUrl` is where the results of a batch with this name are. */
export function toMessageBatch(batch: StoredBatch, resultsUrl: (name: string) => string): MessageBatch {
  const { endedAt, cancellingAt, problems, total, succeeded, errored, cancelled, expired, outputFile } = batch
  const isEnded = endedAt !== null
  const name = batchName(batch)
  return {
    id: name,
    type: 'message_batch',
    processing_status: isEnded ? 'ended' : cancellingAt === null ? 'in_progress' : 'canceling',
    request_counts: {
      processing: total - succeeded - errored - cancelled - expired,
      succeeded,
      errored,
      canceled: cancelled,
      expired,
    },
    created_at: isoOf(batch.createdAt),
    expires_at: isoOf(batch.expiresAt),
    ended_at: endedAt === null ? null : isoOf(endedAt),
    cancel_initiated_at: cancellingAt === null ? null : isoOf(cancellingAt),
    archived_at: null,
    results_url: isEnded && outputFile !== null ? resultsUrl(name) : null,
    paused_reason: batch.pausedReason,
    errors: problems.map(({ message, line }) => (line === null ? message : `Request ${line}: ${message}`)),
  }
}

function isoOf(at: number): string {
  return new Date(at).toISOString()
}
