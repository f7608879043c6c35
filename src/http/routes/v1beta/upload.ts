import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GeminiError } from '../../../contract/gemini/generate-content.ts'
import { type GeminiFile, GeminiUpload, GeminiUploadRequest } from '../../../contract/gemini/files.ts'
import { problem } from '../../../contract/problems.ts'
import { fieldsOf } from '../../../translation/formats/gemini/names.ts'
import { parseBody } from '../../../translation/json/parse-body.ts'
import { textOf } from '../../../base/schema/record.ts'
import Type from '../../../base/schema/type.ts'
import { validator } from '../../../base/schema/validator.ts'
import { DAY_MS } from '../../../base/units/units.ts'
import { ByteQueue } from '../../../base/bytes/byte-queue.ts'
import {
  discardBytes,
  fileUpload,
  getUpload,
  receiveBytes,
  type StoredBytes,
  toGeminiFile,
} from '../../../calls/files/files.ts'
import { mayComeFrom } from '../../../tenants/access/allowed-ips.ts'
import * as uploads from '../../../calls/files/part-uploads.ts'
import { linkToUpload, openUploadLink } from '../../../calls/files/result-links.ts'
import { admit } from '../../admission.ts'
import { OTHER_ADDRESS, refusalOf, UNAUTHENTICATED } from '../../auth.ts'
import { callerWith, permissionOf } from '../../lasting-permission.ts'
import { ownUrl } from '../../edge/own-url.ts'
import { readMultipart } from '../../forms/multipart.ts'
import { discardForm, formBytes } from '../../forms/upload-form.ts'
import { validationProblem } from '../../problems.ts'
import { route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'

// Google's upload protocols. A resumable one begins with a request that names the size, and goes on at the address of its answer:
// an upload in parts, each of which begins where the one before ended. The others send everything at once.

/** As long as Google keeps a file: its clients rely on that, and delete nothing. */
const LIFETIME_MS = 2 * DAY_MS
const MAX_METADATA_BYTES = 64 * 1024
const MAX_NAME_CHARS = 512
const STATUS = 'x-goog-upload-status'
const RECEIVED = 'x-goog-upload-size-received'
const metadataOf = validator(GeminiUploadRequest)

type Uploading = FastifyRequest<{ Body: Readable | undefined }>
type Exchange = { request: Uploading; reply: FastifyReply; services: HttpServices }
type Answer = { file?: GeminiFile }

/** What a key needs for an upload. */
const NEEDS = { scope: 'files', stores: true } as const

export const upload = route({
  method: 'POST',
  path: '/v3/upload/v1beta/files',
  access: 'key',
  ...NEEDS,
  errors: GeminiError,
  streamsJson: true,
  takesAnyType: true,
  summary: 'Upload a file (Google)',
  description:
    'The same files as those of `/v3/upload`, kept for two days. `X-Goog-Upload-Protocol` is `resumable`, `multipart` or `raw`. ' +
    'A resumable upload begins with `X-Goog-Upload-Command: start` and `X-Goog-Upload-Header-Content-Length`, and goes on at the ' +
    'address in `X-Goog-Upload-URL`.',
  body: GeminiUploadRequest,
  replies: {
    200: { description: 'The file, or an empty object while it is not complete.', schema: GeminiUpload },
    400: { description: 'The protocol was not followed.', schema: GeminiError },
    409: { description: 'There are too many uploads in parts.', schema: GeminiError },
    413: { description: 'The file is too large, or the quota is used up.', schema: GeminiError },
  },
  handle: async (request, reply, services) => {
    try {
      return await answer({ request, reply, services })
    } catch (error) {
      throw discardForm(request, error)
    }
  },
})

export const goOn = route({
  method: 'POST',
  path: '/uploads/{upload}',
  // The signature in the address is the permission, because clients of Google send no key. It is outside of /v3, where all need one.
  access: 'open',
  errors: GeminiError,
  streamsJson: true,
  takesAnyType: true,
  summary: 'Send the bytes of an upload (Google)',
  description:
    'The address comes with the upload and works for an hour. `X-Goog-Upload-Command` is `upload` with `X-Goog-Upload-Offset`, ' +
    '`upload, finalize`, `finalize`, `query` or `cancel`.',
  // What is missing or repeated is an address that is not valid.
  rawQuery: true,
  query: Type.Object({
    expires: Type.String({ description: 'Part of the address.' }),
    signature: Type.String({ description: 'Part of the address.' }),
  }),
  replies: {
    200: { description: 'The file, or an empty object while it is not complete.', schema: GeminiUpload },
    400: { description: 'The protocol was not followed.', schema: GeminiError },
    401: {
      description: 'The key or the token that asked for the address was revoked, or has expired.',
      schema: GeminiError,
    },
    403: { description: 'Its bearer may not upload any more, or not from here.', schema: GeminiError },
    404: { description: 'There is no such upload, or it has expired.', schema: GeminiError },
    413: { description: 'The file is too large, or the quota is used up.', schema: GeminiError },
  },
  handle: async (request, reply, services) => {
    try {
      const { expires, signature } = request.query
      const { links } = services.calls
      const found = uploads.withPlan(
        await openUploadLink(request.params.upload, String(expires), String(signature), links),
      )
      const refusal = (await refusalToday(found, request, services)) ?? admit(request, reply, found.owner, services)
      if (refusal) throw refusal
      return await proceed(found, { request, reply, services })
    } catch (error) {
      throw discardForm(request, error)
    }
  },
})

/** The address carries the permission of a key or a token, so it ends with that, and with what its bearer may do. */
async function refusalToday({ plan: { permission } }: uploads.OpenUpload, request: Uploading, services: HttpServices) {
  const caller = permission === undefined ? undefined : await callerWith(permission, services)
  if (!caller) return UNAUTHENTICATED
  return mayComeFrom(caller, request) ? refusalOf(caller, NEEDS, services.calls) : OTHER_ADDRESS
}

function answer(exchange: Exchange): Promise<Answer> {
  const { request } = exchange
  const protocol = headerOf(request, 'x-goog-upload-protocol')
  if (protocol === 'resumable' && headerOf(request, 'x-goog-upload-command') === 'start') return start(exchange)
  if (protocol === 'multipart' || /^multipart\//i.test(request.headers['content-type'] ?? ''))
    return receiveMultipart(exchange)
  if (protocol === 'raw') return receiveRaw(exchange)
  throw refused(
    'Send `X-Goog-Upload-Protocol: resumable` with `X-Goog-Upload-Command: start`, or the protocol `multipart` or `raw`.',
  )
}

async function start({ request, reply, services }: Exchange): Promise<Answer> {
  const bytes = numberIn(request, 'x-goog-upload-header-content-length')
  const name = nameOf(request.body instanceof Readable ? await textIn(formBytes(request)) : '', request)
  const type = headerOf(request, 'x-goog-upload-header-content-type').slice(0, 255) || 'application/octet-stream'
  const { files, links, now } = services.calls
  const permission = await permissionOf(request, services)
  const { expiresAt } = request.caller
  const atMostMs = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - now()
  const wanted = { name, purpose: 'user_data', bytes, type, lifetimeMs: LIFETIME_MS, atMostMs, permission }
  const opened = await uploads.openUpload(wanted, request.caller, files)
  const address = linkToUpload(opened, ownUrl(request, services), links)
  reply.headers({ [STATUS]: 'active', 'x-goog-upload-url': address })
  return {}
}

async function proceed(found: uploads.OpenUpload, exchange: Exchange): Promise<Answer> {
  const { request, reply, services } = exchange
  const { files } = services.calls
  const commands = headerOf(request, 'x-goog-upload-command').split(/[\s,]+/)
  const { file } = found.plan
  if (file !== undefined) return ended(await getUpload(file, found.owner, files), exchange)
  if (commands.includes('cancel')) {
    await uploads.cancel(found, files)
    reply.header(STATUS, 'cancelled')
    return {}
  }
  if (!commands.some((command) => ['upload', 'finalize', 'query'].includes(command)))
    throw refused('Send `X-Goog-Upload-Command: upload`, `upload, finalize`, `finalize`, `query` or `cancel`.')
  if (commands.includes('upload')) await receivePart(request, found, services)
  const { ids, bytes } = await uploads.arrivedParts(found, files)
  if (commands.includes('finalize'))
    return ended(await uploads.complete(found, { parts: ids, md5: undefined }, files), exchange)
  reply.headers({ [STATUS]: 'active', [RECEIVED]: String(bytes) })
  return {}
}

/** Bytes that begin elsewhere are refused before they are read. A last request may have none. */
async function receivePart(request: Uploading, found: uploads.OpenUpload, { calls: { files } }: HttpServices) {
  const offset = numberIn(request, 'x-goog-upload-offset')
  const { bytes } = await uploads.arrivedParts(found, files)
  if (offset !== bytes) throw uploads.notAt(bytes)
  if (!(request.body instanceof Readable)) return
  const stored = await receiveBytes(formBytes(request), found.owner, files)
  if (stored.size === 0) await discardBytes(stored, files)
  else await uploads.addPart(stored, found, files, offset)
}

async function receiveRaw(exchange: Exchange): Promise<Answer> {
  const { request, services } = exchange
  const name = nameOf('', request)
  const stored = await receiveBytes(formBytes(request), request.caller.owner, services.calls.files)
  return await filed(stored, name, exchange)
}

/** First what is known of the file, then the file. */
async function receiveMultipart(exchange: Exchange): Promise<Answer> {
  const { request, services } = exchange
  const { files } = services.calls
  const contentType = String(request.headers['content-type'])
  let metadata: string | undefined
  let stored: StoredBytes | undefined
  let name: string
  try {
    for await (const { bytes } of readMultipart(contentType, formBytes(request), { maxParts: 2 }, 'ordered'))
      if (metadata === undefined) metadata = await textIn(bytes)
      else stored = await receiveBytes(bytes, request.caller.owner, files)
    if (metadata === undefined || !stored) throw refused('Send two parts: JSON about the file, and the file.')
    name = nameOf(metadata, request)
  } catch (error) {
    if (stored) await discardBytes(stored, files)
    throw error
  }
  return await filed(stored, name, exchange)
}

async function filed(stored: StoredBytes, name: string, exchange: Exchange): Promise<Answer> {
  const { caller } = exchange.request
  const { files } = exchange.services.calls
  const settings = { name, purpose: 'user_data', lifetimeMs: LIFETIME_MS, endUser: null }
  const { file_id } = await fileUpload(stored, settings, caller, files)
  return ended(await getUpload(file_id, caller.owner, files), exchange)
}

function ended(file: Parameters<typeof toGeminiFile>[0], { request, reply, services }: Exchange): Answer {
  reply.headers({ [STATUS]: 'final', [RECEIVED]: String(file.size) })
  return { file: toGeminiFile(file, ownUrl(request, services)) }
}

/** A name that the caller chooses would be used later, so it is refused and not dropped. */
function nameOf(metadata: string, { headers }: Uploading): string {
  const value = metadata === '' ? {} : parseBody(Buffer.from(metadata)).value
  if (!metadataOf.check(value)) throw validationProblem(metadataOf.issues(value, ['body']))
  const { name, displayName } = fieldsOf(value.file)
  if (textOf(name))
    throw refused('The gateway names files itself. Leave out `file.name`, and use the name in the answer.', 'file.name')
  const said = textOf(displayName) || textOf(headers['x-goog-upload-file-name'])
  return said.slice(0, MAX_NAME_CHARS) || 'file'
}

async function textIn(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const buffered = new ByteQueue()
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > MAX_METADATA_BYTES)
      throw problem('too_large', { message: `What is known of a file may have ${MAX_METADATA_BYTES} bytes.` })
    buffered.push(chunk)
  }
  return buffered.takeAll().toString('utf8')
}

function headerOf({ headers }: Uploading, name: string): string {
  return textOf(headers[name]).trim().toLowerCase()
}

function numberIn(request: Uploading, name: string): number {
  const written = headerOf(request, name)
  if (!/^\d{1,15}$/.test(written)) throw refused(`The header ${name} has to be a number of bytes.`)
  return Number(written)
}

function refused(message: string, param?: string) {
  return problem('bad_request', { message, ...(param && { param }) })
}
