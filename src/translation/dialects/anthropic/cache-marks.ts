import type { CacheControl } from '../../../contract/chat.ts'
import type { ModelTraits } from '../model-traits.ts'
import { cacheLife, keptMarks, MAX_CACHE_MARKS } from '../cache-life.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import type { Block, CacheMark, MessagesBody, Tool } from './messages-body.ts'
import { CHARS_PER_TOKEN } from '../../wire/chars-per-token.ts'

// A mark says: cache everything up to here. A cached prefix always starts at the beginning; several marks are several
// positions up to which a later request may be identical. They stay where the caller put them, as far as the wire format
// allows.

/** A generous estimate for images and documents: the provider ignores a superfluous mark, but a missing mark costs money. */
const MEDIA_TOKENS = 4096

export function cacheMark({ ttl }: CacheControl | Fields, notes: Notes): CacheMark {
  const life = cacheLife(ttl, notes)
  return { type: 'ephemeral', ...(life && { ttl: life }) }
}

/** Removes marks that would be refused or have no effect. The blocks belong to the encoder and may be changed. */
export function settleMarks(body: MessagesBody, traits: ModelTraits | undefined, notes: Notes): void {
  const blocks = blocksOf(body)
  if (!blocks.some(isMarked)) return
  dropShort(blocks, traits?.cacheMinTokens ?? 0)
  keepFour(blocks, notes)
  shortenLater(blocks.filter(isMarked), notes)
}

type Marked = { cache_control?: CacheMark }
type Cacheable = Block | Tool

/** In the order in which the provider reads them. */
function blocksOf({ tools = [], system, messages }: MessagesBody): Cacheable[] {
  return [...tools, ...(Array.isArray(system) ? system : []), ...messages.flatMap(({ content }) => content)]
}

function isMarked<Kind extends Cacheable>(block: Kind): block is Kind & { cache_control: CacheMark } {
  return (block as Marked).cache_control !== undefined
}

function dropShort(blocks: Cacheable[], minTokens: number): void {
  let tokens = 0
  for (const block of blocks) {
    if (tokens >= minTokens) return
    tokens += tokensIn(block)
    if (tokens < minTokens) delete (block as Marked).cache_control
  }
}

function keepFour(blocks: Cacheable[], notes: Notes): void {
  if (blocks.filter(isMarked).length <= MAX_CACHE_MARKS) return
  notes.translated('cache_control', `this provider accepts ${MAX_CACHE_MARKS} marks`)
  // Of adjacent blocks, only the last mark counts.
  const marks = keptMarks(
    blocks.filter((block, at) => isMarked(block) && !(blocks[at + 1] && isMarked(blocks[at + 1]!))),
  )
  for (const block of blocks) if (!marks.has(block)) delete (block as Marked).cache_control
}

/** A longer lifetime after a shorter one is refused. */
function shortenLater(marked: { cache_control: CacheMark }[], notes: Notes): void {
  const short = marked.findIndex(({ cache_control }) => cache_control.ttl !== '1h')
  for (const block of short === -1 ? [] : marked.slice(short)) {
    if (block.cache_control.ttl !== '1h') continue
    block.cache_control = { ...block.cache_control, ttl: '5m' }
    notes.translated('cache_control.ttl', 'a mark of "1h" after one of "5m" became "5m"')
  }
}

function tokensIn(block: Cacheable): number {
  if (!('type' in block) || block.type === 'web_search_20250305') return JSON.stringify(block).length / CHARS_PER_TOKEN
  if (block.type === 'image') return MEDIA_TOKENS
  if (block.type === 'document')
    return block.source.type === 'text' ? block.source.data.length / CHARS_PER_TOKEN : MEDIA_TOKENS
  if (block.type === 'text') return block.text.length / CHARS_PER_TOKEN
  if (block.type === 'tool_result' && Array.isArray(block.content))
    return block.content.reduce((sum, inner) => sum + tokensIn(inner), 0)
  return JSON.stringify(block).length / CHARS_PER_TOKEN
}
