import type { ChatRequest } from '../contract/chat.ts'
import type { ChatCall } from '../dialects/dialect.ts'
import type { Call } from './call.ts'
import { isUuid } from './files.ts'
import type { Outside } from './outside.ts'
import { openReference } from './file-references.ts'

// A file part may name an upload of ours or an address. Providers know neither: they get the file itself.

type Content = NonNullable<ChatRequest['messages'][number]['content']>
type Part = Exclude<Content, string>[number]
type FilePart = Extract<Part, { type: 'file' }>

export function namesFiles({ request }: ChatCall): boolean {
  return request.messages.some(({ content }) => Array.isArray(content) && content.some(namesFile))
}

export async function inlineFiles({ request }: ChatCall, call: Call, outside: Outside): Promise<ChatCall> {
  const messages = request.messages.map((message, index) => inlineMessage(message, index, call, outside))
  return { request: { ...request, messages: await Promise.all(messages) } }
}

async function inlineMessage(message: ChatRequest['messages'][number], index: number, call: Call, outside: Outside) {
  const { content } = message
  if (!Array.isArray(content) || !content.some(namesFile)) return message
  const parts = content.map((part, at) =>
    namesFile(part)
      ? inlinePart(part, ['body', 'messages', index, 'content', at, 'file', 'file_id'], call, outside)
      : part,
  )
  return { ...message, content: await Promise.all(parts) }
}

/** A UUID of ours or an address; any other id is the provider's own and stays as it is. */
function namesFile(part: Part): part is FilePart {
  const id = part.type === 'file' && 'file_id' in part.file ? part.file.file_id : undefined
  return typeof id === 'string' && (isUuid(id) || /^https?:\/\//i.test(id))
}

async function inlinePart(part: FilePart, loc: (string | number)[], call: Call, outside: Outside): Promise<Part> {
  const { file_id, ...rest } = part.file as { file_id: string; filename?: string }
  const { name, type, bytes } = await openReference(
    { reference: file_id, loc, owner: call.caller.owner, signal: call.signal },
    outside,
  )
  const url = `data:${type};base64,${Buffer.from(await bytes()).toString('base64')}`
  const { cache_control } = part
  const marker = cache_control ? { cache_control } : {}
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url }, ...marker }
  return { type: 'file', file: { filename: name, ...rest, file_data: url }, ...marker }
}
