import type { SpeechRequest } from '../contract/audio.ts'
import type { Usage } from '../contract/chat-reply.ts'
import type { SpeechCall } from '../dialects/speech-codec.ts'
import { toTokens } from '../billing/token-buckets.ts'
import { costOfWork } from '../billing/work-price.ts'
import { type Call, failCall } from '../calls/call.ts'
import { closeCall } from '../calls/close-call.ts'
import { isFailure, toProblem } from '../attempts/failures.ts'
import { completed } from '../routing/alias-defaults.ts'
import { type TargetReply, forward, type ForwardedRequest } from '../upstream/forward.ts'
import type { AppContext } from '../app/context.ts'
import type { ChatTarget } from '../routing/route.ts'
import { likelySpeechBill, priceOfCharacter, speechWorstCase } from './audio-worst-case.ts'
import { simulatedSpeech } from './speech-simulated.ts'
import { bytesOf, speakAsTask, speakBy, type SpeechResult, voiceOf } from './synthesize.ts'
import { payForLeft } from '../calls/pay-if-left.ts'
import { spend } from '../calls/spend.ts'
import { codePointsIn } from '../wire/code-points.ts'

/** Bytes on their way to the caller. The ledger line is written when the caller has read them all or has left. */
export type Audio = { type: string; bytes: AsyncGenerator<Uint8Array> }

const FIELDS = ['input', 'voice', 'response_format', 'speed', 'instructions', 'stream_format'] as const

export async function speak(body: SpeechRequest, call: Call, context: AppContext): Promise<Audio> {
  try {
    call.worstCase = (target: ChatTarget) => speechWorstCase(body, target)
    call.likelyBill = (target: ChatTarget) => likelySpeechBill(body, target)
    const answered = await forward(forwardedRequestOf(body, call), call, context)
    const isCounted = settle(answered, body, call)
    return { type: answered.reply.type, bytes: passed(answered, isCounted, call, context) }
  } catch (error) {
    const failure = failCall(call, error)
    closeCall(call, context)
    throw failure
  }
}

function forwardedRequestOf(body: SpeechRequest, call: Call): ForwardedRequest<SpeechResult> {
  return {
    model: body.model,
    fallbacks: body.fallbacks,
    kinds: ['speech'],
    endpoint: 'audio/speech',
    speaks: (target) => voiceOf(target) !== undefined,
    ask: async (target, exchange) => {
      const input = toCall(completed(body, target))
      const voice = voiceOf(target)!
      if (typeof voice === 'function') return await speakAsTask(input, target, exchange.tools)
      return await speakBy(voice, input, { target, exchange, call })
    },
    simulate: () => {
      const { type, body: bytes } = simulatedSpeech(body)
      return { type, body: bytesOf(bytes), cost: 0 }
    },
  }
}

function toCall(body: SpeechRequest): SpeechCall {
  const options = Object.fromEntries(FIELDS.map((field) => [field, body[field]]).filter(([, value]) => value != null))
  return { input: body.input, voice: body.voice, format: body.response_format ?? 'mp3', options }
}

/** False if the usage arrives only at the end of the audio. */
function settle({ reply, target }: TargetReply<SpeechResult>, { input }: SpeechRequest, call: Call): boolean {
  const usage = reply.usage?.()
  if (reply.usage && !usage) return false
  const tokens = usage ? toTokens(usage) : null
  const work = { tokens, units: codePointsIn(input) }
  const cost = reply.cost === undefined ? costOfWork(target.entry, work, priceOfCharacter(target)) : reply.cost
  spend(call, cost, tokens)
  return true
}

async function* passed(
  { reply, target }: TargetReply<SpeechResult>,
  isCounted: boolean,
  call: Call,
  context: AppContext,
): AsyncGenerator<Uint8Array> {
  let isClosed = false
  try {
    for await (const chunk of reply.body) {
      if (reply.isOver?.()) close()
      yield chunk
    }
  } catch (error) {
    throw failCall(call, isFailure(error) ? toProblem(error, target) : error)
  } finally {
    if (!isClosed && call.signal.aborted && call.status === 200) failCall(call, call.signal.reason)
    close()
  }

  function close() {
    if (isClosed) return
    isClosed = true
    if (!isCounted) payAtEnd(reply.usage?.(), target, call)
    closeCall(call, context)
  }
}

/** Whoever leaves before the usage arrives has ordered the whole speech all the same. */
function payAtEnd(usage: Usage | undefined, target: ChatTarget, call: Call): void {
  if (!usage && call.signal.aborted) return payForLeft(call, target)
  const tokens = usage ? toTokens(usage) : null
  spend(call, costOfWork(target.entry, { tokens }), tokens)
}
