import { Readable } from 'node:stream'
import type { WireRequest } from '../wire/wire.ts'
import { tryParse } from '../json/try-parse.ts'
import { isRecord, type Fields } from '../../base/schema/record.ts'
import { invalidRequest, UpstreamError } from './upstream-error.ts'

export type ImageRequest = { prompt: string; count: number; width: number; height: number }

const MODEL = 'image'
const DEFAULT_SIDE = 1024
const MAX_PIXELS = 4096 * 4096
const MAX_SIDE = 8192
const MAX_IMAGES = 10

export async function readImageRequest(request: WireRequest): Promise<ImageRequest> {
  const fields = isForm(request) ? await formFields(request) : jsonFields(request)
  const { model, prompt, n = 1, size = 'auto' } = fields
  if (model !== MODEL) throw noSuchModel(String(model))
  if (typeof prompt !== 'string' || prompt === '') throw invalidRequest('There is no prompt.', 'prompt')
  return { prompt, count: readCount(n), ...readSize(size) }
}

function isForm({ headers }: WireRequest): boolean {
  return headers['content-type']?.startsWith('multipart/form-data') ?? false
}

function jsonFields({ body }: WireRequest): Fields {
  const value = tryParse(typeof body === 'string' ? body : new TextDecoder().decode(body ?? undefined))
  if (isRecord(value)) return value
  throw invalidRequest('The body of the request is not a JSON object.', null)
}

async function formFields({ body, source, headers }: WireRequest): Promise<Fields> {
  const content = source ? Readable.from(source.read(), { objectMode: false }) : (body as Uint8Array<ArrayBuffer>)
  const response = new Response(content, { headers })
  const form = await response.formData().catch(() => undefined)
  if (!form) throw invalidRequest('The body of the request is not a form.', null)
  const files = [...form.keys()].filter((name) => name === 'image' || name === 'image[]')
  if (files.length === 0) throw invalidRequest('There is no image to edit.', 'image')
  return Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))
}

function readCount(n: unknown): number {
  const count = Number(n)
  if (Number.isInteger(count) && count >= 1 && count <= MAX_IMAGES) return count
  throw invalidRequest(`n has to be a whole number from 1 to ${MAX_IMAGES}.`, 'n')
}

function readSize(size: unknown): { width: number; height: number } {
  if (size === 'auto' || size === null) return { width: DEFAULT_SIDE, height: DEFAULT_SIDE }
  const [, width = 0, height = 0] = (/^(\d{1,5})x(\d{1,5})$/.exec(String(size)) ?? []).map(Number)
  const isPossible = Math.min(width, height) >= 1 && Math.max(width, height) <= MAX_SIDE
  if (isPossible && width * height <= MAX_PIXELS) return { width, height }
  throw invalidRequest('The size has to be auto or WIDTHxHEIGHT, up to 4096x4096.', 'size')
}

function noSuchModel(model: string): UpstreamError {
  const message = `The sandbox has no image model '${model}'.`
  return new UpstreamError(404, { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' })
}
