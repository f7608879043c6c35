import type { ChatCompletion } from '../contract/chat-reply.ts'
import { problem } from '../contract/problems.ts'
import type { ChatCall } from '../dialects/chat-codec.ts'
import type { ChatAttempt, ChatTarget } from '../routing/route.ts'
import { askStream, askWhole } from '../upstream/ask.ts'
import { speaksResponses } from '../upstream/responses/speaks-responses.ts'
import { chatCodecOf } from '../upstream/chat-codec-of.ts'
import type { OpenStream } from '../upstream/first-chunks.ts'
import { mergeStreams, sumOf } from './merged-streams.ts'

// A request may ask for several answers with `n`. If the dialect has no `n`, we send that many requests in parallel and
// merge their answers.

/** No provider that supports `n` allows more, and every one of these requests is billed. */
const MAX_REQUESTS = 16

/** This is not an async function, because nearly every call takes the first way out. */
export function askForChoices(attempt: ChatAttempt, input: ChatCall): Promise<ChatCompletion> {
  const count = requestCount(attempt.target, input)
  return count === 1 ? askWhole(attempt, input) : askInParallel(count, attempt, withoutN(input))
}

async function askInParallel(count: number, attempt: ChatAttempt, input: ChatCall): Promise<ChatCompletion> {
  const answers = await all(count, () => askWhole(attempt, input))
  const choices = answers.map((answer, index) => ({ ...answer.choices[0]!, index }))
  return { ...answers[0]!, choices, usage: sumOf(answers.map(({ usage }) => usage)) }
}

export async function askForStreams(attempt: ChatAttempt, input: ChatCall): Promise<OpenStream> {
  const count = requestCount(attempt.target, input)
  if (count === 1) return askStream(attempt, input)
  const single = withoutN(input)
  const streams = await all(
    count,
    () => askStream(attempt, single),
    ({ events }) => events.close(),
  )
  return mergeStreams(streams)
}

function requestCount(target: ChatTarget, call: ChatCall): number {
  const { provider } = target
  const { request } = call
  if (request.n == null || request.n === 1) return 1
  const choices = speaksResponses(target, call) ? 'one' : (provider.choices ?? chatCodecOf(provider).choices ?? 'many')
  const isSupported = choices === 'many' || (choices === 'many when whole' && !request.stream)
  if (!isSupported && request.n > MAX_REQUESTS) throw tooMany(provider.name)
  return isSupported ? 1 : request.n
}

function tooMany(provider: string) {
  const msg = `${provider} gives one answer per request, so n may be at most ${MAX_REQUESTS}`
  return problem('validation_error', {
    message: msg,
    param: 'n',
    detail: [{ loc: ['body', 'n'], msg, type: 'less_than_equal' }],
  })
}

/** A provider that gives one answer at a time may refuse the field itself. */
function withoutN({ request: { n: _, ...request } }: ChatCall): ChatCall {
  return { request }
}

/** All or none: if one request fails, the others are given up. */
async function all<T>(count: number, ask: () => Promise<T>, giveUp?: (one: T) => void): Promise<T[]> {
  const settled = await Promise.allSettled(Array.from({ length: count }, ask))
  const failed = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
  const begun = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (!failed) return begun
  if (giveUp) begun.forEach(giveUp)
  throw failed.reason
}
