import type { Tools } from '../feature.ts'
import { typeOf } from '../http/file-kinds.ts'

/** Stores the audio of a provider. Its description stands for the original answer, which is only audio. */
export async function keepSpeech(tools: Tools, format: string, bytes: Uint8Array) {
  const type = typeOf(format)
  const audio_resource_url = await tools.keep({ name: `speech.${format}`, type, bytes })
  return { output: { audio_resource_url }, original: { type, size: bytes.length } }
}
