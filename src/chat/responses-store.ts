import { Problem, problem } from '../contract/problems.ts'
import type { ResponseObject } from '../contract/responses.ts'
import { placeOfItem } from '../formats/responses/item-ids.ts'
import { tryParse } from '../json/try-parse.ts'
import { deleteUploads, type FileContext, getUpload, keepResult, readBytes } from '../files/files.ts'
import { readAll } from '../files/read-all.ts'
import { COPIES_OF_BODY, type MemoryLease, UNCOUNTED_BYTES } from '../calls/memory-budget.ts'
import type { AppContext } from '../app/context.ts'
import { LARGE_CHARS } from '../json/large-text.ts'

// Stored responses, which their owner may continue from. They are kept like the result files of tasks: for some days, within
// the owner's quota, and where every process of the gateway finds them.

const MARK = 'resp_'
const FILE_NAME = 'response.json'
const MAX_REFERENCED = 20
const PIECE_CHARS = 512 * 1024

type Item = Record<string, unknown>

/** A response, and the whole conversation up to its end, so that earlier responses need not be read again. */
export type KeptResponse = {
  response: ResponseObject
  items: Item[]
  /** The texts of members of the response with numbers that would change when they are parsed. */
  exact?: Record<string, string>
}

type StoredSpace = Pick<AppContext, 'files' | 'loopSlot'>
/** The owner that a response is read for, and the lease that its memory is counted on. */
export type ResponseReader = { owner: string; memory: MemoryLease }

export function newResponseId({ newId }: Pick<AppContext, 'newId'>): string {
  return MARK + newId().replaceAll('-', '')
}

/** Returns false if the quota or the database did not allow it. The caller gets the response anyway. */
export async function keepResponse(
  kept: KeptResponse,
  owner: string,
  { files, loopSlot, config }: StoredSpace & Pick<AppContext, 'config'>,
  endUser: string | null,
): Promise<boolean> {
  const id = fileIdOf(kept.response.id)
  const fileContext: FileContext = { ...files, newId: () => id, resultDays: config.responseRetentionDays }
  try {
    const text = JSON.stringify(kept)
    const bytes = bytesOf(text, () => loopSlot(owner))
    await keepResult({ name: FILE_NAME, bytes, endUser }, owner, fileContext)
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

export async function findResponse(
  id: string,
  reader: ResponseReader,
  { files, loopSlot }: StoredSpace,
): Promise<KeptResponse> {
  try {
    const { owner, memory } = reader
    const { name, origin, size } = await getUpload(fileIdOf(id), owner, files)
    if (name !== FILE_NAME || origin !== 'result') throw noResponse(id)
    if (size > UNCOUNTED_BYTES) await memory.hold(size * COPIES_OF_BODY)
    const bytes = Buffer.from(await readAll(await readBytes({ id: fileIdOf(id), owner }, files)))
    if (size > LARGE_CHARS) await loopSlot(owner)
    const text = bytes.toString('utf8')
    if (size > LARGE_CHARS) await loopSlot(owner)
    const kept = tryParse(text) as KeptResponse
    if (size > LARGE_CHARS) await loopSlot(owner)
    return kept
  } catch (error) {
    throw error instanceof Problem && error.status === 404 ? noResponse(id) : error
  }
}

export async function dropResponse(id: string, owner: string, { files }: Pick<StoredSpace, 'files'>): Promise<void> {
  const found = await getUpload(fileIdOf(id), owner, files).catch((error) => {
    throw error instanceof Problem && error.status === 404 ? noResponse(id) : error
  })
  if (found.name !== FILE_NAME || found.origin !== 'result') throw noResponse(id)
  await deleteUploads([fileIdOf(id)], owner, files)
}

/** The earlier conversation, followed by the new input. Items that are referenced by id are looked up. */
export async function wholeInput(
  request: { previous: string | null | undefined; items: Item[] },
  reader: ResponseReader,
  context: StoredSpace,
): Promise<Item[]> {
  if (!request.previous && !request.items.some(({ type }) => type === 'item_reference')) return request.items
  const before = request.previous ? (await previous(request.previous, reader, context)).items : []
  const known = new Map<string, Promise<KeptResponse>>()
  const items = await Promise.all(request.items.map((item) => resolved(item, known, reader, context)))
  return [...before, ...items]
}

async function previous(id: string, reader: ResponseReader, context: StoredSpace): Promise<KeptResponse> {
  return await findResponse(id, reader, context).catch((error) => {
    throw error instanceof Problem && error.status === 404 ? notKept(id) : error
  })
}

/** The id of an item contains the id of its response and its index there. */
async function resolved(
  item: Item,
  known: Map<string, Promise<KeptResponse>>,
  reader: ResponseReader,
  context: StoredSpace,
): Promise<Item> {
  if (item.type !== 'item_reference') return item
  const named = placeOfItem(item.id)
  if (!named) throw noItem(item.id)
  const id = MARK + named.hex
  if (!known.has(id) && known.size >= MAX_REFERENCED) throw noItem(item.id)
  const found = known.get(id) ?? previous(id, reader, context)
  known.set(id, found)
  const referenced = (await found).response.output[named.place]
  if (!referenced) throw noItem(item.id)
  return referenced
}

function fileIdOf(id: string): string {
  const [, ...parts] = /^resp_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(id) ?? []
  return parts.join('-')
}

function noResponse(id: string) {
  return problem('not_found', { message: `There is no response '${id.slice(0, 100)}', or not any more.` })
}

function notKept(id: string) {
  return problem('not_found', {
    message: `There is no response '${id.slice(0, 100)}' to go on from, or not any more. Send the conversation as \`input\`.`,
    param: 'previous_response_id',
    code: 'previous_response_not_found',
    status: 400,
  })
}

function noItem(id: unknown) {
  const msg = `There is no item '${String(id).slice(0, 100)}' here: send the item itself`
  return problem('validation_error', {
    message: msg,
    param: 'input',
    detail: [{ loc: ['body', 'input'], msg, type: 'value_error' }],
  })
}
