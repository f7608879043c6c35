import type { SpeechRequest } from '../contract/audio.ts'
import type { Usage } from '../contract/chat-reply.ts'
import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireRequest } from '../wire/wire.ts'
import type { Note, Target } from './chat-codec.ts'

// How a wire format reads a text aloud.

export type SpeechCodec = {
  /** Whether a model speaks on this wire; all do, where nothing is said. */
  serves?(model: string): boolean
  /** Never changes the call. Throws a problem that names the field when the wire cannot carry it. */
  encode(call: SpeechCall, target: Target): { wire: WireRequest; notes: Note[] }
  /** Absent: what comes is the sound itself. Throws an UpstreamProblem when there is none in it. */
  decode?(text: string, call: SpeechCall): SpeechAudio
  problem(status: number, text: string): UpstreamProblem
}

export type SpeechCall = Pick<SpeechRequest, 'input' | 'voice'> & {
  format: NonNullable<SpeechRequest['response_format']>
  /** What was asked of the sound, as it was asked. */
  options: Readonly<Record<string, unknown>>
}

export type SpeechAudio = { type: string; bytes: Uint8Array; usage?: Usage | undefined }

/** The provider's own name of the voice. */
export function voiceName({ voice }: Pick<SpeechCall, 'voice'>): string {
  return typeof voice === 'string' ? voice : String(voice.id ?? voice.name ?? '')
}
