import type { Message } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import { argumentsOf, type PastCall } from '../request/past-calls.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { isVertex } from './address.ts'
import { mediaAt } from './media.ts'
import type { MessageParts } from './message-parts.ts'
import { earlierBlocks } from '../provider-blocks.ts'
import { inOrder, MAKER } from './provider-content.ts'
import { type Signatures, signaturesOf, withSignature } from './signatures.ts'
import type { Translation } from './tool-results.ts'
import type { WirePart } from './wire.ts'

/** The parts of an assistant message, in the order in which the model generates them. */
export function assistantParts(
  message: Message,
  at: number,
  reader: MessageParts,
  translation: Translation,
): WirePart[] {
  const signatures = signaturesOf(message)
  const loc = ['messages', at]
  const images = drawn(message, loc, signatures)
  const calls = translation.calls.made(message, at).map((call) => {
    return { id: call.id, part: callPart(call, signatures, translation) }
  })
  const earlier = earlierBlocks(message, MAKER, translation.notes)
  if (earlier) return inOrder(earlier, { images, calls })
  const texts = signedText(reader.parts(message, loc), signatures.ofText)
  return [...texts, ...images, ...calls.map(({ part }) => part)]
}

function signedText(parts: WirePart[], signature: string | undefined): WirePart[] {
  if (!signature) return parts
  const last = parts.findLastIndex(({ text }) => text !== undefined)
  return last < 0
    ? [...parts, { text: '', thoughtSignature: signature }]
    : parts.with(last, withSignature(parts[last]!, signature))
}

/** Images of an earlier reply: without them a request such as "make it bluer" has nothing to work on. */
function drawn(message: Message, loc: Loc, signatures: Signatures): WirePart[] {
  return recordsIn((message as Fields).images).flatMap((image, at) => {
    const url = textOf(recordOf(image.image_url).url)
    return url
      ? withSignature(mediaAt(url, [...loc, 'images', at, 'image_url', 'url'], 'image/png'), signatures.ofImage(at))
      : []
  })
}

/** Some versions of Vertex refuse the id; there, calls and results are matched by their order. */
function callPart(made: PastCall, signatures: Signatures, { target, notes }: Translation): WirePart {
  const { id, name, call } = made
  const functionCall = { ...(!isVertex(target) && { id }), name, args: argumentsOf(made, notes) }
  return withSignature({ functionCall }, signatures.ofCall(call))
}
