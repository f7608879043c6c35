import type { ChatRequest } from '../contract/chat.ts'
import type { ChatCall } from '../dialects/dialect.ts'
import type { TaskFile } from '../features/feature.ts'
import type { Call } from './call.ts'
import { isBlobId } from '../blobs/blob-store.ts'
import type { Outside } from './outside.ts'
import { type NamedFile, openReferences } from './file-references.ts'

// A file part may name an upload of ours or an address. Providers know neither: they get the file itself. So it is with the
// addresses of images, where a wire takes only bytes.

type Message = ChatRequest['messages'][number]
type Content = NonNullable<Message['content']>
type Part = Exclude<Content, string>[number]

/** Which images are fetched too: those of all parts, or none. */
export type Wanted = 'files' | 'files and images'

export function namesFiles({ request }: ChatCall, wanted: Wanted): boolean {
  return request.messages.some(({ content }) => Array.isArray(content) && content.some((part) => named(part, wanted)))
}

export async function inlineFiles(
  { request }: ChatCall,
  wanted: Wanted,
  call: Call,
  outside: Outside,
): Promise<ChatCall> {
  const all = request.messages.flatMap((message, index) => filesIn(message, wanted, ['body', 'messages', index]))
  const asking = { owner: call.caller.owner, signal: call.signal }
  const files = (await openReferences(all, asking, outside)).values()
  const messages: Message[] = []
  for (const message of request.messages) messages.push(await inlineMessage(message, wanted, files))
  return { request: { ...request, messages } }
}

function filesIn({ content }: Message, wanted: Wanted, loc: (string | number)[]): NamedFile[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part, at) => {
    const reference = named(part, wanted)
    const place = part.type === 'file' ? ['file', 'file_id'] : ['image_url', 'url']
    return reference === undefined ? [] : [{ reference, loc: [...loc, 'content', at, ...place] }]
  })
}

/** Takes the files in the order in which the parts name them. */
async function inlineMessage(message: Message, wanted: Wanted, files: Iterator<TaskFile>): Promise<Message> {
  const { content } = message
  if (!Array.isArray(content) || !content.some((part) => named(part, wanted))) return message
  const parts: Part[] = []
  for (const part of content) parts.push(named(part, wanted) ? await inlinePart(part, files.next().value) : part)
  return { ...message, content: parts }
}

/** What a part names: a UUID of ours or an address; any other id is the provider's own and stays as it is. */
function named(part: Part, wanted: Wanted): string | undefined {
  if (part.type === 'file') {
    const id = part.file.file_id
    return typeof id === 'string' && (isBlobId(id) || isAddress(id)) ? id : undefined
  }
  if (part.type !== 'image_url' || wanted === 'files') return undefined
  const url = typeof part.image_url === 'string' ? part.image_url : part.image_url.url
  return isAddress(url) ? url : undefined
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

async function inlinePart(part: Part, { name, type, bytes }: TaskFile): Promise<Part> {
  const url = `data:${type};base64,${Buffer.from(await bytes()).toString('base64')}`
  const marker = part.cache_control ? { cache_control: part.cache_control } : {}
  if (part.type === 'file' && !type.startsWith('image/')) {
    const { file_id: _, ...rest } = part.file
    return { type: 'file', file: { filename: name, ...rest, file_data: url }, ...marker }
  }
  const known = part.type === 'image_url' && typeof part.image_url === 'object' ? part.image_url : {}
  return { type: 'image_url', image_url: { ...known, url }, ...marker }
}
