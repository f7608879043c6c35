import { HOUR_MS, SECOND_MS } from '../../base/units/units.ts'
import type { Batch } from '../../contract/batches.ts'
import type { StoredBatch } from '../../platform/store/batches/batches.ts'
import { batchName } from './batch-ids.ts'
import type { BatchRequest } from './batch-request.ts'

/** A batch as clients of OpenAI know it. */
export function toOpenAIBatch(batch: StoredBatch): Batch {
  const { state, endedAt, problems, total, succeeded, errored, cancelled, expired } = batch
  const isEnded = endedAt !== null
  const endedAs = (ending: StoredBatch['state']) => (state === ending ? seconds(endedAt) : null)
  const { metadata, execution } = JSON.parse(batch.request) as BatchRequest
  return {
    id: batchName(batch),
    object: 'batch',
    endpoint: batch.endpoint,
    errors: problems.length > 0 ? { object: 'list', data: problems } : null,
    input_file_id: batch.inputFile,
    completion_window: `${batch.windowMs / HOUR_MS}h`,
    execution,
    status: state,
    paused_reason: batch.pausedReason,
    resumes_at: batch.pausedReason === null ? null : seconds(batch.resumesAt),
    output_file_id: isEnded ? batch.outputFile : null,
    error_file_id: isEnded ? batch.errorFile : null,
    created_at: Math.floor(batch.createdAt / SECOND_MS),
    in_progress_at: seconds(batch.inProgressAt),
    expires_at: seconds(batch.expiresAt),
    finalizing_at: seconds(batch.finalizingAt),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: seconds(batch.cancellingAt),
    cancelled_at: endedAs('cancelled'),
    request_counts: { total, completed: succeeded, failed: errored + cancelled + expired },
    metadata,
  }
}

function seconds(at: number | null): number | null {
  return at === null ? null : Math.floor(at / SECOND_MS)
}
