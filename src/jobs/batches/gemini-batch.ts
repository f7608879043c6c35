import { withoutDashes } from '../../base/schema/resource-id.ts'
import { MB } from '../../base/units/units.ts'
import { type FileServices, getUpload, readBytes } from '../../calls/files/files.ts'
import { readAll } from '../../calls/files/read-all.ts'
import type { MemoryLease } from '../../calls/memory-budget.ts'
import type { GeminiBatch } from '../../contract/gemini/batches.ts'
import type { StoredBatch } from '../../platform/store/batches/batches.ts'
import { batchName } from './batch-ids.ts'
import { modelOfEndpoint } from './gemini-endpoint.ts'
import type { BatchRequest } from './batch-request.ts'

const TYPE = 'type.googleapis.com/google.ai.generativelanguage.v1beta.GenerateContentBatch'
/** Longer answers are only in the file, also for requests that came without one. */
const MAX_INLINE_BYTES = 20 * MB
const FAILED = 13

const STATES = {
  validating: 'BATCH_STATE_PENDING',
  in_progress: 'BATCH_STATE_RUNNING',
  cancelling: 'BATCH_STATE_RUNNING',
  finalizing: 'BATCH_STATE_RUNNING',
  completed: 'BATCH_STATE_SUCCEEDED',
  failed: 'BATCH_STATE_FAILED',
  cancelled: 'BATCH_STATE_CANCELLED',
  expired: 'BATCH_STATE_EXPIRED',
} as const

/** A batch as clients of Google know it, without the answers. */
export function toGeminiBatch(batch: StoredBatch): GeminiBatch {
  const { endedAt, problems, total, succeeded, errored, cancelled, expired } = batch
  const failed = errored + cancelled + expired
  const changedAt = endedAt ?? batch.finalizingAt ?? batch.cancellingAt ?? batch.inProgressAt ?? batch.createdAt
  const [first] = problems
  return {
    name: batchName(batch),
    done: endedAt !== null,
    metadata: {
      '@type': TYPE,
      model: `models/${modelOfEndpoint(batch.endpoint ?? '')}`,
      ...(batch.name !== null && { displayName: batch.name }),
      state: STATES[batch.state],
      createTime: isoOf(batch.createdAt),
      updateTime: isoOf(changedAt),
      ...(endedAt !== null && { endTime: isoOf(endedAt) }),
      ...(batch.pausedReason !== null && { pausedReason: batch.pausedReason }),
      batchStats: {
        requestCount: String(total),
        successfulRequestCount: String(succeeded),
        failedRequestCount: String(failed),
        pendingRequestCount: String(total - succeeded - failed),
      },
    },
    ...(first && { error: { code: FAILED, message: sentence(first) } }),
  }
}

/** The same as JSON, with the answers of a batch that has ended. Answers that came inline stay the text that they are. */
export async function geminiBatchText(batch: StoredBatch, files: FileServices, memory: MemoryLease): Promise<string> {
  const shown = toGeminiBatch(batch)
  const { outputFile, endedAt, owner } = batch
  if (endedAt === null || outputFile === null) return JSON.stringify(shown)
  const { isInline } = JSON.parse(batch.request) as BatchRequest
  const file = isInline ? await getUpload(outputFile, owner, files).catch(() => undefined) : undefined
  if (!file || file.size > MAX_INLINE_BYTES)
    return withOutput(shown, JSON.stringify({ responsesFile: `files/${withoutDashes(outputFile)}` }))
  await memory.hold(file.size * 3)
  const lines = Buffer.from(await readAll(await readBytes(file, files))).toString('utf8')
  const answers = lines.trimEnd().replaceAll('\n', ',')
  return withOutput(shown, `{"inlinedResponses":{"inlinedResponses":[${answers}]}}`)
}

/** A line of the file is JSON without a line break, and so is a member. */
function withOutput({ metadata, ...batch }: GeminiBatch, output: string): string {
  const withMetadata = `${JSON.stringify(metadata).slice(0, -1)},"output":${output}}`
  return `${JSON.stringify(batch).slice(0, -1)},"metadata":${withMetadata}}`
}

function sentence({ message, line }: StoredBatch['problems'][number]): string {
  return line === null ? message : `Line ${line}: ${message}`
}

function isoOf(at: number): string {
  return new Date(at).toISOString()
}
