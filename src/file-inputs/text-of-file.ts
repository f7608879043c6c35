import { isUtf8 } from 'node:buffer'
import { HEAD_BYTES } from '../blobs/blob-store.ts'
import { sniffType } from '../blobs/sniff/sniff-type.ts'
import { problem } from '../contract/problems.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import { OFFICE, PDF, IMAGE_TYPES, readDocument, textOf } from '../tasks/vendors/local/read-document.ts'
import type { AppContext } from '../app/context.ts'

// What a file of a chat says, read by the engines of the house: its own text, or what can be made out in its pictures.

const MAX_BYTES = 50 * 1024 * 1024
/** More than any model reads at once. */
const MAX_CHARACTERS = 4_000_000
/** Each takes seconds, and somebody is waiting for the answer. */
const MAX_SCANS = 20

type Reader = { signal: AbortSignal; owner: string; context: Pick<AppContext, 'engine'> }

/** Of a PDF file or a document of an office program; undefined for anything else. */
export async function textOfDocument(bytes: Uint8Array, reader: Reader): Promise<string | undefined> {
  const type = sniffType(bytes.subarray(0, HEAD_BYTES))
  return type === PDF || OFFICE.includes(type) ? await readText(bytes, type, reader) : undefined
}

/** Of those, of a picture, and of what is text already. */
export async function textOfFile(bytes: Uint8Array, reader: Reader): Promise<string | undefined> {
  const type = sniffType(bytes.subarray(0, HEAD_BYTES))
  if (IMAGE_TYPES.includes(type)) return await readText(bytes, type, reader)
  const isPlain = isUtf8(bytes) && !bytes.includes(0) && type !== PDF
  return isPlain ? bounded(new TextDecoder().decode(bytes)) : await textOfDocument(bytes, reader)
}

async function readText(bytes: Uint8Array, type: string, { signal, owner, context }: Reader): Promise<string> {
  if (bytes.length > MAX_BYTES) throw unread(`Files of up to ${MAX_BYTES / 1024 / 1024} MB are read here`)
  const reading = readDocument(bytes, type, {
    run: (name, input) => context.engine(name, input, signal, owner),
    maxScans: MAX_SCANS,
  })
  const text = textOf(await reading.catch(tellOfEngine))
  if (text.trim() === '') throw unread('This file holds no text, and none can be made out in its pictures')
  return bounded(text)
}

function bounded(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  throw unread(`This file holds more than ${MAX_CHARACTERS / 1_000_000} million characters`)
}

/** An engine that is busy may be asked again; any other failure is about what it was given. */
export function tellOfEngine(error: unknown): never {
  if (!(error instanceof UpstreamProblem)) throw error
  const { kind, message, retryAfterSeconds } = error
  if (kind !== 'rate_limited') throw unread(message)
  throw problem('overloaded', { ...(retryAfterSeconds && { retryAfterSeconds }) })
}

function unread(message: string) {
  return problem('validation_error', { message })
}
