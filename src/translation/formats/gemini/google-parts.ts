import type { ReplyMessage } from '../../../contract/chat-reply.ts'
import { Notes } from '../../dialects/notes.ts'
import { earlierBlocks } from '../../dialects/provider-blocks.ts'
import { inOrder, MAKER } from '../../dialects/gemini/provider-content.ts'
import { signaturesOf, withSignature } from '../../dialects/gemini/signatures.ts'
import type { WirePart } from '../../dialects/gemini/wire.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { callPart, imageParts } from './answer-parts.ts'

/** The parts of an answer of Google that hooks have changed, with Google's signatures. */
export function googleParts(message: ReplyMessage & { images?: unknown }): Fields[] {
  const signatures = signaturesOf(message)
  const thought = textOf(message.reasoning_content)
  const calls = (message.tool_calls ?? []).map((call) => {
    return { id: call.id, part: withSignature(callPart(call) as WirePart, signatures.ofCall(call)) }
  })
  const images = imageParts(message.images).map((part, at) => withSignature(part as WirePart, signatures.ofImage(at)))
  const earlier = earlierBlocks(message, MAKER, new Notes())
  const answerParts = earlier
    ? inOrder(
        earlier.filter(({ type }) => type !== 'metadata'),
        { images, calls },
      )
    : [...textPart(message, signatures.ofText), ...images, ...calls.map(({ part }) => part)]
  const parts = [...(thought ? [{ text: thought, thought: true }] : []), ...answerParts]
  return parts.length > 0 ? parts : [{ text: '' }]
}

/** What Google says about the sources of an answer. */
export function googleMetadata({ provider_content }: Pick<ReplyMessage, 'provider_content'>): Fields {
  const blocks = recordsIn(recordOf(provider_content).blocks)
  return recordOf(blocks.find(({ type }) => type === 'metadata')?.metadata)
}

export function isOfGoogle({ provider_content, reasoning_details }: Fields): boolean {
  if (recordOf(provider_content).type === MAKER) return true
  return recordsIn(reasoning_details).some(({ type }) => textOf(type).startsWith('gemini.'))
}

function textPart({ content, refusal }: ReplyMessage, signature: string | undefined): WirePart[] {
  const text = `${content ?? ''}${refusal ?? ''}`
  return text || signature ? [withSignature({ text }, signature)] : []
}
