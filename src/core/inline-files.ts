import type { ChatRequest } from '../contract/chat.ts'
import type { ChatCall } from '../dialects/dialect.ts'
import type { TaskFile } from '../features/feature.ts'
import type { Call } from './call.ts'
import { isBlobId } from '../blobs/blob-store.ts'
import type { Outside } from './outside.ts'
import { type NamedFile, openReferences } from './file-references.ts'

// A file part may name an upload of ours or an address. Providers know neither: they get the file itself.

type Message = ChatRequest['messages'][number]
type Content = NonNullable<Message['content']>
type Part = Exclude<Content, string>[number]
type FilePart = Extract<Part, { type: 'file' }>
type NamingPart = FilePart & { file: { file_id: string; filename?: string } }

export function namesFiles({ request }: ChatCall): boolean {
  return request.messages.some(({ content }) => Array.isArray(content) && content.some(namesFile))
}

export async function inlineFiles({ request }: ChatCall, call: Call, outside: Outside): Promise<ChatCall> {
  const named = request.messages.flatMap((message, index) => filesIn(message, ['body', 'messages', index]))
  const asking = { owner: call.caller.owner, signal: call.signal }
  const files = (await openReferences(named, asking, outside)).values()
  const messages: Message[] = []
  for (const message of request.messages) messages.push(await inlineMessage(message, files))
  return { request: { ...request, messages } }
}

function filesIn({ content }: Message, loc: (string | number)[]): NamedFile[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part, at) =>
    namesFile(part) ? [{ reference: part.file.file_id, loc: [...loc, 'content', at, 'file', 'file_id'] }] : [],
  )
}

/** Takes the files in the order in which the parts name them. */
async function inlineMessage(message: Message, files: Iterator<TaskFile>): Promise<Message> {
  const { content } = message
  if (!Array.isArray(content) || !content.some(namesFile)) return message
  const parts: Part[] = []
  for (const part of content) parts.push(namesFile(part) ? await inlinePart(part, files.next().value) : part)
  return { ...message, content: parts }
}

/** A UUID of ours or an address; any other id is the provider's own and stays as it is. */
function namesFile(part: Part): part is NamingPart {
  const id = part.type === 'file' && 'file_id' in part.file ? part.file.file_id : undefined
  return typeof id === 'string' && (isBlobId(id) || /^https?:\/\//i.test(id))
}

async function inlinePart(part: NamingPart, { name, type, bytes }: TaskFile): Promise<Part> {
  const { file_id: _, ...rest } = part.file
  const url = `data:${type};base64,${Buffer.from(await bytes()).toString('base64')}`
  const { cache_control } = part
  const marker = cache_control ? { cache_control } : {}
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url }, ...marker }
  return { type: 'file', file: { filename: name, ...rest, file_data: url }, ...marker }
}
