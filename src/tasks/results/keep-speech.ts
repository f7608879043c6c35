import type { Tools } from '../feature.ts'
import { typeOf } from '../inputs/file-kinds.ts'

/** Keeps a recording that a provider made; what is told of it stands for the answer, which is nothing but the sound. */
export async function keepSpeech(tools: Tools, format: string, bytes: Uint8Array) {
  const type = typeOf(format)
  const audio_resource_url = await tools.keep({ name: `speech.${format}`, type, bytes })
  return { output: { audio_resource_url }, original: { type, size: bytes.length } }
}
