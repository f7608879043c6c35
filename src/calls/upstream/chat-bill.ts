import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatCompletion, Usage } from '../../contract/chat-reply.ts'
import { inputOf, outputOf, toTokens } from '../../money/billing/token-buckets.ts'
import { type CostParts, costPartsOf, reportedCost } from '../../money/billing/cost-parts.ts'
import type { CallServices } from '../services/call-services.ts'
import type { Call } from '../call.ts'
import type { Bill } from '../order.ts'
import type { Spending } from '../spending.ts'
import { dropTexts } from '../../translation/dialects/answer/identifiers.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import { completed } from '../routing/alias-defaults.ts'
import { estimatePrompt } from '../routing/router/estimate-prompt.ts'
import { mostTokensPerUnit, TextMeter } from '../routing/router/text-meter.ts'
import { TOKENS_PER_SEARCH_RESULT } from './bounds/chat-worst-case.ts'
import { chatCodecOf } from './chat-codec-of.ts'
import { type AbandonedChat, leftChat } from './abandoned-chat.ts'
import { cacheMarks } from './cache-marks.ts'
import type { AskedChat } from './native-codec.ts'
import type { ChatAttempt, ChatTarget } from '../routing/chat-targets.ts'
import { servedModel } from './served-model.ts'
import { CHARS_PER_TOKEN } from '../../translation/wire/chars-per-token.ts'

/** Who answered whom, and the prices. */
type Billed = { call: Pick<Call, 'record'>; target: ChatTarget; services: Pick<CallServices, 'catalog'> }

/** What was seen of an answer. */
export type Observed = {
  usage?: Usage | null | undefined
  /** The model that answered, by the provider's name of it. */
  model?: string | undefined
  serviceTier?: string | null | undefined
  chars: number
  /** What may be billed of an answer that did not come to its end. */
  abandoned?: AbandonedChat | undefined
}

/** Usage × price. If the provider sent no usage, it is estimated from the text, and marked as an estimate. */
export function billOf({ call, target, services }: Billed, original: ChatRequest, observed: Observed): Bill {
  const request = completed(original, target)
  const counted = isUsage(observed.usage) && !observed.abandoned ? observed.usage : undefined
  const usage = counted ?? estimate(request, observed, target)
  const rowOf = (model: string | undefined) => servedModel(target, model, services.catalog)
  const entry = rowOf(observed.model)
  const { notes } = call.record
  const parts = costPartsOf(entry, {
    tokens: toTokens(usage),
    usage: observed.abandoned ? usage : counted,
    request,
    serviceTier: observed.serviceTier ?? requestedTier(request, notes, observed.abandoned),
    countsSearches: chatCodecOf(target.provider).countsSearches,
    isSimulated: target.provider.simulated,
    dropped: notes.flatMap(({ action, field }) => (action === 'dropped' ? field : [])),
    rowOf,
  })
  const priceVersion = entry?.checked ?? target.entry?.checked ?? null
  return { ...withReported(parts, reportedCost(counted)), estimated: !counted, priceVersion }
}

/** The same for an answer in one piece. */
export function billOfWhole(billed: Billed, request: ChatRequest, answer: ChatCompletion): Bill {
  const { choices, usage, service_tier: serviceTier, model } = answer
  const chars = choices.reduce((sum, { message }) => sum + charsOfMessage(message), 0)
  return billOf(billed, request, { usage, serviceTier, model, chars })
}

/** The same for an answer of which nothing was seen, and that is left so many milliseconds from now. */
export function billOfAbandoned(attempt: ChatAttempt, input: AskedChat, laterMs = 0): Bill {
  return billOf(attempt, input.request, { chars: 0, abandoned: leftChat(attempt, input, undefined, laterMs) })
}

/** The provider's own figure is kept next to ours, for comparing bills. It counts if ours misses a fee. */
function withReported({ cost, tokens, basis, components, isPartial }: CostParts, reported: number | null): Bill {
  const isReported = isPartial && reported !== null
  return {
    cost: isReported ? reported : cost,
    tokens,
    basis,
    components: isReported ? { reported } : components,
    isPartial: isPartial && !isReported,
    providerCost: reported,
  }
}

/** If the answer names no tier, the requested one counts, except for the cheaper one, which the provider has not confirmed. */
function requestedTier(
  { service_tier, extra_body }: ChatRequest,
  notes: readonly Note[],
  abandoned: AbandonedChat | undefined,
): string | undefined {
  // Anthropic's fast mode is a speed, and a tier in its answers.
  if (abandoned?.requestFields.some(({ speed }) => speed === 'fast')) return 'fast'
  const tier = extra_body?.service_tier ?? service_tier
  if (typeof tier !== 'string' || tier === 'flex') return undefined
  return notes.some(({ field }) => field === 'service_tier') ? undefined : tier
}

