import { inOneOrder, openOrder } from '../attempts/attempt.ts'
import type { CallFacts } from '../call.ts'
import type { Order } from '../order.ts'
import { COPIES_OF_EVENT, MemoryGrowth } from '../memory-budget.ts'
import type { ChatCompletion } from '../../contract/chat-reply.ts'
import { AnswerDecoder } from '../../translation/dialects/answer/answer-decoder.ts'
import { settleEnds } from '../../translation/dialects/answer/whole-answer.ts'
import type { ChatCall, ChatCodec } from '../../translation/dialects/chat-codec.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { AwsEventStream } from '../../platform/net/aws-event-stream.ts'
import { EventReader, type Reach } from '../../platform/net/event-reader.ts'
import { SniffedBody } from '../../platform/net/sniffed-body.ts'
import type { ChatAttempt } from '../routing/chat-targets.ts'
import { isRecord } from '../../base/schema/record.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { WireFailure, type WireResponse } from '../../translation/wire/wire.ts'
import { type Events, NotBegun, type OpenStream, readFirstChunks } from './first-chunks.ts'
import { streamOfWhole } from './stream-of-whole.ts'
import { FirstTokenTimer, lastFirstTokenMs } from './first-token-timer.ts'
import { KeepAliveLimit, keepAliveMs } from './keep-alive-limit.ts'
import { LegacyFunctionsDecoder, toLegacyAnswer, translatesLegacyFunctions } from './legacy-functions.ts'
import { mediaTypeOf } from '../../translation/wire/media-type.ts'
import { type ReadContext, readCompletion, readEvents } from './read-completion.ts'
import { readProblem } from './read-problem.ts'
import { sendChat } from './send-chat.ts'
import { billOfAbandoned, billOfWhole } from './chat-bill.ts'
import type { ChatInput } from './chat-input.ts'
import { billMomentsOfChat } from './abandoned-chat.ts'
import { MB } from '../../base/units/units.ts'

/** An answer that is not streamed has no first token to wait for. If another target is left, it has this long to begin. */
const HEADERS_WITH_FALLBACK_MS = 60_000

/** Asks a target for an answer that is not streamed, and pays for it. */
export function askWhole(attempt: ChatAttempt, input: ChatInput): Promise<ChatCompletion> {
  return inOneOrder(attempt, {
    likelyBill: (laterMs) => billOfAbandoned(attempt, input, laterMs),
    billMoments: () => billMomentsOfChat(attempt, input),
    ask: (order) => sendAndRead({ attempt, input, order }),
    billOf: (completion) => billOfWhole(attempt, input.request, completion),
  })
}

async function sendAndRead({ attempt, input, order }: Ordered): Promise<ChatCompletion> {
  const { target, isLast, call, services } = attempt
  const { timeouts } = target
  const headersMs = isLast ? timeouts.headersMs : Math.min(timeouts.headersMs, HEADERS_WITH_FALLBACK_MS)
  const { codec, coming } = sendChat(attempt, input, { signal: call.signal, headersMs, report: order.report })
  const response = await coming
  call.memory?.sent()
  if (!isGood(response)) throw await readProblem(codec, response, services.now())
  return toFormat(await readOnce(response, { codec, attempt, input, order }), attempt, input)
}

type Ordered = { attempt: ChatAttempt; input: ChatInput; order: Order }

/** Frames of AWS are not text. */
function readOnce(response: WireResponse, context: ReadContext): Promise<ChatCompletion> {
  const { codec, attempt } = context
  if (codec.framing !== 'aws-event-stream' || mediaTypeOf(response) !== AWS_EVENT_STREAM)
    return readCompletion(response, context)
  const memoryGrowth = new MemoryGrowth(attempt.call.memory, COPIES_OF_EVENT, attempt.call.signal)
  return readEvents(new AwsEventStream(response.body, (bytes) => memoryGrowth.reach(bytes)), context)
}

/**
 * Asks a target for a stream. The target has answered when the first chunk with content is here. The order stays open, because it is
 * paid for when the stream has ended.
 */
export async function askStream(attempt: ChatAttempt, input: ChatInput): Promise<OpenStream> {
  const { target, isLast, call } = attempt
  const order = openOrder(
    attempt,
    (laterMs) => billOfAbandoned(attempt, input, laterMs),
    () => billMomentsOfChat(attempt, input),
  )
  const firstTokenMs = isLast ? lastFirstTokenMs(target, input) : target.timeouts.firstTokenMs
  const firstToken = firstTokenMs === undefined ? undefined : new FirstTokenTimer(call.signal, firstTokenMs)
  try {
    return await openStream({ attempt, input, order }, firstToken?.signal ?? call.signal)
  } catch (error) {
    const failure = firstToken?.isOver && !call.signal.aborted ? new WireFailure('first_token_timeout') : error
    order.failed(failure)
    throw failure
  } finally {
    firstToken?.end()
  }
}

