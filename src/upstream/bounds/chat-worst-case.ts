import type { Call } from '../../calls/call.ts'
import type { WorstCase } from '../../limits/worst-case.ts'
import { completed } from '../../routing/alias-defaults.ts'
import type { ChatTarget } from '../../routing/route.ts'
import { isRecord } from '../../schema/record.ts'
import type { NativeCall } from '../native-codec.ts'
import { bytesIn, textsIn, usdOfTokens } from './token-worst-case.ts'

// The most that a chat can cost: every byte of its texts is a token, every token has the dearest price of its side, and the
// answer is as long as it may be. Nothing is counted for this, so it costs next to nothing itself.

/** The longest answer in tokens, if neither the caller nor the catalog limits it. The request then gets this as its limit. */
export const USUAL_MAX_OUTPUT = 4_096
/** How often a model may search for one answer, as far as is reserved for it. */
const SEARCHES = 10
const TOKENS_PER_SEARCH_RESULT = 10_000
const UNPRICED_TIERS: ReadonlySet<unknown> = new Set(['priority', 'scale', 'fast'])
const LENGTHS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'] as const
const CHOICES = ['n', 'best_of'] as const
/** With these, a part of the conversation is at the provider, and only the model's context limits it. */
const ELSEWHERE = ['previous_response_id', 'conversation', 'cachedContent', 'cached_content', 'container', 'prompt']

/** For a chat that is about to be sent: what an attempt at a target can use at most. */
export function chatWorstCase(input: NativeCall, { attachments }: Pick<Call, 'attachments'>) {
  let bytes: number | undefined
  return (target: ChatTarget): WorstCase => {
    bytes ??= bytesOf(input) + (attachments?.chars ?? 0)
    return worstCaseAt(target, input, bytes)
  }
}

/** The texts of a prompt that can be counted, their bytes, and the bound of everything else. */
export type PromptTexts = { texts: string[]; bytes: number; rest: number }

export function promptTexts(input: NativeCall): PromptTexts {
  const texts = textsIn(input.request.messages)
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return { texts, bytes, rest: bytesOf(input) - bytes }
}

/** The same for a prompt with at most so many tokens: one for each of its bytes, or fewer if they were counted. */
export function worstCaseAt(target: ChatTarget, input: NativeCall, promptTokens: number): WorstCase {
  const request = completed(input.request, target)
  const fields = fieldsOf(request, input)
  const choices = choicesOf(input, fields)
  const asked = largest(fields, LENGTHS)
  const outputEach = asked ?? target.entry?.output ?? USUAL_MAX_OUTPUT
  const searches = fields.some((one) => asksToSearch(one)) ? SEARCHES : 0
  const inputTokens = choices * (inputOf(fields, target, promptTokens) + searches * TOKENS_PER_SEARCH_RESULT)
  const worst = {
    inputTokens,
    outputTokens: choices * outputEach,
    answers: choices,
    isChat: true,
    askedOutput: asked && asked * choices,
  }
  const isImposed = asked === undefined && target.entry?.output == null
  const isUnpriced = fields.some(hasUnpricedTier)
  return { ...worst, isImposed, ...usdOfTokens(worst, isUnpriced ? undefined : target.entry, searches) }
}

/** How many answers a chat asks for. Every prompt of a text completion gets its own. */
function choicesOf(input: NativeCall, fields: readonly Record<string, unknown>[]): number {
  const prompts = input.native?.format === 'completions' ? input.request.messages.length : 1
  return Math.max(1, largest(fields, CHOICES) ?? 1) * Math.max(1, prompts)
}

/** Whether the caller asks for a tier whose price is not known. */
export function hasUnpricedTier({ service_tier }: Record<string, unknown>): boolean {
  return UNPRICED_TIERS.has(service_tier)
}

/** Of the alternatives in which a field may come, all count. */
function fieldsOf(request: object, { native }: NativeCall): Record<string, unknown>[] {
  const fields = [request as Record<string, unknown>]
  const { extra_body } = fields[0]!
  if (isRecord(extra_body)) fields.push(extra_body)
  if (!native) return fields
  fields.push(native.body)
  if (isRecord(native.body.generationConfig)) fields.push(native.body.generationConfig)
  return fields
}

function largest(fields: readonly Record<string, unknown>[], names: readonly string[]): number | undefined {
  let found: number | undefined
  for (const one of fields)
    for (const name of names) {
      const value = one[name]
      if (typeof value === 'number' && (found === undefined || value > found)) found = value
    }
  return found
}

function inputOf(fields: readonly Record<string, unknown>[], { entry }: ChatTarget, promptTokens: number): number {
  const isElsewhere = fields.some((one) => ELSEWHERE.some((name) => isElsewhereIn(one[name], name)))
  return isElsewhere ? Math.max(promptTokens, entry?.context ?? promptTokens) : promptTokens
}

/** A prompt that is a text, or texts, is here: it is one of a text completion. */
function isElsewhereIn(value: unknown, name: string): boolean {
  return value != null && (name !== 'prompt' || isRecord(value))
}

function asksToSearch({ web_search_options, tools }: Record<string, unknown>): boolean {
  return web_search_options != null || (Array.isArray(tools) && tools.some(isRunByProvider))
}

function isRunByProvider(tool: unknown): boolean {
  if (!isRecord(tool)) return false
  const { type } = tool
  return typeof type === 'string' ? type !== 'function' && type !== 'custom' : !('function' in tool || 'name' in tool)
}

/** The bytes of all texts, and something for what is not text. */
function bytesOf({ request, native }: NativeCall): number {
  const { messages, tools, functions, response_format } = request
  const further = [tools, functions, response_format].reduce<number>((sum, one) => sum + (one ? bytesIn(one) : 0), 0)
  // The caller's own format may have more than its translation, such as tools of the provider.
  const own = native ? bytesIn(native.body) : 0
  return Math.max(own, bytesIn(messages) + further)
}
