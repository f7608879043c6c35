import { type Answer, type AnswerChunk, Internal } from '../../../translation/wire/answer.ts'
import type { ChatCodec, Note } from '../../../translation/dialects/chat-codec.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { type ContainerOwner, isSignature, signatureOf } from './container-owner.ts'
import type { AskedChat } from '../native-codec.ts'
import { SigningDecoder } from './signing-decoder.ts'

// A tool that runs programs goes on in the container that an earlier item of the input names. The caller sends these items, so the
// ids in them are signed for the owner who got them, and an item that names a container of others is left out.

/** Ids of containers have letters, digits and underscores. */
const MARK = '.'

const NOT_OWN: Note = {
  field: 'input',
  action: 'dropped',
  reason: "an item names something in the provider's account that no answer to the same owner has named",
}

/** The call with the provider's own ids of containers, and without items that name what is not the owner's. */
export function withOwnItems(call: AskedChat, owner: ContainerOwner): { input: AskedChat; notes: Note[] } {
  const { native } = call
  if (native?.format !== 'responses' || !Array.isArray(native.body.input)) return { input: call, notes: [] }
  const before = recordsIn(native.body.input)
  const { items, notes } = ownItems(before, owner)
  if (items === before) return { input: call, notes }
  return { input: { ...call, native: { ...native, body: { ...native.body, input: items } } }, notes }
}

/** Nearly always these are the items themselves. */
export function ownItems(items: readonly Fields[], owner: ContainerOwner): { items: readonly Fields[]; notes: Note[] } {
  const own = items.map((item) => ownItem(item, owner))
  if (own.every((item, at) => item === items[at])) return { items, notes: [] }
  const filtered = own.filter((item) => item !== undefined)
  return { items: filtered, notes: filtered.length < items.length ? [NOT_OWN] : [] }
}

function ownItem(item: Fields, owner: ContainerOwner): Fields | undefined {
  // An image without its bytes is one that the provider keeps.
  if (item.type === 'image_generation_call' && typeof item.result !== 'string') return undefined
  const own = withOwnId(item, owner)
  if (!own || !isRecord(own.environment)) return own
  const environment = withOwnId(own.environment, owner)
  if (environment === own.environment) return own
  return environment && { ...own, environment }
}

/** Undefined if it names a container of others. */
function withOwnId(fields: Fields, owner: ContainerOwner): Fields | undefined {
  const { container_id } = fields
  if (!container_id) return fields
  const id = ownId(textOf(container_id), owner)
  return id === undefined ? undefined : { ...fields, container_id: id }
}

function ownId(signed: string, owner: ContainerOwner): string | undefined {
  const end = signed.lastIndexOf(MARK)
  const id = signed.slice(0, Math.max(0, end))
  return isSignature(signed.slice(end + 1), id, owner) ? id : undefined
}

/** Signs the containers in answers of the provider that the caller gets as they are. */
export function withSignedItems(codec: ChatCodec, owner: ContainerOwner): ChatCodec {
  return {
    ...codec,
    decode: (text, to) => signedReply(codec.decode(text, to), owner),
    decoder: (request, to) => new SigningDecoder(codec.decoder(request, to), (chunk) => signEvents(chunk, owner)),
  }
}

function signedReply(completion: Answer, owner: ContainerOwner): Answer {
  signItems(Internal.read(completion.nativeReply)?.output, owner)
  return completion
}

export function signItems(items: unknown, owner: ContainerOwner): void {
  for (const item of recordsIn(items)) sign(item, owner)
}

/** Programs name their container, and commands that of their environment. */
function sign(item: Fields, owner: ContainerOwner): void {
  for (const fields of [item, recordOf(item.environment)]) {
    const { container_id: id } = fields
    const signature = typeof id === 'string' && id !== '' ? signatureOf(id, owner) : undefined
    if (signature !== undefined) fields.container_id = `${textOf(id)}${MARK}${signature}`
  }
}

/** In its events, an item begins or ends, or they have the whole answer. */
function signEvents(chunk: AnswerChunk, owner: ContainerOwner): void {
  for (const { item, response } of Internal.read(chunk.nativeEvents) ?? []) {
    if (isRecord(item)) sign(item, owner)
    signItems(recordOf(response).output, owner)
  }
}
