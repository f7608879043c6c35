import type { CallStart } from '../calls/call.ts'
import { COPIES_OF_EVENT, Growth } from '../calls/memory-budget.ts'
import { wasLeft } from '../calls/pay-if-left.ts'
import type { ChatCompletion } from '../contract/chat-reply.ts'
import { refuseCutToolCalls, CompleteToolCallsDecoder } from '../dialects/answer/complete-tool-calls.ts'
import type { ChatCall, ChatCodec } from '../dialects/chat-codec.ts'
import { AwsEventStream } from '../net/aws-event-stream.ts'
import { EventReader } from '../net/event-reader.ts'
import { readHere } from '../net/read-text.ts'
import type { ChatAttempt } from '../routing/route.ts'
import { type WireBody, WireFailure, type WireResponse } from '../wire/wire.ts'
import { type Events, type OpenStream, readFirstChunks } from './first-chunks.ts'
import { streamOfWhole } from './stream-of-whole.ts'
import { FirstTokenTimer, lastFirstTokenMs } from './first-token-timer.ts'
import { KeepAliveLimit, keepAliveMs } from './keep-alive-limit.ts'
import { LegacyFunctionsDecoder, toLegacyAnswer, translatesLegacyFunctions } from './legacy-functions.ts'
import { readAnswer } from './read-answer.ts'
import { readProblem } from './read-problem.ts'
import { sendChat } from './send-chat.ts'
import { settle, settleWhole } from './settle.ts'
import { LARGE_CHARS } from '../json/large-text.ts'

const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** An answer that is not streamed has no first token to wait for. If another target is left, it has this long to begin. */
const HEADERS_WITH_FALLBACK_MS = 60_000

/** Asks a target for an answer that is not streamed. */
export async function askWhole(attempt: ChatAttempt, input: ChatCall): Promise<ChatCompletion> {
  const { target, isLast, call, context } = attempt
  const { timeouts } = target
  const headersMs = isLast ? timeouts.headersMs : Math.min(timeouts.headersMs, HEADERS_WITH_FALLBACK_MS)
  try {
    const { codec, coming } = sendChat(attempt, input, { signal: call.signal, headersMs })
    const response = await coming
    call.memory?.sent()
    if (!isGood(response)) throw await readProblem(codec, response, context.now())
    return toFormat(await readCompletion(response, codec, attempt, input), attempt, input)
  } catch (error) {
    payPromptIfLeft(attempt, input, error)
    throw error
  }
}

/** Whoever leaves before anything has arrived pays the prompt. What a provider has answered is settled already, or was an error. */
function payPromptIfLeft(attempt: ChatAttempt, { request }: ChatCall, error: unknown): void {
  if (wasLeft(attempt.call, error)) settle(attempt, request, { chars: 0 })
}

/** Most answers have arrived already, and nothing is waited for. The work that follows a long one is as long again. */
async function readCompletion(
  response: WireResponse,
  codec: ChatCodec,
  attempt: ChatAttempt,
  { request }: ChatCall,
): Promise<ChatCompletion> {
  const { target, call, context } = attempt
  const here = readHere(response.body, MAX_ANSWER_BYTES)
  const text = here ?? (await readAnswer(response, MAX_ANSWER_BYTES, call, context))
  if (here && here.length > LARGE_CHARS) await context.loopSlot(call.caller.owner)
  const completion = codec.decode(text, target)
  try {
    refuseCutToolCalls(completion)
  } catch (error) {
    // It is of no use, and paid all the same.
    settleWhole(attempt, request, completion)
    throw error
  }
  if (text.length > LARGE_CHARS) await context.loopSlot(call.caller.owner)
  return completion
}

/** Asks a target for a stream. The target has answered when the first chunk with content is here. */
export async function askStream(attempt: ChatAttempt, input: ChatCall): Promise<OpenStream> {
  const { target, isLast, call } = attempt
  const firstTokenMs = isLast ? lastFirstTokenMs(target, input, call) : target.timeouts.firstTokenMs
  const firstToken = firstTokenMs === undefined ? undefined : new FirstTokenTimer(call.signal, firstTokenMs)
  try {
    return await openStream(attempt, input, firstToken?.signal ?? call.signal)
  } catch (error) {
    payPromptIfLeft(attempt, input, error)
    throw firstToken?.isOver && !call.signal.aborted ? new WireFailure('first_token_timeout') : error
  } finally {
    firstToken?.end()
  }
}

async function openStream(attempt: ChatAttempt, input: ChatCall, signal: AbortSignal): Promise<OpenStream> {
  const { target, call, isLast, context } = attempt
  const { headersMs } = target.timeouts
  const keepAlives = new KeepAliveLimit(keepAliveMs(target.timeouts, isLast))
  const { codec, coming } = sendChat(attempt, input, { signal, headersMs })
  const response = await coming
  call.memory?.sent()
  if (!isGood(response)) throw await readProblem(codec, response, context.now())
  if (!isStream(response, codec))
    return streamOfWhole(toFormat(await readCompletion(response, codec, attempt, input), attempt, input))
  const own = new CompleteToolCallsDecoder(codec.decoder(input.request, target))
  const decoder = translatesLegacyFunctions(target, input) ? new LegacyFunctionsDecoder(own) : own
  const events = eventsOf(response.body, codec, call, keepAlives)
  try {
    const first = await readFirstChunks(events, decoder, attempt)
    keepAlives.noteContent()
    return { first, events, decoder, noteContent: () => keepAlives.noteContent() }
  } catch (error) {
    events.close()
    throw error
  }
}

/** In the form of the old function calls, if the client uses them and the dialect does not have them. */
function toFormat(completion: ChatCompletion, { target }: ChatAttempt, input: ChatCall): ChatCompletion {
  return translatesLegacyFunctions(target, input) ? toLegacyAnswer(completion) : completion
}

function isGood({ status }: WireResponse): boolean {
  return status >= 200 && status < 300
}

function isStream({ headers }: WireResponse, { framing }: ChatCodec): boolean {
  const expected = framing === 'aws-event-stream' ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
  return String(headers['content-type'] ?? '')
    .toLowerCase()
    .startsWith(expected)
}

/** An event is held until it is complete, so the bytes of a long one are counted like those of an answer. */
function eventsOf(
  body: WireBody,
  { framing }: ChatCodec,
  { memory, signal }: CallStart,
  keepAlives: KeepAliveLimit,
): Events {
  const growth = new Growth(memory, COPIES_OF_EVENT, signal)
  const reach = (bytes: number) => {
    keepAlives.noteRead()
    return growth.reach(bytes)
  }
  return framing === 'aws-event-stream' ? new AwsEventStream(body, reach) : new EventReader(body, reach)
}
