import { taskPrice } from '../catalog/task-prices.ts'
import type { SpeechRequest } from '../contract/audio.ts'
import type { Usage } from '../contract/chat-reply.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import type { WireResponse } from '../contract/wire.ts'
import { type SpeechCall, type SpeechFace, voiceName } from '../dialects/speech-face.ts'
import { SPEECH_WIRES, type SpeechWire } from '../dialects/speech-wires/index.ts'
import { findAdapter } from '../features/adapters.ts'
import tts from '../features/audio/tts/feature.ts'
import type { Adapter, Tools } from '../features/feature.ts'
import type { Call } from './call.ts'
import type { Line } from './forward.ts'
import type { ChatTarget } from './route.ts'
import { SpeechEvents } from './speech-events.ts'

const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/** A sound that has begun. */
export type Spoken = {
  type: string
  body: AsyncIterable<Uint8Array>
  /** Where the provider counts: known at once, or when the sound has ended. */
  usage?(): Usage | undefined
  /** Where it is known without the catalog. */
  cost?: number | null
}

/** How a target speaks: by its wire, or as its adapter of the task does; undefined where it has neither. */
export function voiceOf({ provider, model }: ChatTarget) {
  const name = provider.speech ?? provider.dialect
  const face: SpeechFace | undefined =
    name && Object.hasOwn(SPEECH_WIRES, name) ? SPEECH_WIRES[name as SpeechWire] : undefined
  if (face && (face.serves?.(model) ?? true)) return face
  return findAdapter(tts, provider.id)
}

export async function speakBy(face: SpeechFace, asked: SpeechCall, target: ChatTarget, line: Line, call: Call) {
  const isCounted = asksForEvents(asked, target)
  const given = isCounted ? { ...asked.given, stream_format: 'sse' } : asked.given
  const { wire, notes } = face.encode({ ...asked, given }, target)
  call.notes = notes
  const response = await line.send(wire, face.problem)
  return face.decode
    ? await decoded(face, await line.read(response, MAX_ANSWER_BYTES), asked)
    : passed(response, asked, isCounted)
}

/** What is paid by tokens is counted only at the end of events; the caller gets the bytes that they hold. */
function asksForEvents({ given }: SpeechCall, { provider, entry }: ChatTarget): boolean {
  return provider.id === 'openai' && given.stream_format === undefined && Boolean(entry?.price)
}

async function decoded(face: SpeechFace, text: string, asked: SpeechCall): Promise<Spoken> {
  const { type, bytes, usage } = face.decode!(text, asked)
  return { type, body: bytesOf(bytes), ...(usage && { usage: () => usage }) }
}

function passed({ headers, body }: WireResponse, { format }: SpeechCall, isUnpacked: boolean): Spoken {
  const type = String(headers['content-type'] ?? 'application/octet-stream')
  // An error that came with status 200.
  if (/^(text\/html|text\/plain|application\/json)/i.test(type))
    throw new UpstreamProblem('garbage', 'the provider answered with something else than sound')
  if (!/^text\/event-stream/i.test(type)) return { type, body }
  const events = new SpeechEvents(body)
  const usage = () => events.usage
  return isUnpacked
    ? { type: TYPES[format] ?? type, body: events.sound(), usage }
    : { type, body: events.asTheyAre(), usage }
}

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

type Kept = { type: string; bytes: Uint8Array }

/** The adapter of the task; the file that it would keep is the answer. */
export async function speakAsTask(asked: SpeechCall, { provider, model }: ChatTarget, tools: Tools): Promise<Spoken> {
  const { run } = (await findAdapter(tts, provider.id)!()) as Adapter<typeof tts>
  let made: Kept | undefined
  const keep = async (file: Kept) => {
    made = file
    return ''
  }
  const speed = asked.given.speed as SpeechRequest['speed']
  const input = { text: asked.input, voice: voiceName(asked) || null, speed, audio_format: asked.format }
  const { units } = await run({ input, model, params: {}, files: {} }, { ...tools, keep })
  if (!made) throw new UpstreamProblem('empty', 'the provider made no sound')
  const price = taskPrice('audio/tts', provider.id, model)
  return { type: made.type, body: bytesOf(made.bytes), cost: price && (units * price.price) / price.per }
}

export async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
