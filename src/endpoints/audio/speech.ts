import type { SpeechRequest } from '../../contract/audio.ts'
import type { Usage } from '../../contract/chat-reply.ts'
import type { SpeechCall } from '../../translation/dialects/speech-codec.ts'
import { toTokens } from '../../money/billing/token-buckets.ts'
import { costOfWork } from '../../money/billing/work-price.ts'
import { openOrder } from '../../calls/attempts/attempt.ts'
import { runCall } from '../../calls/attempts/run-call.ts'
import type { Call } from '../../calls/call.ts'
import type { Bill, Order } from '../../calls/order.ts'
import { completed } from '../../calls/routing/alias-defaults.ts'
import { askOrSimulate, type Endpoint, planOf, priceVersionOf } from '../../calls/upstream/endpoint-plan.ts'
import { guardedBody } from '../../calls/guardrails/guarded-body.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { asBuffer } from '../../base/bytes/as-buffer.ts'
import { unknownTo } from '../../calls/upstream/unknown-fields.ts'
import { likelySpeechBill, priceOfCharacter, speechWorstCase } from './audio-worst-case.ts'
import { simulatedSpeech } from './speech-simulated.ts'
import { bytesOf, speakAsTask, speakBy, type SpeechResult, unknownToTask, voiceOf } from './synthesize.ts'
import { AudioRelay, judgeOf, type RelayedAudio } from './relay-audio.ts'
import { throughGenerator } from '../../base/bytes/through-generator.ts'
import { codePointsIn } from '../../translation/wire/code-points.ts'
import { keepWritten } from '../../translation/json/written-numbers.ts'

/** Bytes on their way to the caller. The ledger line is written when the caller has read them all or has left. */
export type Audio = { type: string; bytes: AsyncIterable<Uint8Array> }

const FIELDS = ['input', 'voice', 'response_format', 'speed', 'instructions', 'stream_format'] as const

const EVENTS = /^text\/event-stream/i
const EVENT_STREAM = 'text/event-stream; charset=utf-8'
const KNOWN: ReadonlySet<string> = new Set([...FIELDS, 'model', 'fallbacks', 'user', 'metadata'])

export function speak(body: SpeechRequest, call: Call, services: CallServices): Promise<Audio> {
  const plan = async () => planOf(speech(await guardedBody(body, call, services), call), call, services)
  return runCall(plan, call, services)
}

/** Speech that has begun. It is paid for at once, or when its end says what it costs. */
type Spoken = SpeechResult & Pick<RelayedAudio, 'judge'> & { order: Order }

function speech(body: SpeechRequest, call: Call): Endpoint<Spoken, Audio> {
  return {
    model: body.model,
    fallbacks: body.fallbacks,
    kinds: ['speech'],
    endpoint: 'audio/speech',
    endsItself: true,
    speaks: (target) => voiceOf(target) !== undefined,
    worstCase: (target) => speechWorstCase(body, target),
    ask: (attempt) => begin(body, attempt),
    notesFor: (target) => [
      ...(typeof voiceOf(target) === 'function' ? unknownToTask(toCall(body)) : []),
      ...unknownTo(body, KNOWN, 'this endpoint has no such field'),
    ],
    present: ({ reply, target }, ending) => {
      const pay: RelayedAudio['pay'] = (how) => payAtEnd(reply, target, how)
      const isWrapped = body.stream_format === 'sse' && !EVENTS.test(reply.type)
      const pieces = isWrapped ? asEvents : bytesIn
      const bytesOf = (isOver: () => void) => throughGenerator(reply.body, (audio) => pieces(audio, reply, isOver))
      return {
        type: isWrapped ? EVENT_STREAM : reply.type,
        bytes: new AudioRelay(bytesOf, { call, target, ending, pay, judge: reply.judge }),
      }
    },
  }
}

async function begin(body: SpeechRequest, attempt: ChatAttempt): Promise<Spoken> {
  const { target, call } = attempt
  const order = openOrder(attempt, () => likelySpeechBill(body, target))
  try {
    const reply = await askOrSimulate<SpeechResult>(attempt, order, {
      ask: async (exchange) => {
        const input = toCall(completed(body, target))
        const voice = voiceOf(target)!
        if (typeof voice === 'function') return await speakAsTask(input, target, exchange.tools)
        return await speakBy(voice, input, { target, exchange, call })
      },
      simulate: () => {
        const { type, body: bytes } = simulatedSpeech(body)
        return { type, body: bytesOf(bytes), cost: 0 }
      },
    })
    const usage = reply.usage?.()
    if (!reply.usage || usage) order.delivered(billOf(reply, { usage, units: codePointsIn(body.input) }, target))
    return { ...reply, order, judge: judgeOf(attempt) }
  } catch (error) {
    order.failed(error)
    throw error
  }
}

/** For a caller that reads events, from a provider that sends audio. */
async function* asEvents(
  audio: AsyncIterable<Uint8Array>,
  { usage }: SpeechResult,
  over: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of audio)
    yield eventOf({ type: 'speech.audio.delta', audio: asBuffer(chunk).toString('base64') })
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens } = usage?.() ?? {}
  const counted = input_tokens !== undefined && { usage: { input_tokens, output_tokens, total_tokens } }
  over()
  yield eventOf({ type: 'speech.audio.done', ...counted })
}

function eventOf(event: object): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
}

async function* bytesIn(
  body: AsyncIterable<Uint8Array>,
  { isOver }: SpeechResult,
  over: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    if (isOver?.()) over()
    yield chunk
  }
}

function toCall(body: SpeechRequest): SpeechCall {
  const given = FIELDS.map((field) => [field, body[field]]).filter(([, value]) => value != null)
  const options = keepWritten(Object.fromEntries(given), body)
  return { input: body.input, voice: body.voice, format: body.response_format ?? 'mp3', options }
}

type Counted = { usage: Usage | undefined; units?: number | undefined }

function billOf({ cost }: SpeechResult, { usage, units }: Counted, target: ChatTarget): Bill {
  const tokens = usage ? toTokens(usage) : null
  const each = units === undefined ? undefined : priceOfCharacter(target)
  const priceVersion = priceVersionOf(target)
  return { cost: cost === undefined ? costOfWork(target.entry, { tokens, units }, each) : cost, tokens, priceVersion }
}

/** A caller who leaves before the usage arrives has ordered the whole speech all the same; a provider that breaks off may bill it. */
function payAtEnd({ order, ...reply }: Spoken, target: ChatTarget, how: 'whole' | 'cut'): void {
  const usage = reply.usage?.()
  if (!usage && how === 'cut') order.left()
  else if (order.isOpen) order.delivered(billOf(reply, { usage }, target))
}
