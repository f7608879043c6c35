import { asBuffer } from '../../base/bytes/as-buffer.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatCall } from '../../translation/dialects/chat-codec.ts'
import { Attachments } from '../files/attachments.ts'
import type { Call } from '../call.ts'
import { fileAccessOf, type NamedFile, openReferences } from './file-references.ts'
import type { OpenFile } from '../files/open-file.ts'
import { STREAMED_FILE_BYTES } from '../memory-budget.ts'
import { TempFiles } from '../files/temp-files.ts'
import type { CallServices } from '../services/call-services.ts'
import { HELD_BYTES } from '../files/temp-file-writer.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'

// A file part may reference one of our uploads or a URL. Providers can read neither, so they get the file itself. The same
// holds for image URLs if a dialect accepts only bytes. Short files are written into the request. Longer ones are replaced by
// a marker, and their bytes are read while they are sent (attachments.ts).

type Message = ChatRequest['messages'][number]
type Content = NonNullable<Message['content']>
type Part = Exclude<Content, string>[number]

/** `images`: image URLs are fetched too. `texts`: a target gets the content of text files as text. */
export type InlineOptions = { images: boolean; texts: boolean }

export function namesFiles({ request }: ChatCall, options: InlineOptions): boolean {
  return request.messages.some(({ content }) => Array.isArray(content) && content.some((part) => named(part, options)))
}

export async function inlineFiles(
  { request }: ChatCall,
  options: InlineOptions,
  call: Call,
  services: CallServices,
): Promise<{ request: ChatRequest; attachments: Attachments }> {
  const all = request.messages.flatMap((message, index) => filesIn(message, options, ['body', 'messages', index]))
  const attachments = new Attachments(new TempFiles(services.config.dataDir, call.caller.owner), services.newId())
  call.time.holds(() => attachments.close())
  const opened = await openReferences(all, fileAccessOf(call, attachments.tempFiles), services)
  if (opened.some((file) => isStreamed(file, options)))
    await call.memory?.hold(STREAMED_FILE_BYTES * (request.n ?? 1), call.signal)
  const files = opened.values()
  const messages: Message[] = []
  for (const message of request.messages) messages.push(await inlineMessage(message, { options, files, attachments }))
  return { request: { ...request, messages }, attachments }
}

/** A file that may be sent as text has to be read as a whole. */
function isStreamed({ size, type }: OpenFile, { texts }: InlineOptions): boolean {
  return size > HELD_BYTES && (!texts || type === 'application/pdf' || type.startsWith('image/'))
}

type Inlining = { options: InlineOptions; files: Iterator<OpenFile>; attachments: Attachments }

function filesIn({ content }: Message, options: InlineOptions, loc: (string | number)[]): NamedFile[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part, at) => {
    const reference = named(part, options)
    const path = part.type === 'file' ? ['file', 'file_id'] : ['image_url', 'url']
    return reference === undefined ? [] : [{ reference, loc: [...loc, 'content', at, ...path] }]
  })
}

/** The files are in the order of the parts that reference them. */
async function inlineMessage(message: Message, inlining: Inlining): Promise<Message> {
  const { content } = message
  const { options } = inlining
  if (!Array.isArray(content) || !content.some((part) => named(part, options))) return message
  const parts: Part[] = []
  for (const part of content) parts.push(named(part, options) ? await inlinePart(part, inlining) : part)
  return { ...message, content: parts }
}

/** The reference in a part: the id of one of our uploads, or a URL. Any other id is the provider's own and stays as it is. */
function named(part: Part, options: InlineOptions): string | undefined {
  if (part.type === 'file') {
    const id = part.file.file_id
    return typeof id === 'string' && (isResourceId(id) || isAddress(id)) ? id : undefined
  }
  if (part.type !== 'image_url' || !options.images) return undefined
  const url = typeof part.image_url === 'string' ? part.image_url : part.image_url.url
  return isAddress(url) ? url : undefined
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

async function inlinePart(part: Part, { options, files, attachments }: Inlining): Promise<Part> {
  const file: OpenFile = files.next().value
  const { name, type } = file
  const base64 = isStreamed(file, options) ? await attachments.add(file) : await base64Of(file)
  const url = `data:${type};base64,${base64}`
  const marker = part.cache_control ? { cache_control: part.cache_control } : {}
  if (part.type === 'file' && !type.startsWith('image/')) {
    const { file_id: _, ...rest } = part.file
    return { type: 'file', file: { filename: name, ...rest, file_data: url }, ...marker }
  }
  const imageFields = part.type === 'image_url' && typeof part.image_url === 'object' ? part.image_url : {}
  return { type: 'image_url', image_url: { ...imageFields, url }, ...marker }
}

async function base64Of({ bytes }: OpenFile): Promise<string> {
  return asBuffer(await bytes()).toString('base64')
}
