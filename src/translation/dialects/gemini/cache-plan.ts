import type { CacheControl, Message } from '../../../contract/chat.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { cacheLife } from '../cache-life.ts'
import type { CachePlan, Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { type Fields, isRecord, recordsIn } from '../../../base/schema/record.ts'
import { isVertex } from './address.ts'
import type { WireContent, WirePart } from './wire.ts'
import { CHARS_PER_TOKEN } from '../../wire/chars-per-token.ts'
import { writeJson } from '../../json/written-numbers.ts'

// Gemini keeps one block at the beginning of a request: the tools, the instructions, and the contents up to a mark. If there
// are several marks, the last one decides. https://ai.google.dev/api/caching

/** The end of the block: so many whole contents, and so many parts of the next one. */
export type CacheEnd = { contents: number; parts: number }

/** Where a mark is, and how long the block is to be kept. */
export type Mark = { message: number; part: number | undefined; control: CacheControl }

type Body = Fields & { contents: WireContent[] }

const SECONDS = { '5m': 300, '1h': 3600 }
/** The least that any model accepts. */
const MIN_TOKENS = 1024
/** A generous estimate: the provider refuses to keep too little, and the request is then sent as a whole. */
const MEDIA_TOKENS = 4096
const ONE_BLOCK = 'this provider caches one block: it ends at the last mark'
const TOO_SHORT = 'the content before the mark is too short to be cached'
/** They belong to the block, because a request that names a block may not contain them. */
const ALWAYS_CACHED = ['systemInstruction', 'tools', 'toolConfig'] as const

/** In the order of the request. The message is -1 for a mark on a tool: tools come before all messages. */
export function marksIn({ messages, tools }: RequestFields): Mark[] {
  const ofTools = recordsIn(tools).filter((tool) => isRecord(tool.cache_control))
  return [
    ...ofTools.map((tool) => ({ message: -1, part: undefined, control: tool.cache_control as CacheControl })),
    ...messages.flatMap((message, at) => marksOf(message).map((mark) => ({ message: at, ...mark }))),
  ]
}

/** A mark on the message is behind its last part. */
function marksOf(message: Message): Pick<Mark, 'part' | 'control'>[] {
  const { cache_control, content } = message as Message & { cache_control?: CacheControl | null }
  const parts = Array.isArray(content) ? content : []
  const inside = parts.flatMap(({ cache_control: control }, part) => (control ? [{ part, control }] : []))
  return cache_control ? [...inside, { part: undefined, control: cache_control }] : inside
}

type Marked = { marks: readonly Mark[]; end: CacheEnd; headers: Record<string, string> }

/** How to keep the block, and the request without it. Undefined if there is too little to keep. */
export function cachePlan(body: Body, marked: Marked, target: Target, notes: Notes): CachePlan | undefined {
  const life = cacheLife(marked.marks.at(-1)!.control.ttl, notes) ?? '5m'
  if (marked.marks.length > 1) notes.translated('cache_control', ONE_BLOCK)
  const { cached, rest } = split(body.contents, marked.end)
  const fixed: readonly string[] = ALWAYS_CACHED.filter((field) => body[field] !== undefined)
  const block = { ...pick(body, fixed), ...(cached.length > 0 && { contents: cached }) }
  if (tokensIn(block) < (target.traits?.cacheMinTokens ?? MIN_TOKENS)) {
    notes.dropped('cache_control', TOO_SHORT)
    return undefined
  }
  const { url, model } = addressOf(target)
  const content = writeJson({ model, ...block, ttl: `${SECONDS[life]}s` }, body)
  const others = Object.keys(body).filter((field) => !fixed.includes(field))
  return {
    create: { method: 'POST', url, headers: { ...marked.headers, accept: 'application/json' }, body: content },
    seconds: SECONDS[life],
    using: (name) => writeJson({ ...pick(body, others), contents: rest, cachedContent: name }, body),
  }
}

/** A request needs something besides its block, so the last part always stays in the request. */
function split(contents: readonly WireContent[], end: CacheEnd): { cached: WireContent[]; rest: WireContent[] } {
  const { contents: whole, parts } = leavingOne(contents, end)
  const next = contents[whole]!
  const head = parts > 0 ? [{ ...next, parts: next.parts.slice(0, parts) }] : []
  const tail = { ...next, parts: next.parts.slice(parts) }
  return { cached: [...contents.slice(0, whole), ...head], rest: [tail, ...contents.slice(whole + 1)] }
}

function leavingOne(contents: readonly WireContent[], { contents: whole, parts }: CacheEnd): CacheEnd {
  const next = contents[whole]
  if (next && parts < next.parts.length) return { contents: whole, parts }
  if (next && whole + 1 < contents.length) return { contents: whole + 1, parts: 0 }
  return { contents: contents.length - 1, parts: contents.at(-1)!.parts.length - 1 }
}

function addressOf({ baseUrl, model, ...target }: Target): { url: string; model: string } {
  if (!isVertex({ baseUrl, model, ...target })) return { url: `${baseUrl}/cachedContents`, model: `models/${model}` }
  const location = baseUrl.slice(0, -'/publishers/google'.length)
  const path = new URL(baseUrl).pathname.replace(/^.*?\/(?=projects\/)/, '')
  return { url: `${location}/cachedContents`, model: `${path}/models/${model}` }
}

function tokensIn({ contents = [], ...others }: { contents?: WireContent[] }): number {
  const ofParts = contents.flatMap(({ parts }) => parts).reduce((sum, part) => sum + tokensInPart(part), 0)
  return ofParts + JSON.stringify(others).length / CHARS_PER_TOKEN
}

function tokensInPart(part: WirePart): number {
  return part.inlineData || part.fileData ? MEDIA_TOKENS : JSON.stringify(part).length / CHARS_PER_TOKEN
}

function pick(body: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(fields.map((field) => [field, body[field]]))
}
