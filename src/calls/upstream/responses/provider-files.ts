import { cannotTake } from '../../../translation/dialects/cannot-take.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { isResourceId } from '../../../base/schema/resource-id.ts'
import type { NativeAsk } from '../../../translation/wire/native-ask.ts'

// Files that were uploaded to a provider, and objects in buckets that its account can read, are the operator's: another caller may
// have put them there. A caller names files of this gateway, public addresses, or sends the bytes.

/** Where the formats have content. */
const ROOTS = ['messages', 'system', 'input', 'contents', 'systemInstruction', 'system_instruction']
/** What functions of the caller are given and give: names in there have other meanings. */
const OF_FUNCTIONS: ReadonlySet<string> = new Set(['arguments', 'args', 'response', 'input_schema', 'parameters'])
/** What the provider itself did, which a caller sends back with the container that it belongs to. */
const OF_PROVIDER = 'provider_content'
/** Parts that name a file in `file_id`. Answers name files too, in parts of other types, and are sent back. */
const FILE_PARTS: ReadonlySet<unknown> = new Set(['file', 'input_file', 'input_image', 'container_upload'])
/** Addresses of buckets, and of files that were uploaded to Google. */
const OF_ACCOUNT = /^(?:gs|s3):|^(?:https?:\/\/[^/?#]*googleapis\.com\/.*)?\/?files\/[\w-]+$/i
const ADDRESS = /^(?:https?:\/\/|data:)/i

type Asked = { request: { messages: unknown }; native?: Pick<NativeAsk, 'body' | 'isStale'> | undefined }

/** Throws if a part of the content names a file in the operator's account. `allowFields: ["file_id"]` of a provider allows it. */
export function refuseProviderFiles({ request, native }: Asked, allowed: readonly string[] = []): void {
  if (allowed.includes('file_id')) return
  // The content of a stale body is not sent.
  if (native && !native.isStale) for (const root of ROOTS) refuse(pathOfFile(native.body[root]), root)
  refuse(pathOfFile(request.messages), 'messages')
}

type Path = readonly (string | number)[]

function refuse(path: Path | undefined, root: string): void {
  if (path) throw cannotTake([root, ...path], SENTENCE)
}

/** Where a file is named. The place is built on the way back, because nearly always there is none. */
function pathOfFile(value: unknown): Path | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return pathInPart(value as Fields)
  for (let index = 0; index < value.length; index++) {
    const path = pathOfFile(value[index])
    if (path) return [index, ...path]
  }
  return undefined
}

function pathInPart(part: Fields): Path | undefined {
  const named = fileIn(part)
  if (named) return named
  for (const name in part) {
    const inner = part[name]
    const path = typeof inner === 'object' && inner !== null && !isOfOthers(name, part) ? pathOfFile(inner) : undefined
    if (path) return [name, ...path]
  }
  return undefined
}

function isOfOthers(name: string, { type }: Fields): boolean {
  return OF_FUNCTIONS.has(name) || name === OF_PROVIDER || (name === 'input' && typeof type === 'string')
}

/** The member that names a file of a provider. */
function fileIn(part: Fields): string[] | undefined {
  if (FILE_PARTS.has(part.type)) {
    if (isOfProvider(part.file_id)) return ['file_id']
    if (isRecord(part.file) && isOfProvider(part.file.file_id)) return ['file', 'file_id']
  }
  for (const name of ADDRESSES) {
    const address = part[name]
    if (typeof address === 'string' && OF_ACCOUNT.test(address)) return [name]
  }
  for (const name of BUCKETS) if (part[name] != null) return [name]
  return undefined
}

const ADDRESSES = ['fileUri', 'file_uri', 'uri', 'url', 'file_url', 'image_url']
const BUCKETS = ['s3Location', 's3_location']

function isOfProvider(id: unknown): boolean {
  if (typeof id !== 'string' || id === '') return false
  return OF_ACCOUNT.test(id) || !(isResourceId(id) || ADDRESS.test(id))
}

const SENTENCE =
  "This names a file in the operator's account at a provider, which all callers share. Upload it to POST /v3/files and send that id, or send the file itself"