/** The usage that the caller gets: the provider's own, unless that is missing or covers only a part of the answer. */
export function usageOf({ answered, parts }: Spending, own: Usage | null | undefined): Usage {
  const { tokens, tokensAreEstimated } = answered
  if (own && !tokensAreEstimated && parts === 1) return shown(own)
  const prompt_tokens = tokens ? inputOf(tokens) : 0
  const completion_tokens = tokens ? outputOf(tokens) : 0
  const total_tokens = prompt_tokens + completion_tokens
  return { prompt_tokens, completion_tokens, total_tokens, ...(tokensAreEstimated && { estimated: true }) }
}

/** Some hosts omit the total, and some say more than counts. */
function shown(usage: Usage): Usage {
  dropTexts(usage)
  return isCount(usage.total_tokens) ? usage : { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens }
}

type Texts = { content?: unknown; reasoning_content?: unknown; refusal?: unknown; tool_calls?: unknown }

/** The characters of all texts of an answer. A meter, if there is one, measures them too. */
export function charsOfMessage(
  { content, reasoning_content, refusal, tool_calls }: Texts,
  meter?: TextMeter | undefined,
): number {
  const chars = lengthOf(content, meter) + lengthOf(reasoning_content, meter) + lengthOf(refusal, meter)
  return Array.isArray(tool_calls)
    ? chars + tool_calls.reduce((sum, call) => sum + lengthOf(call?.function?.arguments, meter), 0)
    : chars
}

function estimate(request: ChatRequest, observed: Observed, target: ChatTarget): Usage {
  const { usage, abandoned, chars } = observed
  const { tokens: ofPrompt, audioTokens: audio_tokens } = promptOf(request, observed, target)
  const counted = abandoned && isUsage(usage) ? usage : undefined
  const prompt_tokens = Math.max(ofPrompt, counted?.prompt_tokens ?? 0)
  const written = Math.max(Math.ceil(chars / CHARS_PER_TOKEN), abandoned?.output ?? 0, counted?.completion_tokens ?? 0)
  const read = {
    ...(audio_tokens > 0 && { audio_tokens }),
    ...(abandoned && cacheWrites(prompt_tokens - audio_tokens, abandoned, target)),
  }
  return {
    prompt_tokens,
    completion_tokens: written,
    total_tokens: prompt_tokens + written,
    ...(Object.keys(read).length > 0 && { prompt_tokens_details: read }),
    ...(abandoned && { completion_tokens_details: dearestKind(written, request, target) }),
    ...(abandoned && abandoned.searches > 0 && { web_search_requests: abandoned.searches }),
  }
}

/** A model reads no more than its context. What it has read for an answer that was left is rather overestimated. */
function promptOf(request: ChatRequest, { abandoned }: Observed, { entry }: ChatTarget) {
  const meter = new TextMeter(abandoned && mostTokensPerUnit)
  const { tokens: own, audioTokens } = estimatePrompt(request, meter)
  const read = own + (abandoned ? abandoned.searches * TOKENS_PER_SEARCH_RESULT : 0)
  const tokens = Math.min(read, entry?.context ?? read)
  return { tokens, audioTokens: Math.min(audioTokens, tokens) }
}

/** Of these formats, a provider writes to its cache only what is marked for it. */
const CACHES_IF_ASKED: ReadonlySet<string> = new Set(['anthropic', 'bedrock'])

/** A prompt whose bill was not seen may have been written to a cache, which costs more than reading it. */
function cacheWrites(tokens: number, { requestFields }: AbandonedChat, { entry, provider }: ChatTarget) {
  if (entry?.price?.cacheWrite === undefined) return {}
  const lives = new Set(cacheMarks(requestFields))
  if (lives.size === 0 && CACHES_IF_ASKED.has(provider.dialect ?? '')) return {}
  return { cache_write_tokens: tokens, ...(lives.has('1h') && { cache_write_1h_tokens: tokens }) }
}

/** An answer that was not seen may be all sound or all pictures, which cost more than text. */
function dearestKind(tokens: number, { audio, modalities }: ChatRequest, { entry }: ChatTarget) {
  if (audio || modalities?.includes('audio')) return { audio_tokens: tokens }
  return entry?.modalities?.output.includes('image') ? { image_tokens: tokens } : {}
}

function isUsage(usage: Usage | null | undefined): usage is Usage {
  return usage != null && isCount(usage.prompt_tokens) && isCount(usage.completion_tokens)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function lengthOf(text: unknown, meter: TextMeter | undefined): number {
  if (typeof text !== 'string') return 0
  meter?.add(text)
  return text.length
}
