import type { ChatCompletion } from '../../contract/chat-reply.ts'
import { problem } from '../../contract/problems.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { withoutChoices } from '../../calls/upstream/bounds/answer-bounds.ts'
import { askStream, askWhole } from '../../calls/upstream/ask.ts'
import { completesText } from '../../calls/upstream/completions/completions-codec.ts'
import type { AskedChat } from '../../calls/upstream/native-codec.ts'
import { speaksResponses } from '../../calls/upstream/responses/speaks-responses.ts'
import { chatCodecOf } from '../../calls/upstream/chat-codec-of.ts'
import { type ChatInput, withFilesOf } from '../../calls/upstream/chat-input.ts'
import type { OpenStream } from '../../calls/upstream/first-chunks.ts'
import { cannotTake } from '../../translation/dialects/cannot-take.ts'
import { type BegunStream, mergeStreams, sumOf } from './merged-streams.ts'

// A request may ask for several answers with `n`, and a text completion for one answer to each prompt. If the dialect has no
// `n`, we send that many requests in parallel and merge their answers.

/** No provider that supports `n` allows more, and every one of these requests is billed. */
const MAX_REQUESTS = 16

/** This is not an async function, because nearly every call takes the first way out. */
export function askForChoices(attempt: ChatAttempt, input: ChatInput): Promise<ChatCompletion> {
  const requests = requestsFor(attempt.target, input)
  return requests ? askInParallel(requests, attempt) : askWhole(attempt, input)
}

/** All or none: if one request fails, the answers of the others are of no use. They are paid all the same. */
async function askInParallel(requests: readonly ChatInput[], attempt: ChatAttempt): Promise<ChatCompletion> {
  const answers = answersOf(await Promise.allSettled(requests.map((request) => askWhole(attempt, request))))
  const choices = answers.map((answer, index) => ({ ...answer.choices[0]!, index }))
  return { ...answers[0]!, choices, usage: sumOf(answers.map(({ usage }) => usage)) }
}

export async function askForStreams(attempt: ChatAttempt, input: ChatInput): Promise<OpenStream> {
  const requests = requestsFor(attempt.target, input)
  if (!requests) return askStream(attempt, input)
  const settled = await Promise.allSettled(requests.map((request) => beginStream(attempt, request)))
  try {
    return mergeStreams(answersOf(settled), attempt.services.monotonic)
  } catch (error) {
    // The others are given up.
    for (const one of settled) if (one.status === 'fulfilled') giveUp(one.value.stream)
    throw error
  }
}

/** Others may begin much later, and until then nothing more of this one is read. */
async function beginStream(attempt: ChatAttempt, input: ChatInput): Promise<BegunStream> {
  const stream = await askStream(attempt, input)
  return { stream, begunAt: attempt.services.monotonic() }
}

/** Closes a stream whose answer is not used, although the provider has begun to write it. */
export function giveUp({ events, orders }: OpenStream): void {
  events.close()
  for (const { order } of orders) order.left()
}

/** The requests for one answer each. Undefined if a single request asks for all of them. */
function requestsFor(target: ChatTarget, input: ChatInput): ChatInput[] | undefined {
  const { native, request } = input
  const prompts = native?.format === 'completions' ? request.messages.filter(({ role }) => role === 'user') : []
  const isTogether = completesText(target, input) && target.provider.choices !== 'one'
  if (prompts.length > 1 && !isTogether) return requestPerPrompt(prompts, input, target)
  const count = requestCount(target, input)
  return count === 1 ? undefined : Array.from({ length: count }, () => forOneAnswer(input))
}

/** A chat has one question. The answers of the first prompt come first. */
function requestPerPrompt(prompts: Messages, input: ChatInput, { provider }: ChatTarget): ChatInput[] {
  const { n, messages } = input.request
  const count = n ?? 1
  if (prompts.length * count > MAX_REQUESTS) throw tooMany(provider.name, 'prompt', 'prompts times n')
  const others = messages.filter(({ role }) => role !== 'user')
  return prompts.flatMap((prompt) => {
    const single = forOneAnswer(input, [...others, prompt])
    return Array.from({ length: count }, () => single)
  })
}

type Messages = AskedChat['request']['messages']

function requestCount(target: ChatTarget, call: AskedChat): number {
  const { provider } = target
  const { request } = call
  if (request.n == null || request.n === 1) return 1
  const choices = speaksResponses(target, call) ? 'one' : (provider.choices ?? chatCodecOf(provider).choices ?? 'many')
  const isSupported = choices === 'many' || (choices === 'many when whole' && !request.stream)
  if (!isSupported && request.n > MAX_REQUESTS) throw tooMany(provider.name, 'n', 'n')
  return isSupported ? 1 : request.n
}

function tooMany(provider: string, param: string, what: string) {
  const msg = `${provider} gives one answer per request, so ${what} may be at most ${MAX_REQUESTS}`
  return problem('validation_error', {
    message: msg,
    param,
    detail: [{ loc: ['body', param], msg, type: 'less_than_equal' }],
  })
}

/**
 * One of several requests. If the caller wants `n` answers, it asks for one of them, wherever the caller has said how many: a provider
 * that gives one answer at a time may refuse such a field, and a caller who leaves pays every answer that a request asks for.
 */
function forOneAnswer(input: ChatInput, messages = input.request.messages): ChatInput {
  const { n, ...rest } = input.request
  const { native } = input
  if (n == null || n === 1) return withFilesOf(input, { request: { ...rest, messages }, native })
  if (Number(native?.body.best_of ?? 1) > n) throw cannotTake(['best_of'], BEST_OF)
  const request = { ...rest, messages, ...(rest.extra_body && { extra_body: withoutChoices(rest.extra_body) }) }
  return withFilesOf(input, {
    request,
    native: native && { ...native, body: withoutChoices(native.body), isStale: true },
  })
}

const BEST_OF = 'with a provider that gives one answer per request, best_of may be larger than n only if n is 1'

function answersOf<T>(settled: readonly PromiseSettledResult<T>[]): T[] {
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}
