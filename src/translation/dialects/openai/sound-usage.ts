import type { Usage } from '../../../contract/chat-reply.ts'
import { type Fields, isRecord, readCount } from '../../../base/schema/record.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

/** The totals, and the other names of cached tokens. */
const TOP = ['prompt_tokens', 'completion_tokens', 'prompt_cache_hit_tokens', 'num_cached_tokens', 'cached_tokens']
const READ = ['cached_tokens', 'cache_write_tokens', 'cache_write_1h_tokens', 'audio_tokens', 'image_tokens']
const WRITTEN = ['audio_tokens', 'image_tokens']
/** By Mistral, in `prompt_token_details`. */
const MISSPELT = ['cached_tokens']
const REASONING = ['reasoning_tokens']

/**
 * Counts become numbers. If one that is billed cannot be read, the totals are no numbers any more, so that the rest is not
 * taken for the whole usage.
 */
export function soundUsage(usage: Usage & Fields): void {
  const { prompt_tokens_details: read, completion_tokens_details: written } = usage
  settleReasoning(usage)
  // All of them, also if one is not sound.
  const isTopSound = settleCounts(usage, TOP)
  const isReadSound = settleDetails(read, READ, usage.prompt_tokens)
  const isMisspeltSound = settleDetails(usage.prompt_token_details, MISSPELT, usage.prompt_tokens)
  const isWrittenSound = settleDetails(written, WRITTEN, usage.completion_tokens)
  if (!(isTopSound && isReadSound && isMisspeltSound && isWrittenSound)) usage.prompt_tokens = Number.NaN
}

/** A part is never more than its total. */
function settleDetails(details: unknown, names: readonly string[], total: number): boolean {
  if (!isRecord(details)) return true
  const isSound = settleCounts(details, names)
  const most = toNumber(total)
  for (const name of names) if (toNumber(details[name]) > most) details[name] = most
  return isSound
}

function settleCounts(fields: Fields, names: readonly string[]): boolean {
  let isSound = true
  for (const name of names) {
    if (fields[name] == null) continue
    const count = readCount(fields[name])
    if (count === undefined) isSound = false
    else fields[name] = count
  }
  return isSound
}

/** Reasoning costs as much as other output, so a count that cannot be read is only not shown. */
function settleReasoning(usage: Usage & Fields): void {
  const details: unknown = usage.completion_tokens_details
  if (!settleCounts(usage, REASONING)) delete usage.reasoning_tokens
  if (isRecord(details) && !settleCounts(details, REASONING)) delete details.reasoning_tokens
}
