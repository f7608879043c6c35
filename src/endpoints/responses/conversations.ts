import type { CallServices } from '../../calls/services/call-services.ts'
import { labelsOf } from '../../calls/labels.ts'
import type { MemoryLease } from '../../calls/memory-budget.ts'
import { COPIES_OF_BODY, UNCOUNTED_BYTES } from '../../calls/memory-budget.ts'
import { problem } from '../../contract/problems.ts'
import type { Conversation, ConversationRequest } from '../../contract/responses/conversations.ts'
import { demandStorage } from '../../calls/files/storage-quota.ts'
import { newlyNamed } from '../../translation/formats/responses/stored/item-names.ts'
import { LARGE_CHARS } from '../../translation/json/large-text.ts'
import type { Fields } from '../../base/schema/record.ts'
import { type Owner, ownerOf } from '../../platform/store/owner.ts'
import { allItems } from '../../platform/store/responses/conversation-items.ts'
import * as store from '../../platform/store/responses/conversations.ts'
import { MB, DAY_MS } from '../../base/units/units.ts'
import { parseToSend } from '../../translation/json/exact-numbers.ts'
import { parseWritten, writeJson } from '../../translation/json/written-numbers.ts'

// Conversations of the responses format. One of another owner looks exactly like one that does not exist.

const MAX_CONVERSATIONS = 10_000
/** All items of a conversation are read for every response in it. */
const MAX_ITEMS = 5_000
const MAX_BYTES = 16 * MB
const MAX_NAME_CHARS = 64
const MAX_METADATA = 16
const MARK = 'conv_'

/** What these functions need of the application. */
export type ConversationSpace = Pick<CallServices, 'db' | 'files' | 'config' | 'newId' | 'loopSlot'>
type Reader = { owner: string; memory: MemoryLease }

export async function createConversation(
  request: ConversationRequest,
  creator: Owner,
  services: ConversationSpace,
): Promise<Conversation> {
  const { items, metadata } = request
  const { endUser } = labelsOf(request)
  const { owner } = creator
  const id = MARK + hexOf(services)
  const texts = {
    ...ownerOf(creator),
    id,
    metadata: checkedMetadata(metadata),
    lifetimeMs: lifetimeOf(services),
    endUser,
  }
  const { quotaBytes: ownerBytes } = services.files
  if (!(await store.insertConversation(services.db, texts, { conversations: MAX_CONVERSATIONS, ownerBytes }))) {
    await demandStorage(owner, Buffer.byteLength(texts.metadata), services.files)
    throw tooMany()
  }
  if (items?.length) await addOrRemove(id, items, owner, services)
  return shown(await ownConversation(id, owner, services))
}

/** A conversation that cannot have its items is not made. */
async function addOrRemove(id: string, items: readonly Fields[], owner: string, services: ConversationSpace) {
  await addItems(id, items, owner, services).catch(async (error) => {
    await store.deleteConversation(services.db, owner, id)
    throw error
  })
}

export async function showConversation(id: string, owner: string, services: ConversationSpace): Promise<Conversation> {
  return shown(await ownConversation(id, owner, services))
}

export async function changeConversation(
  id: string,
  metadata: ConversationRequest['metadata'],
  owner: string,
  { db }: ConversationSpace,
): Promise<Conversation> {
  const changed = await store.changeMetadata(db, owner, { id, metadata: checkedMetadata(metadata) })
  if (!changed) throw noConversation(id)
  return shown(changed)
}

export async function dropConversation(id: string, owner: string, { db }: ConversationSpace): Promise<void> {
  if (!(await store.deleteConversation(db, owner, id))) throw noConversation(id)
}

/** Adds items that a client sends by themselves, and returns them with their ids. */
export async function addItems(
  id: string,
  items: readonly Fields[],
  owner: string,
  services: ConversationSpace,
): Promise<Fields[]> {
  const token = hexOf(services)
  const named = newlyNamed(items, token)
  const addition = { conversation: id, owner, items: named.map(asRow), lifetimeMs: lifetimeOf(services), token }
  const limits = { items: MAX_ITEMS, bytes: MAX_BYTES, ownerBytes: services.files.quotaBytes }
  if (await store.appendItems(services.db, addition, limits)) return named
  await ownConversation(id, owner, services)
  await demandStorage(owner, bytesOf(named), services.files)
  throw isFull()
}

