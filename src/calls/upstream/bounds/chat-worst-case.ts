import { priceOfTier } from '../../../money/billing/token-buckets.ts'
import type { Model } from '../../../platform/catalog/catalog.ts'
import type { WorstCase } from '../../../money/limits/worst-case.ts'
import { ChatRequest } from '../../../contract/chat.ts'
import { completed } from '../../routing/alias-defaults.ts'
import type { ChatTarget } from '../../routing/chat-targets.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import type { ChatInput } from '../chat-input.ts'
import type { AskedChat } from '../native-codec.ts'
import { askedChoices, askedLength, type FieldSources, fieldSources } from './answer-bounds.ts'
import { holdsAudio, holdsDocument } from './documents.ts'
import { bytesIn, bytesOfField, textsIn, usdOfTokens } from './token-worst-case.ts'

// The most that a chat can cost: every byte of its texts is a token, every token has the dearest price of its side, and the
// answer is as long as it may be. Nothing is counted for this, so it costs next to nothing itself.

/** The longest answer in tokens, if neither the caller nor the catalog limits it. The request then gets this as its limit. */
export const USUAL_MAX_OUTPUT = 4_096
/** How often a model may search for one answer, as far as is reserved for it. */
const SEARCHES = 10
export const TOKENS_PER_SEARCH_RESULT = 10_000
/** Of a model about which the catalog and the config file say nothing. */
export const USUAL_CONTEXT = 200_000
/** A model reads at least this many tokens for a second of a recording, so its context limits the seconds. */
const MIN_TOKENS_PER_SECOND = 10
/** With these, a part of the conversation is at the provider, and only the model's context limits it. */
const ELSEWHERE = ['previous_response_id', 'conversation', 'cachedContent', 'cached_content', 'container', 'prompt']

/** For a chat that is about to be sent: what an attempt at a target can use at most. */
export function chatWorstCase(input: ChatInput) {
  let bytes: number | undefined
  return (target: ChatTarget): WorstCase => {
    const sent = asSent(input, target)
    if (sent !== input) return worstCaseAt(target, sent, bytesOf(sent))
    bytes ??= bytesOf(input)
    return worstCaseAt(target, input, bytes)
  }
}

/** A target that does not accept files gets their texts, which may be far longer than the files. They have been read by now. */
export function asSent(input: ChatInput, target: ChatTarget): ChatInput {
  return input.files ? input.files.fit(input, target) : input
}

/** The texts of a prompt that can be counted, their bytes, and the bound of everything else. */
export type PromptTexts = { texts: string[]; bytes: number; rest: number }

export function promptTexts(input: ChatInput): PromptTexts {
  const texts = textsIn(input.request.messages)
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return { texts, bytes, rest: bytesOf(input) - bytes }
}

/** The same for a prompt with at most so many tokens: one for each of its bytes, or fewer if they were counted. */
export function worstCaseAt(target: ChatTarget, input: AskedChat, promptTokens: number): WorstCase {
  const request = completed(input.request, target)
  const places = fieldSources(request, input)
  const fields = [...places.read, ...places.sentAsIs]
  const { answers: choices, each, requested } = outputIn(places, target, input)
  const searches = fields.some((one) => asksToSearch(one)) ? SEARCHES : 0
  const ofPrompt = Math.max(promptTokens, ...contextOf(target, { input, fields }))
  const inputTokens = choices * (ofPrompt + searches * TOKENS_PER_SEARCH_RESULT)
  const outputTokens = choices * each
  const entry = pricedFor(target.entry, fields)
  const mayHear = mayReadAudio(target, { input, fields })
  const seconds = mayHear ? (choices * (entry?.context ?? USUAL_CONTEXT)) / MIN_TOKENS_PER_SECOND : 0
  const { usd, usdPerOutputToken } = usdOfTokens({ inputTokens, outputTokens }, entry, { searches, seconds, mayHear })
  return {
    inputTokens,
    outputTokens,
    answers: choices,
    usd,
    usdPerOutputToken,
    askedOutput: requested && requested * choices,
    isImposed: requested === undefined && target.entry?.output == null,
    isChat: true,
  }
}

