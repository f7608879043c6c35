import type { ChatRequest, ContentPart, Message } from '../../contract/chat.ts'
import { isRecord } from '../../base/schema/record.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import { vendorOf } from '../../translation/dialects/bedrock/vendor.ts'
import { CHARS_PER_TOKEN } from '../../translation/wire/chars-per-token.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { keepsNothing } from '../../tenants/access/policy.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'
import type { AskedChat } from './native-codec.ts'

// Claude's models read a conversation from their cache only if a request marked it before. Clients of other formats know no
// marks, so the gateway marks the last turn for them, from the second turn on: a single question would only pay for the mark.

export const MARKED: Note = {
  field: 'cache_control',
  action: 'added',
  reason:
    'the last turn is marked, so that the next request reads the conversation so far from the cache of the provider',
}

/** The chat with its last turn marked; undefined if it is not marked here. */
export function withCacheMark(
  input: AskedChat,
  target: ChatTarget,
  caller: Pick<Caller, 'policy'>,
): AskedChat | undefined {
  if (!isWorthMarking(input, target, caller)) return undefined
  const messages = markedLast(input.request.messages)
  return messages && { ...input, request: { ...input.request, messages }, source: undefined }
}

function isWorthMarking(
  { request, native }: AskedChat,
  target: ChatTarget,
  { policy }: Pick<Caller, 'policy'>,
): boolean {
  if (!pricesItsCache(target) || native?.format === 'messages') return false
  if (request.cache_marks === false || policy?.cacheMarks === false || keepsNothing(policy)) return false
  if (!request.messages.some(({ role }) => role === 'assistant')) return false
  return isLong(request, target) && cacheMarks([request, request.extra_body]).length === 0
}

/** Of a model of Anthropic, at a price that says what its cache costs. */
function pricesItsCache({ provider, entry, model, traits }: ChatTarget): boolean {
  if (entry?.price?.cacheRead === undefined || entry.price.cacheWrite === undefined) return false
  if (provider.dialect === 'anthropic') return true
  return provider.dialect === 'bedrock' && vendorOf({ model, traits }) === 'anthropic'
}

/** What is shorter than the least that the provider keeps is not marked. */
function isLong({ messages, tools }: ChatRequest, { traits }: ChatTarget): boolean {
  const least = (traits?.cacheMinTokens ?? 0) * CHARS_PER_TOKEN
  let chars = 0
  for (const { content } of messages) {
    chars += typeof content === 'string' ? content.length : partsOf(content).reduce(addPart, 0)
    if (chars >= least) return true
  }
  return chars + (tools ? JSON.stringify(tools).length : 0) >= least
}

function addPart(sum: number, part: ContentPart): number {
  return sum + (part.type === 'text' ? part.text.length : 0)
}

function partsOf(content: Message['content']): readonly ContentPart[] {
  return Array.isArray(content) ? content : []
}

/** An answer that the model is to continue is not marked. Undefined if the last turn has nothing that could be. */
function markedLast(messages: readonly Message[]): Message[] | undefined {
  const last = messages.at(-1)!
  if (last.role === 'assistant') return undefined
  const content = markedContent(last.content)
  return content && [...messages.slice(0, -1), { ...last, content }]
}

const MARK = { cache_control: { type: 'ephemeral' as const } }

function markedContent(content: Message['content']): ContentPart[] | undefined {
  if (typeof content === 'string') return content === '' ? undefined : [{ type: 'text', text: content, ...MARK }]
  const last = partsOf(content).at(-1)
  if (!last || (last.type === 'text' && last.text === '')) return undefined
  return [...partsOf(content).slice(0, -1), { ...last, ...MARK }]
}

/** The lives of all marks in requests, and in what they consist of. */
export function cacheMarks(members: readonly unknown[], depth = 4): unknown[] {
  return members.flatMap((one): unknown[] => {
    if (Array.isArray(one)) return cacheMarks(one, depth)
    if (!isRecord(one)) return []
    const own = isRecord(one.cache_control) ? [one.cache_control.ttl] : []
    return depth === 0
      ? own
      : [...own, ...cacheMarks([one.messages, one.system, one.tools, one.function, one.content], depth - 1)]
  })
}
