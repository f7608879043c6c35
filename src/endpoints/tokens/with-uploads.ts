import { asBuffer } from '../../base/bytes/as-buffer.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../base/schema/record.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'
import { MB } from '../../base/units/units.ts'
import type { Call } from '../../calls/call.ts'
import { fileAccessOf, openReferences } from '../../calls/file-inputs/file-references.ts'
import { TempFiles } from '../../calls/files/temp-files.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { CountTokensRequest } from '../../contract/tokens.ts'

// Only the gateway knows the files that were uploaded to it, so a counter gets the bytes of those that a request names.

/** Of all files of a request. Larger ones are estimated, as files at an address are. */
const MAX_BYTES = 8 * MB
const AT_AN_ADDRESS = { type: 'url', url: '' }

type Messages = CountTokensRequest['messages']
type Source = { source: Fields; loc: (string | number)[] }

/** The messages with the bytes of the uploads that they name. Undefined if they name none. `isWhole`: all bytes are in them. */
export async function withUploads(
  messages: Messages,
  call: Call,
  services: CallServices,
): Promise<{ messages: Messages; isWhole: boolean } | undefined> {
  const sources = messages.flatMap(({ content }, index) => sourcesIn(content, ['body', 'messages', index, 'content']))
  if (sources.length === 0) return undefined
  const named = sources.map(({ source, loc }) => ({ reference: textOf(source.file_id), loc }))
  // They hold what is fetched from addresses, and uploads are not.
  const tempFiles = new TempFiles(services.config.dataDir, call.caller.owner)
  const files = await openReferences(named, fileAccessOf(call, tempFiles), services)
  const isWhole = files.reduce((sum, { size }) => sum + size, 0) <= MAX_BYTES
  const read = new Map<unknown, Fields>()
  for (const [index, { source }] of sources.entries()) {
    const { type: media_type, bytes } = files[index]!
    const data = isWhole ? asBuffer(await bytes()).toString('base64') : ''
    read.set(source, isWhole ? { type: 'base64', media_type, data } : AT_AN_ADDRESS)
  }
  return { messages: messages.map((message) => ({ ...message, content: replaced(message.content, read) })), isWhole }
}

/** In blocks, and in the blocks of what tools have answered. */
function sourcesIn(content: unknown, loc: Source['loc']): Source[] {
  return listIn(content).flatMap(({ source, content: inner }, index) => {
    const own = isRecord(source) && source.type === 'file' && isResourceId(textOf(source.file_id))
    const found = own ? [{ source, loc: [...loc, index, 'source', 'file_id'] }] : []
    return [...found, ...sourcesIn(inner, [...loc, index, 'content'])]
  })
}

function listIn(content: unknown): Fields[] {
  return Array.isArray(content) ? recordsIn(content) : []
}

function replaced<Content>(content: Content, read: ReadonlyMap<unknown, Fields>): Content {
  if (!Array.isArray(content)) return content
  return content.map((block: unknown) => {
    if (!isRecord(block)) return block
    const source = read.get(block.source)
    return {
      ...block,
      ...(source && { source }),
      ...(block.content != null && { content: replaced(block.content, read) }),
    }
  }) as Content
}
