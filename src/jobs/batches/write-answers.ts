import { isRecord } from '../../base/schema/record.ts'
import { withoutDashes } from '../../base/schema/resource-id.ts'
import { DAY_MS, MB } from '../../base/units/units.ts'
import type { FileServices } from '../../calls/files/files.ts'
import { type EndedLine, type LineOutcome, readEnded } from '../../platform/store/batches/batch-lines.ts'
import type { ClaimedBatch } from '../../platform/store/batches/batch-runs.ts'
import type { BatchDoor, StoredBatch } from '../../platform/store/batches/batches.ts'
import { deleteFiles, insertFile } from '../../platform/store/files.ts'
import { ownerOf } from '../../platform/store/owner.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { lineId } from './read-line.ts'

// The files with the answers of a batch, in the shape of its door. They are written from the store, some lines at a time.

const LINES_AT_ONCE = 200
const BYTES_AT_ONCE = 4 * MB
/** What was paid for is kept, even if the owner has stored more than it may. No line is asked any more then. */
const NO_QUOTA = Number.MAX_SAFE_INTEGER

type WrittenFiles = { outputFile: string | null; errorFile: string | null }

/** OpenAI's clients read what succeeded and what did not from two files, the others everything from one. */
export async function writeAnswers(
  batch: ClaimedBatch,
  files: FileServices,
  signal: AbortSignal,
): Promise<WrittenFiles> {
  const write = (id: string, outcomes: readonly LineOutcome[], name: string) =>
    writeFile({ batch, id, outcomes, name, signal }, files)
  const { outputFile, errorFile, door } = batch
  const hex = withoutDashes(batch.id)
  if (door !== 'openai')
    return { outputFile: await write(outputFile!, ALL, `batch_${hex}_results.jsonl`), errorFile: null }
  return {
    outputFile: await write(outputFile!, ['succeeded'], `batch_${hex}_output.jsonl`),
    errorFile: await write(errorFile!, FAILED, `batch_${hex}_error.jsonl`),
  }
}

const FAILED = ['errored', 'cancelled', 'expired'] as const
const ALL = ['succeeded', ...FAILED] as const

type Writing = {
  batch: ClaimedBatch
  id: string
  outcomes: readonly LineOutcome[]
  name: string
  signal: AbortSignal
}

/** Null if no line belongs into it. A file of an earlier try, which died meanwhile, is written anew. */
async function writeFile({ batch, id, outcomes, name, signal }: Writing, files: FileServices): Promise<string | null> {
  const { db, blobs, resultDays } = files
  await deleteFiles(db, batch.owner, [id])
  await blobs.delete(id)
  const lines = answerLines({ batch, outcomes, signal }, files)
  const first = await lines.next()
  if (first.done) return null
  const { size, sha256 } = await blobs.write(id, withFirst(first.value, lines), {
    maxBytes: NO_QUOTA,
    owner: batch.owner,
  })
  const about = { id, name, size, type: 'application/jsonl', sha256, purpose: 'batch_output', metadata: '{}' }
  const lasting = { origin: 'upload' as const, lifetimeMs: resultDays * DAY_MS, endUser: batch.endUser }
  await insertFile(db, { ...ownerOf(batch), ...about, ...lasting }, NO_QUOTA)
  return id
}

async function* answerLines(
  { batch, outcomes, signal }: Pick<Writing, 'batch' | 'outcomes' | 'signal'>,
  { db }: Pick<FileServices, 'db'>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (let after = 0; ; ) {
    signal.throwIfAborted()
    const page = { outcomes, after, limit: LINES_AT_ONCE, maxBytes: BYTES_AT_ONCE }
    const lines = await readEnded(db, batch.id, page)
    if (lines.length === 0) return
    after = lines.at(-1)!.number
    yield encoder.encode(lines.map((line) => `${WRITERS[batch.door](line, batch)}\n`).join(''))
  }
}

async function* withFirst(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

/** What clients read of a line that was not asked, or never answered. */
const UNASKED = {
  expired: { code: 'batch_expired', message: 'The time of the batch was over before this line was asked.' },
  cancelled: { code: 'batch_cancelled', message: 'The batch was cancelled before this line was asked.' },
}

/** The answers of lines are written as they are: they are JSON already. */
const WRITERS: Record<BatchDoor, (line: EndedLine, batch: StoredBatch) => string> = {
  openai: ({ number, customId, outcome, status, requestId, answer }, batch) => {
    const head = `{"id":${JSON.stringify(lineId(batch.id, number))},"custom_id":${JSON.stringify(customId)}`
    if (outcome === 'expired' || outcome === 'cancelled')
      return `${head},"response":null,"error":${JSON.stringify(unaskedIn(outcome, batch))}}`
    // What the gateway says about a line that it has no answer to.
    if (!status) return `${head},"response":null,"error":${answer}}`
    return `${head},"response":{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":${answer}},"error":null}`
  },
  anthropic: ({ customId, outcome, status, answer }) => {
    const head = `{"custom_id":${JSON.stringify(customId)},"result":{"type":`
    if (outcome === 'succeeded') return `${head}"succeeded","message":${answer}}}`
    if (outcome === 'errored') return `${head}"errored","error":${status ? answer : anthropicError(answer)}}}`
    return `${head}"${outcome === 'cancelled' ? 'canceled' : 'expired'}"}}`
  },
  gemini: ({ customId, outcome, status, answer }, batch) => {
    const head = customId === null ? '{' : `${customId.slice(0, -1)},`
    if (outcome === 'succeeded') return `${head}"response":${answer}}`
    return `${head}"error":${JSON.stringify(geminiError(outcome === 'errored' ? answer : null, { outcome, status }, batch))}}`
  },
}

/** A batch that failed on its way has said why. */
function unaskedIn(outcome: 'expired' | 'cancelled', { problems }: Pick<StoredBatch, 'problems'>) {
  const [problem] = problems
  return problem && outcome === 'cancelled' ? { code: problem.code, message: problem.message } : UNASKED[outcome]
}

function anthropicError(answer: string | null): string {
  const { message = '' } = tryParse(answer ?? '{}') as { message?: string }
  return JSON.stringify({ type: 'error', error: { type: 'api_error', message } })
}

const CANCELLED_CODE = 1
const DEADLINE_CODE = 4
const INTERNAL_CODE = 13

/** A status of Google's RPCs. */
function geminiError(
  answer: string | null,
  { outcome, status }: Pick<EndedLine, 'outcome' | 'status'>,
  batch: StoredBatch,
): { code: number; message: string } {
  if (outcome === 'expired') return { code: DEADLINE_CODE, message: UNASKED.expired.message }
  if (outcome === 'cancelled') return { code: CANCELLED_CODE, message: unaskedIn('cancelled', batch).message }
  const said = tryParse(answer ?? '{}') as { message?: string; error?: { message?: string } }
  const message = isRecord(said.error) ? String(said.error.message) : (said.message ?? '')
  return { code: GEMINI_CODES[status ?? 0] ?? INTERNAL_CODE, message }
}

/** The codes of RPCs by HTTP status, as Google maps them. */
const GEMINI_CODES: Record<number, number> = {
  400: 3,
  401: 16,
  402: 8,
  403: 7,
  404: 5,
  409: 10,
  422: 3,
  429: 8,
  500: 13,
  501: 12,
  503: 14,
  504: 4,
}
