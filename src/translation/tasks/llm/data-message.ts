import { createHash } from 'node:crypto'
import type { ContentPart, Message } from '../../../contract/chat.ts'
import { TaskFailure } from '../http/task-failure.ts'
import type { Task, TaskFile } from '../feature.ts'

const TEXT_TYPE = /^text\/|^application\/(json|xml|xhtml\+xml|yaml|x-yaml)$|\+(json|xml)$/
const TAG_CHARS = 16

/** The message with all of the caller's data, and nothing else. Fields of `omitted` are sent in another way. */
export async function dataMessage(
  { input, files }: Task<unknown>,
  omitted: Readonly<Record<string, unknown>> = {},
): Promise<Message> {
  const { text, texts, ...others } = input as Record<string, unknown>
  const isSetting = (name: string) => !Object.hasOwn(omitted, name) && !isFile(name, files)
  const settings = Object.entries(others).filter(([name, value]) => value != null && isSetting(name))
  const head: ContentPart = { type: 'text', text: `Settings: ${JSON.stringify(Object.fromEntries(settings))}` }
  const data = [...(typeof text === 'string' ? [delimited(text)] : []), ...numbered(texts)]
  const attached = await Promise.all(Object.values(files).map(partOf))
  return { role: 'user', content: plainest([head, ...data, ...attached]) }
}

/** Text-only models often do not accept content parts. */
function plainest(parts: ContentPart[]): string | ContentPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n\n') : parts
}

function isFile(name: string, files: Record<string, TaskFile>): boolean {
  return Object.keys(files).some((path) => path === name || path.startsWith(`${name}.`))
}

/** The name of the tags is a hash of the content, so no content can contain its own end tag. */
function delimited(text: string): ContentPart {
  return between(tagOf(text), text)
}

/** All texts share one hash, so that no text can contain the end tag of another. */
function numbered(texts: unknown): ContentPart[] {
  if (!Array.isArray(texts)) return []
  const tag = tagOf(JSON.stringify(texts))
  return texts.map((text, index) => between(`${tag}-${index + 1}`, String(text)))
}

function tagOf(content: string): string {
  return `data-${createHash('sha256').update(content).digest('hex').slice(0, TAG_CHARS)}`
}

function between(tag: string, text: string): ContentPart {
  return { type: 'text', text: `<${tag}>\n${text}\n</${tag}>` }
}

/** The file name is left out: the uploader chose it, and the model would read it. */
async function partOf({ type, bytes }: TaskFile): Promise<ContentPart> {
  if (TEXT_TYPE.test(type)) return delimited(new TextDecoder().decode(await bytes()))
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url: await dataUrl(type, bytes) } }
  if (type === 'application/pdf') {
    return { type: 'file', file: { filename: 'document.pdf', file_data: await dataUrl(type, bytes) } }
  }
  throw new TaskFailure('bad_request', 'chat models accept images, PDF and plain text, but not this type of file')
}

async function dataUrl(type: string, bytes: TaskFile['bytes']): Promise<string> {
  return `data:${type};base64,${Buffer.from(await bytes()).toString('base64')}`
}
