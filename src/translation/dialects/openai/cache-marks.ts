import type { ChatRequest, ContentPart } from '../../../contract/chat.ts'
import { cacheLife, keptMarks } from '../cache-life.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'

const LIVES = ['30m', '12h'] as const

/**
 * Cache marks of a caller, which say: cache everything up to here. OpenAI calls them breakpoints; most hosts cache by
 * themselves.
 */
export class CacheMarks {
  readonly #messages: ChatRequest['messages']
  readonly #target: Target
  readonly #notes: Notes
  #allowed: ReadonlySet<ContentPart> | undefined

  constructor(messages: ChatRequest['messages'], target: Target, notes: Notes) {
    this.#messages = messages
    this.#target = target
    this.#notes = notes
  }

  settle(part: ContentPart): ContentPart {
    const { compat, traits } = this.#target
    if (compat?.cacheMarks) return part
    const { cache_control, ...plain } = part
    if (traits?.cacheBreakpoints) return this.#breakpoint(part, plain as ContentPart)
    this.#notes.dropped('cache_control', NO_MARKS)
    return plain as ContentPart
  }

  #breakpoint(part: ContentPart, plain: ContentPart): ContentPart {
    this.#allowed ??= keptMarks(
      this.#messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(isMarked),
    )
    if (!this.#allowed.has(part)) {
      this.#notes.dropped('cache_control', 'in part: this provider accepts four marks')
      return plain
    }
    const ttl = cacheLife(part.cache_control?.ttl, this.#notes, LIVES)
    return Object.assign(plain, { prompt_cache_breakpoint: { mode: 'explicit', ...(ttl && { ttl }) } })
  }
}

const NO_MARKS = 'this provider has no cache marks'

function isMarked({ cache_control }: ContentPart): boolean {
  return Boolean(cache_control)
}

/** Removes the marks of tools; undefined if there are none, or if they may stay. */
export function unmarkedTools(tools: readonly Fields[], { compat }: Target, notes: Notes): Fields[] | undefined {
  if (compat?.cacheMarks || !tools.some(hasMark)) return undefined
  notes.dropped('cache_control', NO_MARKS)
  return tools.map((tool) => (hasMark(tool) ? unmarked(tool) : tool))
}

function hasMark({ cache_control, function: declared }: Fields): boolean {
  return cache_control != null || (isRecord(declared) && declared.cache_control != null)
}

function unmarked({ cache_control: _, ...tool }: Fields): Fields {
  if (!isRecord(tool.function)) return tool
  const { cache_control: __, ...declared } = tool.function
  return { ...tool, function: declared }
}
