import { DAY_MS, HOUR_MS } from '../../base/units/units.ts'
import { deleteUpload, fileUpload, getUpload, receiveBytes } from '../../calls/files/files.ts'
import { problem } from '../../contract/problems.ts'
import { type BatchDoor, insertBatch, type StoredBatch } from '../../platform/store/batches/batches.ts'
import { type Owner, ownerOf } from '../../platform/store/owner.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { JobServices } from '../job-services.ts'
import type { BatchRequest } from './batch-request.ts'

/** Batches of one owner that have not ended. */
const MAX_UNFINISHED = 100
const RETRY_AFTER_SECONDS = 60
export const MAX_WINDOW_HOURS = 168
/** Of files that OpenAI's clients upload for batches, and of those that the gateway makes of requests that come without a file. */
const BATCH_PURPOSE = 'batch'

export type Submission = {
  door: BatchDoor
  /** What all lines are for; null if each names its own. */
  endpoint: string | null
  name: string | null
  /** The id of a file of the caller, or the lines themselves. */
  lines: { file: string } | { texts: Iterable<string>; total: number }
  windowHours: number
  webhookUrl: string | null
  endUser: string | null
} & Pick<BatchRequest, 'headers' | 'metadata' | 'execution'>

/** Accepts a batch. A batch that was acknowledged is on disk, with its lines; a worker checks them and asks them. */
export async function submitBatch(submission: Submission, caller: Caller, services: JobServices): Promise<StoredBatch> {
  const { door, endpoint, name, lines, windowHours, webhookUrl, endUser, headers, metadata, execution } = submission
  const { calls, db, background } = services
  if (webhookUrl !== null) await calls.callerUrls.checkForLater(webhookUrl, ['body', 'callback_url'])
  const windowMs = windowHours * HOUR_MS
  const isOwnFile = 'texts' in lines
  const inputFile = isOwnFile
    ? await keepLines(lines.texts, caller, endUser, services)
    : await checkedFile(lines.file, { caller, door, until: services.now() + windowMs }, services)
  const total = isOwnFile ? lines.total : 0
  const request: BatchRequest = { caller, headers, metadata, isInline: isOwnFile, execution }
  const about = { id: services.newId(), ...ownerOf(caller), keyId: caller.keyId, endUser, door, endpoint, name }
  const batch = await insertBatch(db, { ...about, inputFile, request, webhookUrl, windowMs, total }, MAX_UNFINISHED)
  if (!batch) {
    if (isOwnFile) await deleteUpload(inputFile, caller.owner, calls.files)
    throw tooManyBatches()
  }
  background.current?.wakeBatches()
  return batch
}

type FileNeeds = { caller: Caller; door: BatchDoor; until: number }

async function checkedFile(id: string, { caller, door, until }: FileNeeds, { calls }: JobServices): Promise<string> {
  const file = await getUpload(id, caller.owner, calls.files)
  // Clients of Google name no purpose.
  if (door === 'openai' && file.purpose !== BATCH_PURPOSE)
    throw refused(`The purpose of the input file has to be '${BATCH_PURPOSE}', and it is '${file.purpose}'.`)
  if (file.expiresAt < until)
    throw refused('The input file expires before the batch does. Upload it again with a later expiry.')
  return file.id
}

/** The lines become a file of the caller, which can be read and deleted like any other. */
async function keepLines(
  texts: Iterable<string>,
  caller: Owner,
  endUser: string | null,
  { calls: { files } }: Pick<JobServices, 'calls'>,
): Promise<string> {
  const stored = await receiveBytes(inPieces(texts), caller.owner, files)
  const settings = { name: 'requests.jsonl', purpose: BATCH_PURPOSE, lifetimeMs: files.resultDays * DAY_MS, endUser }
  return (await fileUpload(stored, settings, caller, files)).file_id
}

const PIECE_CHARS = 64 * 1024

async function* inPieces(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let piece = ''
  for (const text of texts) {
    piece += `${text}\n`
    if (piece.length < PIECE_CHARS) continue
    yield encoder.encode(piece)
    piece = ''
  }
  if (piece !== '') yield encoder.encode(piece)
}

function refused(message: string) {
  const detail = [{ loc: ['body', 'input_file_id'], msg: message, type: 'value_error' }]
  return problem('validation_error', { message: `input_file_id: ${message}`, param: 'input_file_id', detail })
}

function tooManyBatches() {
  const message = `${MAX_UNFINISHED} batches of this owner have not ended yet, which is the most. Try again when some of them have ended.`
  return problem('rate_limit_exceeded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
}