async function openStream({ attempt, input, order }: Ordered, signal: AbortSignal): Promise<OpenStream> {
  const { target, call, isLast, services } = attempt
  const { headersMs } = target.timeouts
  const keepAlives = new KeepAliveLimit(keepAliveMs(target.timeouts, isLast))
  const { codec, coming } = sendChat(attempt, input, { signal, headersMs, report: order.report })
  const response = await coming
  call.memory?.sent()
  if (!isGood(response)) throw await readProblem(codec, response, services.now())
  const received = await sniff(response, codec, reachOf(call, keepAlives))
  const context = { codec, attempt, input, order }
  const orders = [{ order, request: input.request }]
  if (!received.events)
    return streamOfWhole(toFormat(await readCompletion(received.whole, context), attempt, input), orders)
  const { events } = received
  const own = new AnswerDecoder(codec.decoder(input.request, target))
  const decoder = translatesLegacyFunctions(target, input) ? new LegacyFunctionsDecoder(own) : own
  try {
    const first = await readFirstChunks(events, decoder, attempt)
    keepAlives.noteContent()
    return { first, events, decoder, orders, noteContent: () => keepAlives.noteContent() }
  } catch (error) {
    events.close()
    const whole = error instanceof NotBegun ? wholeIn(error, codec, target) : undefined
    if (whole) return streamOfWhole(toFormat(whole, attempt, input), orders)
    throw error instanceof NotBegun && error.events === 0 ? notEvents(error, response) : error
  }
}

/** Some servers send the whole answer as the only event of a stream. */
function wholeIn({ only }: NotBegun, codec: ChatCodec, target: ChatAttempt['target']): ChatCompletion | undefined {
  if (only === undefined) return undefined
  try {
    return settleEnds(codec.decode(only, target), target.compat?.endsWithoutReason)
  } catch {
    return undefined
  }
}

function notEvents(error: NotBegun, response: WireResponse): UpstreamProblem {
  const type = mediaTypeOf(response)
  if (type === EVENT_STREAM || type === AWS_EVENT_STREAM) return error
  return new UpstreamProblem(error.kind, `${error.message}: it sent no events (${type || 'no content type'})`)
}

/** In the form of the old function calls, if the client uses them and the dialect does not have them. */
function toFormat(completion: ChatCompletion, { target }: ChatAttempt, input: ChatCall): ChatCompletion {
  return translatesLegacyFunctions(target, input) ? toLegacyAnswer(completion) : completion
}

function isGood({ status }: WireResponse): boolean {
  return status >= 200 && status < 300
}

const EVENT_STREAM = 'text/event-stream'
const AWS_EVENT_STREAM = 'application/vnd.amazon.eventstream'
/** Types of bodies whose lines are events. */
const LINES: ReadonlySet<string> = new Set([EVENT_STREAM, 'application/x-ndjson', 'application/jsonl'])
const MAX_LINE_BYTES = 32 * MB
const OPENING_BRACE = 0x7b
const OPENING_BRACKET = 0x5b
/** The first byte of the length of a frame, which is at most 17 MB. No text begins with it. */
const MAX_FIRST_OF_FRAME = 1

type Received = { events: Events; whole?: undefined } | { events?: undefined; whole: WireResponse }

/**
 * Reads an answer as what its bytes say: many servers and proxies send a stream without its type, or an answer in one piece
 * where a stream was asked for. JSON in lines is a stream only if its type says so: a whole answer may end with a line break.
 */
async function sniff(response: WireResponse, { framing }: ChatCodec, reach: Reach): Promise<Received> {
  const body = new SniffedBody(response.body, reach)
  try {
    const first = await body.firstByte()
    const isJson = first === OPENING_BRACE || first === OPENING_BRACKET
    if (isJson && !(await hasEventInLine(body, response))) return { whole: { ...response, body: body.replay() } }
    const isFramed = framing === 'aws-event-stream' && (first === undefined || first <= MAX_FIRST_OF_FRAME)
    return { events: isFramed ? new AwsEventStream(body.replay(), reach) : new EventReader(body.replay(), reach) }
  } catch (error) {
    body.close()
    throw error
  }
}

async function hasEventInLine(body: SniffedBody, response: WireResponse): Promise<boolean> {
  if (!LINES.has(mediaTypeOf(response))) return false
  const line = await body.firstLine(MAX_LINE_BYTES)
  return line !== undefined && isRecord(tryParse(line))
}

/** An event is held until it is complete, so the bytes of a long one are counted like those of an answer. */
function reachOf({ memory, signal }: CallFacts, keepAlives: KeepAliveLimit): Reach {
  const memoryGrowth = new MemoryGrowth(memory, COPIES_OF_EVENT, signal)
  return (bytes) => {
    keepAlives.noteRead()
    return memoryGrowth.reach(bytes)
  }
}
