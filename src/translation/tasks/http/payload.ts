import { createHash } from 'node:crypto'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { foldName } from '../../../base/schema/fold-name.ts'
import { problem } from '../../../contract/problems.ts'
import type { TaskFile } from '../feature.ts'
import { nameWithExtension } from './file-kinds.ts'
import { writeJson, writeMember } from '../../json/written-numbers.ts'

/** An encoded request body. */
export type Payload = { type: string; body: string | Uint8Array }

export type Fields = Record<string, unknown>

/** Callers use null for an absent value; providers take it for a value, and some refuse it. */
export function jsonPayload(fields: Fields): Payload {
  return { type: 'application/json', body: writeJson(Object.fromEntries(presentIn(fields)), fields) }
}

/** `?a=1&b=2`, without absent values. */
export function queryOf(fields: Fields): string {
  return `?${new URLSearchParams(presentIn(fields).map(([name, value]): [string, string] => [name, plainText(fields, name, value)]))}`
}

/** A form with files. The body is built here because the platform's own FormData has a random boundary. */
export async function formPayload(
  fields: Fields,
  files: readonly { field: string; file: TaskFile }[],
): Promise<Payload> {
  const texts = presentIn(fields).flatMap(([name, value]) => textParts(name, value, fields, name))
  const parts = [...texts, ...(await Promise.all(files.map(filePart)))]
  const boundary = boundaryFor(parts)
  const lines = parts.flatMap(({ head, body }) => [Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), body, CRLF])
  const body = Buffer.concat([...lines, Buffer.from(`--${boundary}--\r\n`)])
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}

/**
 * `provider_params` are sent beside the fields of an adapter. A provider that ignores case, or accepts `audio_config` for
 * `audioConfig`, could confuse the two.
 */
function refuseLookalikes(names: readonly string[]): void {
  const seen = new Map<string, string>()
  for (const name of names) {
    const plain = foldName(name).replace(/[_-]/g, '')
    const other = seen.get(plain)
    if (other !== undefined) throw alike(other, name)
    seen.set(plain, name)
  }
}

function alike(one: string, other: string) {
  const msg = `'${one}' and '${other}' could be read as the same setting: leave one of them out`
  const detail = [valueError(['body', 'provider_params'], msg)]
  return problem('validation_error', { message: `provider_params: ${msg}`, param: 'provider_params', detail })
}

type Part = { head: string; body: Uint8Array }

const CRLF = Buffer.from('\r\n')

function presentIn(fields: Fields): [string, unknown][] {
  refuseLookalikes(Object.keys(fields))
  return Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
}

/** `key` is the place of the value in what holds it. */
function textParts(name: string, value: unknown, holder: object, key: string): Part[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => textParts(`${name}[]`, one, value, String(at)))
  const text = typeof value === 'object' ? writeJson(value) : plainText(holder, key, value)
  return [{ head: `Content-Disposition: form-data; name="${quoted(name)}"`, body: Buffer.from(text) }]
}

function plainText(holder: object, key: string, value: unknown): string {
  return typeof value === 'number' ? writeMember(holder, key) : String(value)
}

async function filePart({ field, file }: { field: string; file: TaskFile }): Promise<Part> {
  const names = `name="${quoted(field)}"; filename="${quoted(nameWithExtension(file))}"`
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : 'application/octet-stream'
  return { head: `Content-Disposition: form-data; ${names}\r\nContent-Type: ${type}`, body: await file.bytes() }
}

/** Escaped as in browsers, so that a name cannot end its quotes or its line. */
function quoted(name: string): string {
  return name.replace(/["\r\n]/g, (character) => encodeURIComponent(character))
}

/** The boundary is a hash of the content, so no content can contain it. */
function boundaryFor(parts: readonly Part[]): string {
  const hash = createHash('sha256')
  for (const { head, body } of parts) hash.update(head).update(body)
  return `gatehouse-${hash.digest('hex').slice(0, 40)}`
}
