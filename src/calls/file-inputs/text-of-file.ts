import { isUtf8 } from 'node:buffer'
import { HEAD_BYTES } from '../../base/sniff/head-bytes.ts'
import { sniffType } from '../../base/sniff/sniff-type.ts'
import { problem } from '../../contract/problems.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { OFFICE, PDF, IMAGE_TYPES, readDocument, textOf } from '../../translation/tasks/vendors/local/read-document.ts'
import type { CallServices } from '../services/call-services.ts'
import { MB } from '../../base/units/units.ts'

// The text of a file in a chat, read by the gateway's own engines: its text, or the text recognized in its images.

const MAX_BYTES = 50 * MB
/** More than any model reads at once. */
const MAX_CHARACTERS = 4_000_000
/** Text recognition takes seconds per page, and the caller is waiting for the answer. */
const MAX_SCANS = 20

type Reader = { signal: AbortSignal; owner: string; services: Pick<CallServices, 'engine'> }

/** The text of a PDF file or an office document; undefined for any other file. */
export async function textOfDocument(bytes: Uint8Array, reader: Reader): Promise<string | undefined> {
  const type = sniffType(bytes.subarray(0, HEAD_BYTES))
  return type === PDF || OFFICE.includes(type) ? await readText(bytes, type, reader) : undefined
}

/** Like textOfDocument, and also for images and text files. */
export async function textOfFile(bytes: Uint8Array, reader: Reader): Promise<string | undefined> {
  const type = sniffType(bytes.subarray(0, HEAD_BYTES))
  if (IMAGE_TYPES.includes(type)) return await readText(bytes, type, reader)
  const isPlain = isUtf8(bytes) && !bytes.includes(0) && type !== PDF
  return isPlain ? bounded(new TextDecoder().decode(bytes)) : await textOfDocument(bytes, reader)
}

async function readText(bytes: Uint8Array, type: string, { signal, owner, services }: Reader): Promise<string> {
  if (bytes.length > MAX_BYTES)
    throw unread(`The gateway reads the text of files of up to ${MAX_BYTES / 1024 / 1024} MB`)
  const reading = readDocument(bytes, type, {
    run: (name, input) => services.engine(name, input, signal, owner),
    maxScans: MAX_SCANS,
  })
  const text = textOf(await reading.catch(rethrowEngineFailure))
  if (text.trim() === '') throw unread('This file contains no text, and no text was recognized in its images')
  return bounded(text)
}

function bounded(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  throw unread(`This file contains more than ${MAX_CHARACTERS / 1_000_000} million characters`)
}

/** The caller may try again if an engine is busy. Any other failure is about the file. */
export function rethrowEngineFailure(error: unknown): never {
  if (!(error instanceof UpstreamProblem)) throw error
  const { kind, message, retryAfterSeconds } = error
  if (kind !== 'rate_limited') throw unread(message)
  throw problem('overloaded', { ...(retryAfterSeconds && { retryAfterSeconds }) })
}

function unread(message: string) {
  return problem('validation_error', { message })
}
