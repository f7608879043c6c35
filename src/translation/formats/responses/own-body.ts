import type { DropNotes } from '../../wire/native-ask.ts'
import { FOREIGN } from '../../dialects/provider-blocks.ts'
import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'
import { partName } from '../part-name.ts'
import { isSealed, unseal } from '../sealed-reasoning.ts'
import { isNativeItem, positionOfItem } from './item-ids.ts'
import { shortEnough } from './call-id.ts'
import { isReasoningOf, reasoningItemOf } from './reasoning-details.ts'
import { isOurStep } from './step-items.ts'

/** The body for this provider of this format, which would refuse reasoning that it did not encrypt itself. */
export function ownBody(body: Fields, provider: string, notes: DropNotes): Fields {
  if (!Array.isArray(body.input)) return body
  const items = recordsIn(body.input).flatMap((item) => ownItems(item, provider, notes))
  return { ...body, input: items.filter((item, at) => !isIdle(item, items[at + 1], notes)).map(withShortCallId) }
}

/** Items that reasoning led to. */
const MADE: ReadonlySet<unknown> = new Set(['reasoning', 'function_call', 'custom_tool_call'])

/** Reasoning that led to nothing is refused. */
function isIdle({ type }: Fields, next: Fields | undefined, notes: DropNotes): boolean {
  if (type !== 'reasoning') return false
  const isMessage = next !== undefined && (next.type ?? 'message') === 'message'
  const isFollowed = isMessage ? next.role === 'assistant' : next !== undefined && isMade(next)
  if (!isFollowed) notes.dropped(partName('input', type), 'nothing follows it')
  return !isFollowed
}

/** Also a tool that the provider ran itself. */
function isMade({ type }: Fields): boolean {
  return MADE.has(type) || (textOf(type).endsWith('_call') && !textOf(type).endsWith('_output'))
}

function withShortCallId(item: Fields): Fields {
  const id = textOf(item.call_id)
  return id === shortEnough(id) ? item : { ...item, call_id: shortEnough(id) }
}

function ownItems(item: Fields, provider: string, notes: DropNotes): Fields[] {
  const { type, encrypted_content } = item
  if (type === 'reasoning' && isSealed(encrypted_content)) {
    const sealed = unseal(encrypted_content, [provider])
    const own = sealed.filter((detail) => isReasoningOf(detail, provider)).map(reasoningItemOf)
    if (own.length > 0) return own
  }
  if (!isForeign(item)) return [withoutOurId(item)]
  notes.dropped(partName('input', type), FOREIGN)
  return []
}

function isForeign(item: Fields): boolean {
  const { type, encrypted_content } = item
  return isOurStep(item) || (type === 'reasoning' && (!encrypted_content || isSealed(encrypted_content)))
}

/** Items that the provider accepts without an id. It checks that encrypted reasoning belongs to its id. */
const NAMELESS: ReadonlySet<unknown> = new Set([
  ...[undefined, 'message', 'reasoning', 'function_call', 'custom_tool_call'],
  ...['function_call_output', 'custom_tool_call_output'],
])

/** Our ids mean nothing to the provider, and neither do sources that another provider named. */
function withoutOurId(item: Fields): Fields {
  const position = positionOfItem(item.id)
  // Input got its id when it was stored: it came without one, or with one that meant nothing here.
  if (!position || !(position.isInput || NAMELESS.has(item.type))) return item
  const { id: _, ...rest } = item
  if (isNativeItem(item) || !Array.isArray(rest.content)) return rest
  return { ...rest, content: recordsIn(rest.content).map(withoutSources) }
}

function withoutSources(part: Fields): Fields {
  return part.type === 'output_text' ? { type: part.type, text: part.text, annotations: [] } : part
}