/** The items so far, if there is room for the new ones. Memory for them is reserved before they are read. */
export async function itemsForTurn(
  id: string,
  added: readonly Fields[],
  { owner, memory }: Reader,
  services: ConversationSpace,
): Promise<Fields[]> {
  const { items, bytes } = await ownConversation(id, owner, services, 'conversation')
  const more = bytesOf(added)
  if (items + added.length > MAX_ITEMS || bytes + more > MAX_BYTES) throw isFull()
  await demandStorage(owner, more, services.files)
  if (bytes > UNCOUNTED_BYTES) await memory.hold(bytes * COPIES_OF_BODY)
  const rows = await allItems(services.db, id)
  if (bytes > LARGE_CHARS) await services.loopSlot(owner)
  return rows.map(({ item }) => parseWritten(item) as Fields)
}

/** The input and the output of one response. */
type Turn = {
  conversation: string
  responseId: string
  items: readonly Fields[]
  from: number
  /** Whom it is about. */
  endUser: string | null
}

/** What adds a turn. There is no limit: a turn that was begun within the limits is not lost. */
export function turnAddition(
  { conversation, responseId, items, from, endUser }: Turn,
  owner: string,
  services: ConversationSpace,
): store.Addition {
  const hex = responseId.replace(/^resp_/, '')
  const rows = newlyNamed(items, hex, from).map(asRow)
  return { conversation, owner, items: rows, lifetimeMs: lifetimeOf(services), token: hex, endUser }
}

/** Returns false if the conversation was deleted in the meantime, or the store is away. The caller gets the response anyway. */
export async function addTurn(turn: Turn, owner: string, services: ConversationSpace): Promise<boolean> {
  return await store.appendItems(services.db, turnAddition(turn, owner, services)).catch(() => false)
}

/** `param` is the field of a request that names it. */
export async function ownConversation(
  id: string,
  owner: string,
  { db }: Pick<ConversationSpace, 'db'>,
  param?: string,
): Promise<store.Conversation> {
  const found = await store.findConversation(db, owner, id)
  if (!found) throw noConversation(id, param)
  return found
}

function bytesOf(items: readonly Fields[]): number {
  return items.reduce((total, item) => total + Buffer.byteLength(JSON.stringify(item)), 0)
}

function asRow(item: Fields): store.StoredItem {
  return { id: String(item.id), item: writeJson(item) }
}

function hexOf({ newId }: Pick<ConversationSpace, 'newId'>): string {
  return newId().replaceAll('-', '')
}

function lifetimeOf({ config }: Pick<ConversationSpace, 'config'>): number {
  return config.responseRetentionDays * DAY_MS
}

function shown({ id, createdAt, metadata }: store.Conversation): Conversation {
  return {
    id,
    object: 'conversation',
    created_at: Math.floor(createdAt / 1000),
    metadata: parseToSend(metadata) as Conversation['metadata'],
  }
}

function checkedMetadata(metadata: ConversationRequest['metadata']): string {
  const names = Object.keys(metadata ?? {})
  if (names.length <= MAX_METADATA && names.every((name) => Array.from(name).length <= MAX_NAME_CHARS))
    return writeJson(metadata ?? {})
  const msg = `There should be at most ${MAX_METADATA} entries, with names of at most ${MAX_NAME_CHARS} characters`
  const detail = [{ loc: ['body', 'metadata'], msg, type: 'value_error' }]
  throw problem('validation_error', { message: `metadata: ${msg}.`, param: 'metadata', detail })
}

function noConversation(id: string, param?: string) {
  const message = `There is no conversation '${id.slice(0, 100)}', or it is no longer stored.`
  return problem('not_found', { message, ...(param !== undefined && { param }) })
}

function tooMany() {
  const message = 'The owner of this key has the maximum number of conversations. Delete some first.'
  return problem('conflict', { message })
}

function isFull() {
  const message =
    `A conversation has at most ${MAX_ITEMS} items and ${MAX_BYTES / 1024 / 1024} MB. ` +
    'Delete items, or create another conversation.'
  return problem('too_large', { message, param: 'conversation' })
}
