import type { ReplyMessage, ToolCall } from '../../../contract/chat-reply.ts'
import { packContent } from '../../dialects/packed-content.ts'
import { readDataUrl } from '../../dialects/data-url.ts'
import { parseToSend } from '../../json/exact-numbers.ts'
import { tryParse } from '../../json/try-parse.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { sealSignature } from './signatures.ts'

type Answer = ReplyMessage & { reasoning_details?: unknown; images?: unknown }

/** The parts of a whole answer. There is always one: SDKs take an answer without parts for a broken one. */
export function answerParts(message: Answer, provider: string): Fields[] {
  const { content, refusal, tool_calls, reasoning_content } = message
  const thought = textOf(reasoning_content)
  const text = `${content ?? ''}${refusal ?? ''}`
  const parts = [
    ...(thought ? [{ text: thought, thought: true }] : []),
    ...(text ? [{ text }] : []),
    ...imageParts(message.images),
    ...audioParts(message.audio),
    ...(tool_calls ?? []).map(callPart),
  ]
  return signed(parts, { details: packContent(message), provider })
}

type Carried = { details: readonly Fields[]; provider: string }

/**
 * Puts what has to come back with the next turn where clients keep it: at the first call, otherwise in a part of its own. A
 * call always gets a signature, because newer models of Google refuse calls without one, and ours says where it comes from.
 */
export function signed(parts: readonly Fields[], { details, provider }: Carried): Fields[] {
  const call = parts.findIndex(({ functionCall }) => functionCall)
  if (call < 0 && details.length === 0) return parts.length > 0 ? [...parts] : [{ text: '' }]
  const thoughtSignature = sealSignature(details, provider)
  if (call >= 0) return parts.with(call, { ...parts[call], thoughtSignature })
  const thought = parts.findLastIndex((part) => part.thought === true)
  if (thought >= 0 && parts.length > 1) return parts.with(thought, { ...parts[thought], thoughtSignature })
  return [...parts, { text: '', thoughtSignature }]
}

export function callPart({ id, function: called, custom }: ToolCall): Fields {
  const { name, input } = recordOf(custom)
  if (!called) return { functionCall: { id, name: textOf(name), args: { input } } }
  return { functionCall: { id, name: called.name, args: argsOf(called.arguments) } }
}

/** Arguments that are cut off, or are not an object, are passed on unchanged. */
function argsOf(json: string): Fields {
  const value = tryParse(json || '{}', parseToSend)
  return isRecord(value) ? value : { _raw: json }
}

export function imageParts(images: unknown): Fields[] {
  return recordsIn(images).flatMap(({ image_url }): Fields[] => {
    const url = textOf(recordOf(image_url).url)
    const data = readDataUrl(url)
    if (data) return [{ inlineData: { mimeType: data.type || 'image/png', data: data.base64 } }]
    return url ? [{ fileData: { mimeType: 'image/png', fileUri: url } }] : []
  })
}

/** The transcript of an audio answer is its text. */
export function audioParts(audio: unknown): Fields[] {
  const { data, transcript, format } = recordOf(audio)
  return [
    ...(textOf(transcript) ? [{ text: transcript }] : []),
    ...(textOf(data) ? [{ inlineData: { mimeType: `audio/${textOf(format) || 'wav'}`, data } }] : []),
  ]
}
