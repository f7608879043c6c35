import type { CacheControl } from '../../../contract/chat.ts'
import { cacheLife, keptMarks, MAX_CACHE_MARKS } from '../cache-life.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { vendorOf } from './vendor.ts'
import { CHARS_PER_TOKEN } from '../../wire/chars-per-token.ts'

/** Follows the content that is to be cached. */
export function cachePoint({ ttl }: CacheControl, notes: Notes): Fields {
  const life = cacheLife(ttl, notes)
  return { cachePoint: { type: 'default', ...(life && { ttl: life }) } }
}

/** Lists of blocks, in the order in which the model reads them. */
type Prefix = readonly Fields[][]

/**
 * Removes the marks that would be refused: all marks for a model without a cache, marks with too little content before
 * them, and those beyond the fourth.
 */
export function prunedCachePoints(lists: Prefix, target: Target, notes: Notes): Fields[][] {
  const marks = lists.flatMap((list) => list.filter(isCachePoint))
  if (marks.length === 0) return [...lists]
  const taken = takenMarks(lists, marks, target, notes)
  return lists.map((list) => list.filter((block) => !isCachePoint(block) || taken.has(block)))
}

function takenMarks(lists: Prefix, marks: Fields[], target: Target, notes: Notes): ReadonlySet<Fields> {
  const { traits } = target
  const vendor = vendorOf(target)
  if (vendor !== 'anthropic' && vendor !== 'nova' && vendor !== 'unknown') {
    notes.dropped('cache_control', 'this model has no cache on Amazon Bedrock')
    return new Set()
  }
  const long = traits?.cacheMinTokens ? afterTokens(lists, traits.cacheMinTokens) : marks
  if (long.length < marks.length)
    notes.dropped('cache_control', 'the content before the mark is too short to be cached')
  if (long.length > MAX_CACHE_MARKS) notes.dropped('cache_control', `Amazon Bedrock accepts ${MAX_CACHE_MARKS} marks`)
  return keptMarks(long)
}

/** The marks with at least this many tokens before them. This is an estimate, because only the model can count. */
function afterTokens(lists: Prefix, tokens: number): Fields[] {
  let chars = 0
  return lists.flat().filter((block) => {
    if (isCachePoint(block)) return chars / CHARS_PER_TOKEN >= tokens
    chars += JSON.stringify(block).length
    return false
  })
}

function isCachePoint(block: Fields): boolean {
  return 'cachePoint' in block
}
