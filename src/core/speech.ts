import type { SpeechRequest } from '../contract/audio.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import type { WireBody } from '../contract/wire.ts'
import { type Call, closeCall, failCall } from './call.ts'
import { isFailure, toProblem } from './failures.ts'
import { forward } from './forward.ts'
import type { Outside } from './outside.ts'
import type { ChatTarget } from './route.ts'
import { simulatedSpeech } from './speech-simulated.ts'
import { spend } from './task-spending.ts'

/** Bytes on their way to the caller. Reading them to the end, or leaving them, writes the ledger line. */
export type Sound = { type: string; bytes: AsyncGenerator<Uint8Array> }

const FIELDS = ['input', 'voice', 'response_format', 'speed', 'instructions', 'stream_format'] as const

export async function speak(body: SpeechRequest, call: Call, outside: Outside): Promise<Sound> {
  try {
    const { target, response } = await forward(questionOf(body), call, outside)
    const type = String(response.headers['content-type'] ?? 'application/octet-stream')
    // An error that came with status 200.
    if (/^(text\/html|text\/plain|application\/json)/i.test(type))
      throw toProblem(new UpstreamProblem('garbage', 'the provider answered with something else than sound'), target)
    spend(call, costOf(body, target))
    return { type, bytes: passed(response.body, target, call, outside) }
  } catch (error) {
    const failure = failCall(call, error)
    closeCall(call, outside)
    throw failure
  }
}

function questionOf(body: SpeechRequest) {
  const given = Object.fromEntries(FIELDS.map((field) => [field, body[field]]).filter(([, value]) => value != null))
  return {
    model: body.model,
    kinds: ['speech'] as const,
    endpoint: 'audio/speech',
    path: '/audio/speech',
    payload: (model: string) => ({ type: 'application/json', body: JSON.stringify({ ...given, model }) }),
    simulate: () => simulatedSpeech(body),
  }
}

/** By the character where that is the price; what is priced by tokens of sound, nobody counts for us. */
function costOf({ input }: SpeechRequest, { entry, provider }: ChatTarget): number | null {
  if (provider.id === 'sandbox') return 0
  const each = entry?.per?.character
  return each === undefined ? null : each * Array.from(input).length
}

async function* passed(body: WireBody, target: ChatTarget, call: Call, outside: Outside): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw failCall(call, isFailure(error) ? toProblem(error, target) : error)
  } finally {
    if (call.signal.aborted && call.status === 200) failCall(call, call.signal.reason)
    closeCall(call, outside)
  }
}
