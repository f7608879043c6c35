import { withCacheMark } from './cache-marks.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatAttempt, ChatTarget } from '../routing/chat-targets.ts'
import { OPERATOR } from '../../platform/catalog/catalog.ts'
import { fieldSources } from './bounds/answer-bounds.ts'
import { mostOutput, mostSearches } from './bounds/chat-worst-case.ts'
import { completed } from '../routing/alias-defaults.ts'
import type { Fields } from '../../base/schema/record.ts'
import type { AskedChat } from './native-codec.ts'

// A request that was left: its caller has gone, its time is over, or the gateway gave the provider up. The provider has worked on it
// until then, and bills what it wrote, whether or not anything of it has been seen here. How much that is can only be estimated.

/** What a provider can have billed beside the prompt: rather too much than too little, so that leaving passes no budget. */
export type AbandonedChat = {
  /** Tokens of all answers together. */
  output: number
  searches: number
  /** What was asked for, in every place in which a caller may say it: some of it has a price of its own. */
  requestFields: readonly Fields[]
}

/** What has been seen of an answer. */
export type SeenOutput = {
  tokens: number
  /** Until then, on the monotonic clock, everything that the provider had sent has been read. */
  until: number
}

/**
 * Nearly every model writes more slowly. Answers that are short, or whose readers are slow, make a model look slower than it is, and
 * a caller could choose to send only such requests before it leaves others.
 */
const LEAST_SPEED = 150
/** No provider searches more often. */
const SEARCH_MS = 500

/** If it is left now, or so many milliseconds later. */
export function leftChat(attempt: ChatAttempt, input: AskedChat, seen?: SeenOutput, laterMs = 0): AbandonedChat {
  const elapsedMs = elapsedOf(attempt) + laterMs
  const searches = Math.min(mostSearches(attempt.target, input), Math.ceil(elapsedMs / SEARCH_MS))
  const request = completed(input.request, attempt.target)
  const { read, sentAsIs } = fieldSources(request, input)
  const marked = withCacheMark({ ...input, request }, attempt.target, attempt.call.caller)
  const requestFields = [...read, ...sentAsIs, ...(marked ? [marked.request] : [])]
  return { output: leftOutput(attempt, input, elapsedMs, seen), searches, requestFields }
}

/** The milliseconds from now at which the model can have written everything, and can have searched as often as it may. */
export function billMomentsOfChat(attempt: ChatAttempt, input: AskedChat): number[] {
  const { target, maxOutput, services } = attempt
  const { each } = mostOutput(target, input)
  const writingMs = longestWriting(Math.min(each, maxOutput ?? each), services.observations.fastestOf(target.id))
  const searchingMs = mostSearches(target, input) * SEARCH_MS
  const elapsedMs = elapsedOf(attempt)
  return [writingMs - elapsedMs, searchingMs - elapsedMs].filter((ms) => ms > 0)
}

/** How long `mostWritten` grows for an answer of so many tokens. */
export function longestWriting(each: number, observed: number | undefined): number {
  return observed === undefined ? 0 : (each * 1_000) / speedOf(observed)
}

function elapsedOf({ services, startedAt }: ChatAttempt): number {
  return services.monotonic() - startedAt
}

/** As much as the model can have written in the time that shows nothing, but no more than it was allowed to. */
function leftOutput(attempt: ChatAttempt, input: AskedChat, elapsedMs: number, seen?: SeenOutput): number {
  const { target, maxOutput, services } = attempt
  const { each, answers } = mostOutput(target, input)
  const most = { answers, each: Math.min(each, maxOutput ?? each) }
  const observed = services.observations.fastestOf(target.id)
  if (!seen) return mostWritten(elapsedMs, most, observed)
  const speed = observed ?? (seen.tokens * 1_000) / Math.max(1, elapsedMs)
  if (mayThink(target, input.request)) return Math.max(seen.tokens, mostWritten(elapsedMs, most, speed))
  const unseenMs = services.monotonic() - seen.until + silenceBefore(attempt)
  return Math.max(seen.tokens, Math.min(answers * most.each, seen.tokens + mostWritten(unseenMs, most, speed)))
}

/**
 * The most tokens that a model writes in this time. `observed` is the highest speed of an answer, in tokens per second; if there is
 * none, the model may be as fast as can be.
 */
export function mostWritten(ms: number, { answers, each }: WrittenAtMost, observed: number | undefined): number {
  if (observed === undefined) return answers * each
  return answers * Math.min(each, Math.ceil((Math.max(0, ms) * speedOf(observed)) / 1_000))
}

function speedOf(observed: number): number {
  return Math.max(LEAST_SPEED, observed)
}

type WrittenAtMost = { answers: number; each: number }

/** Whether the model writes tokens that it does not show, or of which it shows only a summary, at any time. */
function mayThink({ entry, traits }: ChatTarget, { thinking, reasoning_effort, extra_body }: ChatRequest): boolean {
  if (!entry?.can.includes('reasoning')) return false
  const how = traits?.thinking
  const isAsked = thinking != null || reasoning_effort != null || extra_body != null
  return isAsked || !how || how.byDefault === true || how.always === true
}

/** A model that is not in the catalog may have thought before its first word. */
function silenceBefore({ target: { entry }, call, startedAt }: ChatAttempt): number {
  const { firstTokenAt } = call.record
  const isKnown = entry && entry.source !== OPERATOR
  return isKnown || firstTokenAt === null ? 0 : firstTokenAt - startedAt
}
