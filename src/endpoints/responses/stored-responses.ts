import { Problem, problem } from '../../contract/problems.ts'
import { positionOfItem } from '../../translation/formats/responses/item-ids.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { type Stopping, dropInBackground, findInBackground, inputInBackground } from './background/read-background.ts'
import { hexOf, uuidOf } from './response-ids.ts'
import type { StoredResponse, ResponseReader } from './stored-response.ts'
import { namedItems } from '../../translation/formats/responses/stored/item-names.ts'
import { deleteUploads, type FileServices, getUpload, keepResult, readBytes } from '../../calls/files/files.ts'
import { readAll } from '../../calls/files/read-all.ts'
import { COPIES_OF_BODY, UNCOUNTED_BYTES } from '../../calls/memory-budget.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { LARGE_CHARS } from '../../translation/json/large-text.ts'
import type { Owner } from '../../platform/store/owner.ts'
import { parseWritten, writeJson } from '../../translation/json/written-numbers.ts'

// Stored responses, which their owner may continue from. They are kept like the result files of tasks: for some days, within
// the owner's quota, and where every process of the gateway finds them.

const FILE_NAME = 'response.json'
const MAX_REFERENCED = 20
const PIECE_CHARS = 512 * 1024

type Item = Record<string, unknown>

export type StoredSpace = Pick<CallServices, 'files' | 'loopSlot' | 'db' | 'config'>
/** `isPromised`: there was room for it when it was begun, so it is stored although its answer may be beyond the quota. */
type ResponseOwner = { owner: Owner; endUser: string | null; isPromised: boolean }

/** Returns false if the quota or the database did not allow it. The caller gets the response anyway. */
export async function keepResponse(
  stored: StoredResponse,
  { owner, endUser, isPromised }: ResponseOwner,
  { files, loopSlot, config }: StoredSpace,
): Promise<boolean> {
  const id = uuidOf(stored.response.id)
  const quotaBytes = isPromised ? Number.MAX_SAFE_INTEGER : files.quotaBytes
  const fileServices: FileServices = { ...files, quotaBytes, newId: () => id, resultDays: config.responseRetentionDays }
  try {
    const text = writeJson({ ...stored, items: namedItems(stored.items, hexOf(stored.response.id)) })
    const bytes = bytesOf(text, () => loopSlot(owner.owner))
    await keepResult({ name: FILE_NAME, bytes, endUser }, owner, fileServices)
    return true
  } catch {
    return false
  }
}

/** Encodes a long text in pieces, so that the event loop can do other work between them. */
async function* bytesOf(text: string, nextSlot: () => Promise<void>): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    if (at > 0) await nextSlot()
    const end = at + PIECE_CHARS
    // A piece must not end inside a surrogate pair, because half of one cannot be encoded.
    const isCut = end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00
    const piece = text.slice(at, isCut ? end + 1 : end)
    at += piece.length
    yield Buffer.from(piece)
  }
}

/** A response that has ended. */
async function findResponse(id: string, reader: ResponseReader, services: StoredSpace): Promise<StoredResponse> {
  const made = await findInBackground(id, reader, services)
  if (made?.stored) return made.stored
  if (made) throw notReady(id, made.response.status)
  return await readKept(id, reader, services)
}

/** A response in whatever state it is, as its owner sees it. */
export async function showResponse(
  id: string,
  reader: ResponseReader,
  services: StoredSpace,
): Promise<Pick<StoredResponse, 'response' | 'exact'>> {
  return (await findInBackground(id, reader, services)) ?? (await readKept(id, reader, services))
}

/** Everything that a response was or is being made from. */
export async function inputOf(id: string, reader: ResponseReader, services: StoredSpace): Promise<Item[]> {
  const input = await inputInBackground(id, reader, services)
  if (input) return input
  const { items, response } = await readKept(id, reader, services)
  return items.slice(0, items.length - response.output.length)
}

