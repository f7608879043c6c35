import type { Message } from '../../../contract/chat.ts'
import type { Answer, AnswerChunk, AnswerDelta } from '../../../translation/wire/answer.ts'
import type { ChatCall, ChatCodec, Encoded, Note } from '../../../translation/dialects/chat-codec.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'
import type { ChatAttempt } from '../../routing/chat-targets.ts'
import { type ContainerOwner, containerOwner, isSignature, signatureOf } from './container-owner.ts'
import { SigningDecoder } from './signing-decoder.ts'

// Containers of Anthropic are signed for their owner (container-owner.ts), who can use them again until they expire.

/** The codec of a provider with containers: it signs them in answers and checks them in requests. */
export function withOwnedContainers(codec: ChatCodec, attempt: ChatAttempt): ChatCodec {
  if (attempt.target.provider.dialect !== 'anthropic') return codec
  const owner = containerOwner(attempt)
  return {
    ...codec,
    encode: (input, to) => encodeChecked(input, owner, (checked) => codec.encode(checked, to)),
    decode: (text, to) => signedCompletion(codec.decode(text, to), owner),
    decoder: (request, to) => new SigningDecoder(codec.decoder(request, to), (chunk) => signChunk(chunk, owner)),
  }
}

function encodeChecked(input: ChatCall, owner: ContainerOwner, encode: (input: ChatCall) => Encoded): Encoded {
  const messages = input.request.messages.map((message) => checkedMessage(message, owner))
  if (messages.every((message, at) => message === input.request.messages[at])) return encode(input)
  const { wire, notes } = encode({ ...input, request: { ...input.request, messages }, source: undefined })
  return { wire, notes: [...notes, UNUSABLE] }
}

const UNUSABLE: Note = {
  field: 'messages.provider_content.container',
  action: 'dropped',
  reason: 'it has expired, or was not created by a call of the same owner',
}

function checkedMessage(message: Message & { provider_content?: unknown }, owner: ContainerOwner): Message {
  const { provider_content } = message
  if (!isRecord(provider_content) || !isRecord(provider_content.container)) return message
  if (isUsable(provider_content.container, owner)) return message
  const { container: _, ...rest } = provider_content
  return { ...message, provider_content: rest }
}

function isUsable({ id, expires_at, owner_signature }: Fields, owner: ContainerOwner): boolean {
  return isSignature(textOf(owner_signature), textOf(id), owner) && !(Date.parse(textOf(expires_at)) <= owner.now())
}

function signedCompletion(completion: Answer, owner: ContainerOwner): Answer {
  for (const { message } of completion.choices) sign(message, owner)
  return completion
}

function signChunk({ choices }: AnswerChunk, owner: ContainerOwner): void {
  for (const { delta } of choices) sign(delta, owner)
}

function sign({ provider_content }: Pick<AnswerDelta, 'provider_content'>, owner: ContainerOwner): void {
  const container = provider_content?.container
  const signature = isRecord(container) ? signatureOf(textOf(recordOf(container).id), owner) : undefined
  if (isRecord(container) && signature !== undefined) container.owner_signature = signature
}
