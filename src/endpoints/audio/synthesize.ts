import { costOfWork } from '../../money/billing/work-price.ts'
import { priceOfCharacter } from './audio-worst-case.ts'
import type { SpeechRequest } from '../../contract/audio.ts'
import type { Usage } from '../../contract/chat-reply.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { WireResponse } from '../../translation/wire/wire.ts'
import { type SpeechCall, type SpeechCodec, voiceName } from '../../translation/dialects/speech-codec.ts'
import { SPEECH_WIRES, type SpeechWire } from '../../translation/dialects/speech-wires/index.ts'
import { findAdapter } from '../../translation/tasks/adapters.ts'
import tts from '../../translation/tasks/audio/tts/feature.ts'
import type { Adapter, Tools } from '../../translation/tasks/feature.ts'
import type { Call } from '../../calls/call.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import type { Exchange } from '../../calls/upstream/endpoint-plan.ts'
import type { ChatTarget } from '../../calls/routing/chat-targets.ts'
import { unknownTo } from '../../calls/upstream/unknown-fields.ts'
import { SpeechEvents } from './speech-events.ts'
import { MB } from '../../base/units/units.ts'

const MAX_ANSWER_BYTES = 256 * MB

/** Speech whose first bytes have arrived. */
export type SpeechResult = {
  type: string
  body: AsyncIterable<Uint8Array>
  /** The provider's usage, if it reports any: known at once, or at the end of the audio. */
  usage?(): Usage | undefined
  /** Whether the next bytes tell the client that the audio is complete. */
  isOver?(): boolean
  /** The cost, if it is known without the catalog. */
  cost?: number | null
}

/** How a target makes speech: with its speech codec or its task adapter; undefined if it has neither. */
export function voiceOf({ provider, model }: ChatTarget) {
  const name = provider.speech ?? provider.dialect
  const codec: SpeechCodec | undefined =
    name && Object.hasOwn(SPEECH_WIRES, name) ? SPEECH_WIRES[name as SpeechWire] : undefined
  if (codec && (codec.serves?.(model) ?? true)) return codec
  return findAdapter(tts, provider.id)
}

export async function speakBy(
  codec: SpeechCodec,
  input: SpeechCall,
  { target, exchange, call }: { target: ChatTarget; exchange: Exchange; call: Call },
) {
  const isCounted = asksForEvents(input, target)
  const options = isCounted ? { ...input.options, stream_format: 'sse' } : input.options
  const { wire, notes } = codec.encode({ ...input, options }, target)
  call.record.replaceNotes(notes)
  const response = await exchange.send(wire, codec.problem)
  return codec.decode
    ? await decoded(codec, await exchange.read(response, MAX_ANSWER_BYTES), input)
    : passed(response, input, isCounted)
}

/**
 * Models that are billed by tokens report usage only at the end of an event stream, so the gateway requests events and unpacks
 * the audio for the caller.
 */
function asksForEvents({ options }: SpeechCall, { provider, entry }: ChatTarget): boolean {
  const hasEvents = provider.openaiEndpoints?.includes('speech events') ?? false
  return hasEvents && options.stream_format === undefined && Boolean(entry?.price)
}

async function decoded(codec: SpeechCodec, text: string, input: SpeechCall): Promise<SpeechResult> {
  const { type, bytes, usage } = codec.decode!(text, input)
  return { type, body: bytesOf(bytes), ...(usage && { usage: () => usage }) }
}

function passed({ headers, body }: WireResponse, { format }: SpeechCall, isUnpacked: boolean): SpeechResult {
  const type = String(headers['content-type'] ?? 'application/octet-stream')
  // An error with status 200.
  if (/^(text\/html|text\/plain|application\/json)/i.test(type))
    throw new UpstreamProblem('garbage', 'the answer of the provider is not audio')
  if (!/^text\/event-stream/i.test(type)) return { type, body }
  const events = new SpeechEvents(body)
  const usage = () => events.usage
  return isUnpacked
    ? { type: TYPES[format] ?? type, body: events.audio(), usage }
    : { type, body: events.asTheyAre(), usage, isOver: () => events.isOver }
}

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

export function unknownToTask({ options }: SpeechCall): Note[] {
  return unknownTo(options, SPOKEN_FIELDS, 'this provider has no such field')
}

/** What the task knows, and what the gateway does itself with the audio. */
const SPOKEN_FIELDS: ReadonlySet<string> = new Set(['input', 'voice', 'response_format', 'speed', 'stream_format'])

type AudioFile = { type: string; bytes: Uint8Array }

/** Runs the task adapter. The file that it would store is the answer. */
export async function speakAsTask(request: SpeechCall, target: ChatTarget, tools: Tools): Promise<SpeechResult> {
  const { provider, model } = target
  const { run } = (await findAdapter(tts, provider.id)!()) as Adapter<typeof tts>
  let made: AudioFile | undefined
  const keep = async (file: AudioFile) => {
    made = file
    return ''
  }
  const speed = request.options.speed as SpeechRequest['speed']
  const input = { text: request.input, voice: voiceName(request) || null, speed, audio_format: request.format }
  const { units } = await run({ input, model, params: {}, files: {} }, { ...tools, keep })
  if (!made) throw new UpstreamProblem('empty', 'the provider returned no audio')
  const cost = costOfWork(target.entry, { units }, priceOfCharacter(target))
  return { type: made.type, body: bytesOf(made.bytes), cost }
}

export async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
