import type { CallStart } from '../calls/call.ts'
import { COPIES_OF_EVENT, Growth } from '../calls/memory-budget.ts'
import type { ChatChunk, ChatCompletion } from '../contract/chat-reply.ts'
import { keepEvents, replyIn } from '../contract/messages-native.ts'
import { chunksOf } from '../dialects/answer/completion-chunks.ts'
import { refuseCutCalls, WholeCallsDecoder } from '../dialects/answer/whole-calls.ts'
import type { ChatCall, ChatCodec, ChatDecoder } from '../dialects/chat-codec.ts'
import { messageAsEvents } from '../formats/messages/whole-events.ts'
import { isResponse } from '../formats/responses/read-response.ts'
import { responseAsEvents } from '../formats/responses/whole-events.ts'
import { AwsEventStream } from '../net/aws-event-stream.ts'
import { EventReader } from '../net/event-reader.ts'
import { readHere } from '../net/read-text.ts'
import type { ChatTarget } from '../routing/route.ts'
import type { Fields } from '../schema/record.ts'
import { type WireBody, WireFailure, type WireResponse } from '../wire/wire.ts'
import { type Events, LARGE_CHARS, type OpenStream, readFirstChunks } from './first-chunks.ts'
import { FirstTokenTimer, lastFirstTokenMs } from './first-token-timer.ts'
import { KeepAliveLimit, keepAliveMs } from './keep-alive-limit.ts'
import { toLegacyAnswer, usesLegacyFunctions, LegacyFunctionsDecoder } from './legacy-functions.ts'
import { readAnswer } from './read-answer.ts'
import { readProblem } from './read-problem.ts'
import { type ChatAttempt, sendChat } from './send-chat.ts'

const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** An answer that is not streamed has no first token to wait for. If another target is left, it has this long to begin. */
const HEADERS_WITH_FALLBACK_MS = 60_000

/** Asks a target for an answer that is not streamed. */
export async function askWhole(attempt: ChatAttempt, input: ChatCall): Promise<ChatCompletion> {
  const { target, isLast, call } = attempt
  const { limits } = target
  const headersMs = isLast ? limits.headersMs : Math.min(limits.headersMs, HEADERS_WITH_FALLBACK_MS)
  const { codec, coming } = sendChat(attempt, input, { signal: call.signal, headersMs })
  const response = await coming
  call.memory?.sent()
  if (!isGood(response)) throw await readProblem(codec, response)
  const completion = await readCompletion(response, codec, attempt)
  return isTranslated(target, input) ? toLegacyAnswer(completion) : completion
}

/** Most answers have arrived already, and nothing is waited for. The work that follows a long one is as long again. */
async function readCompletion(
  response: WireResponse,
  codec: ChatCodec,
  { target, call, context }: ChatAttempt,
): Promise<ChatCompletion> {
  const here = readHere(response.body, MAX_ANSWER_BYTES)
  const text = here ?? (await readAnswer(response, MAX_ANSWER_BYTES, call, context))
  if (here && here.length > LARGE_CHARS) await context.loopSlot(call.caller.owner)
  const completion = codec.decode(text, target)
  refuseCutCalls(completion)
  if (text.length > LARGE_CHARS) await context.loopSlot(call.caller.owner)
  return completion
}

/** Asks a target for a stream. The target has answered when the first chunk with content is here. */
export async function askStream(attempt: ChatAttempt, input: ChatCall): Promise<OpenStream> {
  const { target, isLast, call } = attempt
  const firstTokenMs = isLast ? lastFirstTokenMs(target, input, call) : target.limits.firstTokenMs
  if (firstTokenMs === undefined) return openStream(attempt, input, call.signal)
  const firstToken = new FirstTokenTimer(call.signal, firstTokenMs)
  try {
    return await openStream(attempt, input, firstToken.signal)
  } catch (error) {
    throw firstToken.isOver && !call.signal.aborted ? new WireFailure('first_token_timeout') : error
  } finally {
    firstToken.end()
  }
}

async function openStream(attempt: ChatAttempt, input: ChatCall, signal: AbortSignal): Promise<OpenStream> {
  const { target, call, isLast } = attempt
  const { headersMs } = target.limits
  const keepAlives = new KeepAliveLimit(keepAliveMs(target.limits, isLast))
  const { codec, coming } = sendChat(attempt, input, { signal, headersMs })
  const response = await coming
  call.memory?.sent()
  if (!isGood(response)) throw await readProblem(codec, response)
  if (!isStream(response, codec)) return streamOfWhole(await readCompletion(response, codec, attempt), attempt, input)
  const own = new WholeCallsDecoder(codec.decoder(input.request, target))
  const decoder = isTranslated(target, input) ? new LegacyFunctionsDecoder(own) : own
  const events = eventsOf(response.body, codec, call, keepAlives)
  try {
    const first = await readFirstChunks(events, decoder, attempt)
    keepAlives.heard()
    return { first, events, decoder, heard: () => keepAlives.heard() }
  } catch (error) {
    events.close()
    throw error
  }
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

/** We requested a stream and got an answer in one piece. It is complete, so it is passed on as a stream that has ended. */
function streamOfWhole(completion: ChatCompletion, { target }: ChatAttempt, input: ChatCall): OpenStream {
  const chunks = chunksOf(isTranslated(target, input) ? toLegacyAnswer(completion) : completion)
  const native = replyIn(completion)
  return { first: native ? withOwnEvents(chunks, native) : chunks, events: NO_EVENTS, decoder: ENDED }
}

/** A caller with the provider's own format gets the events of that format. */
function withOwnEvents(chunks: ChatChunk[], native: Fields): ChatChunk[] {
  const { content, end } = isResponse(native) ? responseAsEvents(native) : messageAsEvents(native)
  return chunks.map((chunk, at) => {
    const isEnd = chunk.choices.some(({ finish_reason }) => finish_reason)
    return keepEvents(chunk, at === 0 ? content : isEnd ? end : [])
  })
}

const NO_EVENTS: Events = { next: async () => undefined, close: () => {} }
const ENDED: ChatDecoder = { feed: () => [], ended: true, done: true, malformed: 0 }

/** Whether a client that uses the old function calls is answered by a dialect that does not have them. */
function isTranslated({ provider }: ChatTarget, { request }: ChatCall): boolean {
  return provider.dialect !== 'openai' && usesLegacyFunctions(request)
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
    keepAlives.read()
    return growth.reach(bytes)
  }
  return framing === 'aws-event-stream' ? new AwsEventStream(body, reach) : new EventReader(body, reach)
}
