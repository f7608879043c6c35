import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import type { WirePart } from './wire.ts'

// Gemini signs its reasoning and requires the signatures back in their places. A chat message has no field for them, so
// they travel as `reasoning_details`, opaque to the caller, who sends the message back unchanged. Calls also carry theirs
// as `extra_content.google.thought_signature`, like Google's own OpenAI-compatible layer; clients that keep only the calls
// keep that one.

/** Signs a call (`tool_call_id`), one of the message's images (`image_index`), or its text. */
export type ReasoningDetail = {
  type: 'gemini.thought_signature'
  signature: string
  tool_call_id: string | null
  image_index?: number
}

export type Signatures = {
  ofCall(call: Fields): string | undefined
  ofImage(index: number): string | undefined
  ofText: string | undefined
}

const NONE: Signatures = { ofCall: signatureIn, ofImage: () => undefined, ofText: undefined }

export function signaturesOf(message: Fields): Signatures {
  if (!Array.isArray(message.reasoning_details)) return NONE
  const details = recordsIn(message.reasoning_details)
  const signed = details.filter(({ type, signature }) => type === 'gemini.thought_signature' && textOf(signature))
  const find = (matches: (detail: Fields) => boolean) => signed.findLast(matches)?.signature as string | undefined
  return {
    ofCall: (call) => signatureIn(call) ?? find(({ tool_call_id }) => tool_call_id != null && tool_call_id === call.id),
    ofImage: (index) => find(({ image_index }) => image_index === index),
    ofText: find(({ tool_call_id, image_index }) => tool_call_id == null && image_index === undefined),
  }
}

export function withSignature(part: WirePart, signature: string | undefined): WirePart {
  return signature ? { ...part, thoughtSignature: signature } : part
}

function signatureIn(call: Fields): string | undefined {
  return textOf(recordOf(recordOf(call.extra_content).google).thought_signature) || undefined
}
