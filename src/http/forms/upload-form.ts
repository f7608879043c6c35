import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { problem } from '../../contract/problems.ts'
import { labelsOf } from '../../calls/labels.ts'
import { ClientGone } from '../../calls/client-gone.ts'
import type { StoredBytes, UploadSettings } from '../../calls/files/files.ts'
import { readField, readMultipart } from './multipart.ts'
import { validationProblem } from '../problems.ts'
import { TinyChunks, TOO_MANY_CHUNKS } from '../tiny-chunks.ts'
import { DAY_MS, SECOND_MS } from '../../base/units/units.ts'

const MAX_PURPOSE_CHARS = 50
const MAX_DAYS = 30
const NOT_A_FORM = 'This endpoint accepts files as multipart/form-data.'
const LIMITS = { maxParts: 10, maxFieldBytes: 1_000 }
const SMALL_BYTES = 4 * 1024

/** `fileField`: the name of the part with the bytes. */
export type UploadDefaults = { purpose?: string; fileField?: string }

type UploadForm = { stored: StoredBytes; settings: UploadSettings }

/** Parts may come in any order: the file is stored when it arrives, and the fields around it are read before or after. */
export async function readUploadForm(
  request: FastifyRequest,
  receive: (bytes: AsyncIterable<Uint8Array>) => Promise<StoredBytes>,
  discard: (stored: StoredBytes) => Promise<void>,
  { purpose = 'general', fileField = 'file' }: UploadDefaults = {},
): Promise<UploadForm> {
  const fields: Record<string, string> = {}
  let file: { name: string; stored: StoredBytes } | undefined
  try {
    for await (const part of readMultipart(String(request.headers['content-type']), formBytes(request), LIMITS)) {
      if (part.name !== fileField) fields[part.name] = await readField(part)
      else if (file) throw refused(fileField, 'Only one file may be sent at a time', 'value_error')
      else file = { name: part.filename ?? 'file', stored: await receive(part.bytes) }
    }
    if (!file) throw refused(fileField, 'Field required', 'missing')
    return { stored: file.stored, settings: { name: file.name, ...settingsOf({ purpose, ...fields }) } }
  } catch (error) {
    if (file) await discard(file.stored)
    throw discardForm(request, error)
  }
}

/**
 * Reads and discards the rest of a refused form. Node does that only for a body that the handler did not begin to read, and
 * the caller's next request on the connection would wait behind it. If the caller left, the stream's error says only that.
 */
export function discardForm({ body, raw }: FastifyRequest, error: unknown): unknown {
  if (body instanceof Readable) body.resume()
  return raw.readableAborted || raw.errored === error ? new ClientGone() : error
}

/** The request is not destroyed when we stop reading in the middle, because the caller still has to get an answer. */
export function formBytes({ body }: FastifyRequest): AsyncIterable<Uint8Array> {
  // JSON has already been read, and a request without a body has nothing to read.
  if (!(body instanceof Readable)) throw problem('unsupported_media_type', { message: NOT_A_FORM })
  return buffered(body)
}

/** Small chunks are collected for a turn of the event loop, so that the stream returns all of them in one piece. */
async function* buffered(body: Readable): AsyncGenerator<Uint8Array> {
  const tiny = new TinyChunks()
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    if (tiny.isTooMany(chunk)) throw TOO_MANY_CHUNKS
    yield chunk
    if (chunk.length < SMALL_BYTES) await nextTurn()
  }
}

function settingsOf(fields: Record<string, string> & { purpose: string }) {
  const { purpose } = fields
  if (purpose.length < 1) throw refused('purpose', 'String should have at least 1 character', 'string_too_short')
  if (Array.from(purpose).length > MAX_PURPOSE_CHARS)
    throw refused('purpose', `String should have at most ${MAX_PURPOSE_CHARS} characters`, 'string_too_long')
  return { purpose, lifetimeMs: lifetimeIn(fields), endUser: labelsOf({ user: fields.user }).endUser }
}

/** OpenAI's clients name seconds, as a member of an object; Anthropic's in a field of their own. */
function lifetimeIn(fields: Record<string, string>): number {
  const { expires_in_days: days, 'expires_after[seconds]': ofOpenAI, expires_in_seconds: seconds = ofOpenAI } = fields
  if (days !== undefined) return daysIn(days) * DAY_MS
  if (seconds === undefined) return MAX_DAYS * DAY_MS
  const lifetimeMs = Number(seconds) * SECOND_MS
  if (/^\d{1,9}$/.test(seconds) && lifetimeMs >= SECOND_MS && lifetimeMs <= MAX_DAYS * DAY_MS) return lifetimeMs
  throw refused('expires_after', `Input should be a number of seconds within ${MAX_DAYS} days`, 'value_error')
}

function daysIn(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw refused('expires_in_days', 'Input should be a valid integer', 'int_type')
  const days = Number(text)
  if (days < 1) throw refused('expires_in_days', 'Input should be greater than or equal to 1', 'greater_than_equal')
  if (days > MAX_DAYS)
    throw refused('expires_in_days', `Input should be less than or equal to ${MAX_DAYS}`, 'less_than_equal')
  return days
}

function refused(field: string, msg: string, type: string) {
  return validationProblem([{ loc: ['body', field], msg, type }])
}