/** How many answers there are at most, how long each of them is, and how long the caller wants them. */
type MostOutput = { answers: number; each: number; requested: number | undefined }

export function mostOutput(target: ChatTarget, input: AskedChat): MostOutput {
  return outputIn(fieldSources(completed(input.request, target), input), target, input)
}

function outputIn(places: FieldSources, { entry }: ChatTarget, input: AskedChat): MostOutput {
  const requested = askedLength(places)
  return {
    answers: askedChoices(places) * promptsOf(input),
    each: requested ?? entry?.output ?? USUAL_MAX_OUTPUT,
    requested,
  }
}

/** How often a model may search for these answers. */
export function mostSearches(target: ChatTarget, input: AskedChat): number {
  const { read, sentAsIs } = fieldSources(completed(input.request, target), input)
  return [...read, ...sentAsIs].some(asksToSearch) ? SEARCHES : 0
}

/** Every prompt of a text completion gets its own answers. */
function promptsOf({ native, request }: AskedChat): number {
  return native?.format === 'completions' ? Math.max(1, request.messages.length) : 1
}

/** The model at the price of the service tier that the caller asks for; undefined if that price is not known. */
export function pricedFor(entry: Model | undefined, fields: readonly Record<string, unknown>[]): Model | undefined {
  const tier = fields.map(tierIn).find((requested) => requested !== undefined)
  // A provider may answer at the standard price although the cheaper tier was asked for.
  if (!entry?.price || tier === undefined || tier === 'flex') return entry
  const price = priceOfTier(entry.price, tier)
  return price === entry.price ? entry : price && { ...entry, price }
}

/** Anthropic's fast mode is a speed, and a tier in its answers. */
function tierIn({ service_tier, speed }: Record<string, unknown>): string | undefined {
  if (speed === 'fast') return speed
  return typeof service_tier === 'string' ? service_tier : undefined
}

/** Whether the model may get a recording, where recordings have a price of their own. */
function mayReadAudio({ entry }: ChatTarget, { input, fields }: { input: AskedChat; fields: Fields[] }): boolean {
  if (!entry || (entry.price?.audioInput === undefined && entry.per?.second === undefined)) return false
  return holdsAudio(input) || fields.some(isKeptElsewhere)
}

function isKeptElsewhere(fields: Record<string, unknown>): boolean {
  return ELSEWHERE.some((name) => isElsewhereIn(fields[name], name))
}

/** The context of a model, if only that limits what it reads of this chat. */
function contextOf({ entry }: ChatTarget, { input, fields }: { input: AskedChat; fields: Fields[] }): number[] {
  if (holdsDocument(input)) return [entry?.context ?? USUAL_CONTEXT]
  return entry?.context && fields.some(isKeptElsewhere) ? [entry.context] : []
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

/** Of the fields of the contract, those that a model reads. */
const READ_BY_MODELS: ReadonlySet<string> = new Set([
  ...['messages', 'tools', 'functions', 'response_format', 'prediction', 'web_search_options', 'extra_body'],
])
/** Fields that are not in the contract are sent too, and a model may read them. */
const READ_BY_NO_MODEL: ReadonlySet<string> = new Set(
  Object.keys(ChatRequest.properties).filter((name) => !READ_BY_MODELS.has(name)),
)

/** The bytes of all texts, with those of files that are read while they are sent, and something for what is not text. */
function bytesOf({ request, native, attachments }: ChatInput): number {
  // The caller's own format may have more than its translation, such as tools of the provider.
  const own = native ? bytesIn(native.body) : 0
  return Math.max(own, bytesOfFields(request as Record<string, unknown>)) + (attachments?.chars ?? 0)
}

function bytesOfFields(request: Record<string, unknown>): number {
  let bytes = 0
  for (const name in request)
    if (request[name] != null && !READ_BY_NO_MODEL.has(name)) bytes += bytesOfField(name, request[name])
  return bytes
}
