import type { SpeechRequest } from '../../contract/audio.ts'
import type { Usage } from '../../contract/chat-reply.ts'
import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireRequest } from '../wire/wire.ts'
import type { Note, Target } from './chat-codec.ts'
import { toText } from '../../base/schema/to-primitive.ts'

// How a wire format turns text into speech.

export type SpeechCodec = {
  /** Whether a model supports speech in this wire format. By default, all do. */
  serves?(model: string): boolean
  /** Never changes the call. Throws a problem that names the field if the wire format cannot express it. */
  encode(call: SpeechCall, target: Target): { wire: WireRequest; notes: Note[] }
  /** If absent, the answer is the audio itself. Throws an UpstreamProblem if the answer contains none. */
  decode?(text: string, call: SpeechCall): SpeechAudio
  problem(status: number, text: string): UpstreamProblem
}

export type SpeechCall = Pick<SpeechRequest, 'input' | 'voice'> & {
  format: NonNullable<SpeechRequest['response_format']>
  /** The caller's options, unchanged. */
  options: Readonly<Record<string, unknown>>
}

export type SpeechAudio = { type: string; bytes: Uint8Array; usage?: Usage | undefined }

/** The provider's own name of the voice. */
export function voiceName({ voice }: Pick<SpeechCall, 'voice'>): string {
  return typeof voice === 'string' ? voice : toText(voice.id ?? voice.name ?? '')
}
