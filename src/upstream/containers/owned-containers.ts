import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AppContext } from '../app/context.ts'
import type { Message } from '../contract/chat.ts'
import type { ChatChunk, ChatCompletion, Delta } from '../contract/chat-reply.ts'
import type { ChatCall, ChatCodec, ChatDecoder, Encoded, Note } from '../dialects/chat-codec.ts'
import { type Fields, isRecord, recordOf, textOf } from '../schema/record.ts'
import type { WireEvent } from '../wire/wire.ts'
import type { ChatAttempt } from '../routing/route.ts'
import { WrappedDecoder } from '../dialects/answer/wrapped-decoder.ts'

// A container of a provider is in the operator's account, which all callers share. So its id is signed for the owner whose
// call created it, and only that owner can use it again, until it expires.

/** Without the secret (see ResultLinks), containers are not signed, and so nobody can use them again. */
type Owner = { owner: string; secret(): string | undefined; now(): number }

/** The codec of a provider with containers: it signs them in answers and checks them in requests. */
export function withOwnedContainers(codec: ChatCodec, { target, call, context }: ChatAttempt): ChatCodec {
  if (target.provider.dialect !== 'anthropic') return codec
  const owner = ownerOf(call.caller.owner, context)
  return {
    ...codec,
    encode: (input, to) => encodeChecked(input, owner, (checked) => codec.encode(checked, to)),
    decode: (text, to) => signedCompletion(codec.decode(text, to), owner),
    decoder: (request, to) => new SigningDecoder(codec.decoder(request, to), owner),
  }
}

function ownerOf(owner: string, { links, now }: Pick<AppContext, 'links' | 'now'>): Owner {
  return { owner, secret: links.secret, now }
}

function encodeChecked(input: ChatCall, owner: Owner, encode: (input: ChatCall) => Encoded): Encoded {
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

function checkedMessage(message: Message & { provider_content?: unknown }, owner: Owner): Message {
  const { provider_content } = message
  if (!isRecord(provider_content) || !isRecord(provider_content.container)) return message
  if (isUsable(provider_content.container, owner)) return message
  const { container: _, ...rest } = provider_content
  return { ...message, provider_content: rest }
}

function isUsable({ id, expires_at, owner_signature }: Fields, owner: Owner): boolean {
  const signature = signatureOf(textOf(id), owner)
  if (signature === undefined) return false
  const [expected, given] = [Buffer.from(signature), Buffer.from(textOf(owner_signature))]
  const isOwn = expected.length === given.length && timingSafeEqual(expected, given)
  return isOwn && !(Date.parse(textOf(expires_at)) <= owner.now())
}

function signatureOf(id: string, { owner, secret }: Owner): string | undefined {
  const key = secret()
  if (key === undefined) return undefined
  return createHmac('sha256', key)
    .update(JSON.stringify(['container', owner, id]))
    .digest('base64url')
}

function signedCompletion(completion: ChatCompletion, owner: Owner): ChatCompletion {
  for (const { message } of completion.choices) sign(message, owner)
  return completion
}

function sign({ provider_content }: Pick<Delta, 'provider_content'>, owner: Owner): void {
  const container = provider_content?.container
  const signature = isRecord(container) ? signatureOf(textOf(recordOf(container).id), owner) : undefined
  if (isRecord(container) && signature !== undefined) container.owner_signature = signature
}

class SigningDecoder extends WrappedDecoder {
  readonly #owner: Owner

  constructor(inner: ChatDecoder, owner: Owner) {
    super(inner)
    this.#owner = owner
  }

  feed(event: WireEvent): ChatChunk[] {
    const chunks = this.inner.feed(event)
    for (const { choices } of chunks) for (const { delta } of choices) sign(delta, this.#owner)
    return chunks
  }
}