async function readKept(
  id: string,
  reader: ResponseReader,
  { files, loopSlot }: Pick<StoredSpace, 'files' | 'loopSlot'>,
): Promise<StoredResponse> {
  try {
    const { owner, memory } = reader
    const { name, origin, size } = await getUpload(uuidOf(id), owner, files)
    if (name !== FILE_NAME || origin !== 'result') throw noResponse(id)
    if (size > UNCOUNTED_BYTES) await memory.hold(size * COPIES_OF_BODY)
    const bytes = Buffer.from(await readAll(await readBytes({ id: uuidOf(id), owner }, files)))
    if (size > LARGE_CHARS) await loopSlot(owner)
    const text = bytes.toString('utf8')
    if (size > LARGE_CHARS) await loopSlot(owner)
    const stored = tryParse(text, parseWritten) as StoredResponse
    if (size > LARGE_CHARS) await loopSlot(owner)
    return stored
  } catch (error) {
    throw isMissing(error) ? noResponse(id) : error
  }
}

export async function dropResponse(
  id: string,
  owner: string,
  services: Stopping & { calls: Pick<CallServices, 'files'> },
): Promise<void> {
  if (await dropInBackground(id, owner, services)) return
  const { files } = services.calls
  const found = await getUpload(uuidOf(id), owner, files).catch((error) => {
    throw isMissing(error) ? noResponse(id) : error
  })
  if (found.name !== FILE_NAME || found.origin !== 'result') throw noResponse(id)
  await deleteUploads([uuidOf(id)], owner, files)
}

/** The earlier conversation, followed by the new input. Items that are referenced by id are looked up. */
export async function wholeInput(
  request: { previous: string | null | undefined; items: Item[] },
  reader: ResponseReader,
  services: StoredSpace,
): Promise<Item[]> {
  if (!request.previous && !request.items.some(({ type }) => type === 'item_reference')) return request.items
  const before = request.previous ? (await previous(request.previous, reader, services)).items : []
  const responses = new Map<string, Promise<StoredResponse>>()
  const items = await Promise.all(request.items.map((item) => resolved(item, responses, reader, services)))
  return [...before, ...items]
}

async function previous(id: string, reader: ResponseReader, services: StoredSpace): Promise<StoredResponse> {
  return await findResponse(id, reader, services).catch((error) => {
    throw isMissing(error) ? notKept(id) : error
  })
}

function isMissing(error: unknown): boolean {
  return error instanceof Problem && error.status === 404
}

/** The id of an item contains the id of its response and its index there. */
async function resolved(
  item: Item,
  responses: Map<string, Promise<StoredResponse>>,
  reader: ResponseReader,
  services: StoredSpace,
): Promise<Item> {
  if (item.type !== 'item_reference') return item
  const named = positionOfItem(item.id)
  if (!named) throw noItem(item.id)
  const id = `resp_${named.hex}`
  if (!responses.has(id) && responses.size >= MAX_REFERENCED) throw noItem(item.id)
  const found = responses.get(id) ?? findResponse(id, reader, services)
  responses.set(id, found)
  const { response, items } = await found.catch((error) => {
    throw isMissing(error) ? noItem(item.id) : error
  })
  const referenced = items.find(({ id }) => id === item.id) ?? response.output[named.isInput ? -1 : named.position]
  if (!referenced) throw noItem(item.id)
  return referenced
}

function notReady(id: string, status: string) {
  const message = `The response '${id}' is ${status}. Continue from it when it is completed.`
  return problem('conflict', { message, param: 'previous_response_id', status: 400 })
}

function noResponse(id: string) {
  return problem('not_found', { message: `There is no response '${id.slice(0, 100)}', or it is no longer stored.` })
}

/** OpenAI's status, code and words, which clients look for, and what to do. */
function notKept(id: string) {
  return problem('not_found', {
    message: `Previous response with id '${id.slice(0, 100)}' not found. Send the conversation as \`input\`.`,
    param: 'previous_response_id',
    code: 'previous_response_not_found',
    status: 400,
  })
}

/** As OpenAI says it, and what to do. */
function noItem(id: unknown) {
  const message = `Item with id '${String(id).slice(0, 100)}' not found. Send the item itself.`
  return problem('not_found', { message, param: 'input' })
}
