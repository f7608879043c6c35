import type { Answer } from '../../translation/wire/answer.ts'
import { AnswerDecoder } from '../../translation/dialects/answer/answer-decoder.ts'
import { completionOf } from '../../translation/dialects/answer/completion-of-chunks.ts'
import { settleEnds } from '../../translation/dialects/answer/whole-answer.ts'
import type { ChatCall, ChatCodec } from '../../translation/dialects/chat-codec.ts'
import { LARGE_CHARS } from '../../translation/json/large-text.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { EventReader } from '../../platform/net/event-reader.ts'
import { readHere } from '../../platform/net/read-text.ts'
import type { Order } from '../order.ts'
import type { ChatAttempt } from '../routing/chat-targets.ts'
import { isRecord } from '../../base/schema/record.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { WireEvent, WireResponse } from '../../translation/wire/wire.ts'
import { type Events, feedUntilEnd } from './first-chunks.ts'
import { mediaTypeOf } from '../../translation/wire/media-type.ts'
import { readAnswer } from './read-answer.ts'
import { billOf, billOfWhole } from './chat-bill.ts'
import { MB } from '../../base/units/units.ts'

const MAX_ANSWER_BYTES = 64 * MB
/** The beginning of server-sent events: a field or a comment. */
const EVENTS = /^\ufeff?\s*(?:data|event|id|retry)?:/

/** What was asked of whom, and how the answer is read. */
export type ReadContext = { codec: ChatCodec; attempt: ChatAttempt; input: ChatCall; order: Order }

/**
 * Reads an answer that is not streamed. Most answers have arrived already, and nothing is waited for. The work that follows a
 * long one is as long again. Some servers stream although a whole answer was asked for; then the events add up to the answer.
 */
export async function readCompletion(response: WireResponse, context: ReadContext): Promise<Answer> {
  const { attempt, input, order } = context
  const { call, services } = attempt
  const here = readHere(response.body, MAX_ANSWER_BYTES)
  const text = here ?? (await readAnswer(response, MAX_ANSWER_BYTES, call, services))
  if (here && here.length > LARGE_CHARS) await services.loopSlot(call.caller.owner)
  let completion: Answer | undefined
  try {
    completion = await decodeText(text, response, context)
    settleEnds(completion, attempt.target.compat?.endsWithoutReason)
  } catch (error) {
    // An answer that came and is of no use is paid all the same.
    if (completion) order.delivered(billOfWhole(attempt, input.request, completion))
    else if (error instanceof UpstreamProblem && error.usage)
      order.delivered(billOf(attempt, input.request, { usage: error.usage, chars: 0 }))
    throw error
  }
  if (text.length > LARGE_CHARS) await services.loopSlot(call.caller.owner)
  return completion
}

function decodeText(text: string, response: WireResponse, context: ReadContext): Promise<Answer> {
  return EVENTS.test(text) ? readEvents(new EventReader(piecesOf(text)), context) : decodeWhole(text, response, context)
}

/** The answer that the events of a stream add up to. */
export async function readEvents(events: Events, { codec, attempt, input }: ReadContext): Promise<Answer> {
  const decoder = new AnswerDecoder(codec.decoder(input.request, attempt.target))
  const chunks = []
  for (let batch = await events.next(); batch; batch = await events.next())
    for (const event of batch) for (const chunk of feedUntilEnd(decoder, event)) chunks.push(chunk)
  if (!decoder.ended) throw new UpstreamProblem('cut', 'the provider broke off before its answer was complete')
  return completionOf(chunks)
}

async function decodeWhole(text: string, response: WireResponse, context: ReadContext): Promise<Answer> {
  const { codec, attempt } = context
  try {
    return codec.decode(text.startsWith('\ufeff') ? text.slice(1) : text, attempt.target)
  } catch (error) {
    if (!(error instanceof UpstreamProblem) || error.kind !== 'garbage') throw error
    const listed = listedEvents(text)
    if (listed) return await readEvents(listed, context)
    throw withMediaType(error, response)
  }
}

/** Events as a list, or one in each line: Google sends a list where its events are not asked for by name. */
function listedEvents(text: string): Events | undefined {
  const list = text.trimStart().startsWith('[') ? tryParse(text) : undefined
  if (Array.isArray(list) && list.length > 0 && list.every(isRecord))
    return eventsOf(list.map((value) => ({ data: JSON.stringify(value) })))
  const lines = text.trim().split('\n')
  return lines.length > 1 && isRecord(tryParse(lines[0]!)) ? new EventReader(piecesOf(text)) : undefined
}

function eventsOf(all: WireEvent[]): Events {
  let rest: WireEvent[] | undefined = all
  const next = async () => {
    const batch = rest
    rest = undefined
    return batch
  }
  return { next, close: () => {} }
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** What the provider says that it sent, if that explains why it cannot be read. */
function withMediaType(error: UpstreamProblem, response: WireResponse): UpstreamProblem {
  const type = mediaTypeOf(response)
  return type === 'application/json'
    ? error
    : new UpstreamProblem('garbage', `${error.message} (${type || 'no content type'})`)
}
