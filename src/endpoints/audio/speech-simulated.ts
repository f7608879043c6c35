import type { SpeechRequest } from '../../contract/audio.ts'

const RATE_HZ = 8_000
const SECONDS_PER_CHARACTER = 0.05
const MAX_SECONDS = 10
const HEADER_BYTES = 44

/**
 * Silence for the sandbox, about as long as the spoken text would be. It is always a WAV file, whatever format was requested.
 */
export function simulatedSpeech({ input }: SpeechRequest): { type: string; body: Uint8Array } {
  const seconds = Math.min(MAX_SECONDS, input.length * SECONDS_PER_CHARACTER)
  return { type: 'audio/wav', body: silence(Math.ceil(seconds * RATE_HZ)) }
}

/** 8-bit mono: 128 is silence. */
function silence(samples: number): Uint8Array {
  const file = Buffer.alloc(HEADER_BYTES + samples, 128)
  file.write('RIFF', 0)
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8)
  for (const [at, value] of [16, 0x00010001, RATE_HZ, RATE_HZ, 0x00080001].entries())
    file.writeUInt32LE(value, 16 + at * 4)
  file.write('data', 36)
  file.writeUInt32LE(samples, 40)
  return file
}
