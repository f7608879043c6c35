import type { ChatCompletion } from '../contract/chat-reply.ts'
import { problem } from '../contract/problems.ts'
import type { ChatAttempt, ChatTarget } from '../routing/route.ts'
import { askStream, askWhole } from '../upstream/ask.ts'
import { completesText } from '../upstream/completions/completions-codec.ts'
import type { NativeCall } from '../upstream/native-codec.ts'
import { speaksResponses } from '../upstream/responses/speaks-responses.ts'
import { chatCodecOf } from '../upstream/chat-codec-of.ts'
import { leftChat } from '../upstream/left-chat.ts'
import { settle, settleWhole } from '../upstream/settle.ts'
import type { OpenStream } from '../upstream/first-chunks.ts'
import { mergeStreams, sumOf } from './merged-streams.ts'

// A request may ask for several answers with `n`, and a text completion for one answer to each prompt. If the dialect has no
// `n`, we send that many requests in parallel and merge their answers.

/** No provider that supports `n` allows more, and every one of these requests is billed. */
const MAX_REQUESTS = 16

/** This is not an async function, because nearly every call takes the first way out. */
export function askForChoices(attempt: ChatAttempt, input: NativeCall): Promise<ChatCompletion> {
  const requests = requestsFor(attempt.target, input)
  return requests ? askInParallel(requests, attempt) : askWhole(attempt, input)
}

async function askInParallel(requests: readonly NativeCall[], attempt: ChatAttempt): Promise<ChatCompletion> {
  const pay = (answer: ChatCompletion, { request }: NativeCall) => settleWhole(attempt, request, answer)
  const answers = await all(requests, (request) => askWhole(attempt, request), pay)
  const choices = answers.map((answer, index) => ({ ...answer.choices[0]!, index }))
  return { ...answers[0]!, choices, usage: sumOf(answers.map(({ usage }) => usage)) }
}

export async function askForStreams(attempt: ChatAttempt, input: NativeCall): Promise<OpenStream> {
  const requests = requestsFor(attempt.target, input)
  if (!requests) return askStream(attempt, input)
  const giveUp = ({ events }: OpenStream, input: NativeCall) => {
    events.close()
    settle(attempt, input.request, { chars: 0, left: leftChat(attempt, input) })
  }
  const streams = await all(requests, (request) => askStream(attempt, request), giveUp)
  return mergeStreams(
    streams,
    requests.map(({ request }) => request),
  )
}

/** The requests for one answer each. Undefined if a single request asks for all of them. */
function requestsFor(target: ChatTarget, input: NativeCall): NativeCall[] | undefined {
  const { native, request } = input
  const prompts = native?.format === 'completions' ? request.messages.filter(({ role }) => role === 'user') : []
  const isTogether = completesText(target, input) && target.provider.choices !== 'one'
  if (prompts.length > 1 && !isTogether) return requestPerPrompt(prompts, input, target)
  const count = requestCount(target, input)
  return count === 1 ? undefined : Array.from({ length: count }, () => withoutN(input))
}

/** A chat has one question. The answers of the first prompt come first. */
function requestPerPrompt(prompts: Messages, { request, native }: NativeCall, { provider }: ChatTarget): NativeCall[] {
  const { n, messages, ...rest } = request
  const count = n ?? 1
  if (prompts.length * count > MAX_REQUESTS) throw tooMany(provider.name, 'prompt', 'prompts times n')
  const others = messages.filter(({ role }) => role !== 'user')
  return prompts.flatMap((prompt) => {
    return Array.from({ length: count }, () => ({ request: { ...rest, messages: [...others, prompt] }, native }))
  })
}

type Messages = NativeCall['request']['messages']

function requestCount(target: ChatTarget, call: NativeCall): number {
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

/** A provider that gives one answer at a time may refuse the field itself. */
function withoutN({ request: { n: _, ...request }, native }: NativeCall): NativeCall {
  return native?.format === 'completions' ? { request, native } : { request }
}

/** All or none: if one request fails, the others are given up. They are paid all the same. */
async function all<T>(
  requests: readonly NativeCall[],
  ask: (request: NativeCall) => Promise<T>,
  giveUp: (one: T, request: NativeCall) => void,
): Promise<T[]> {
  const settled = await Promise.allSettled(requests.map(ask))
  const failed = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
  if (!failed) return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  for (const [index, one] of settled.entries()) if (one.status === 'fulfilled') giveUp(one.value, requests[index]!)
  throw failed.reason
}
