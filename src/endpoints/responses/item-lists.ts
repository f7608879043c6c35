import type { CallServices } from '../../calls/services/call-services.ts'
import { COPIES_OF_ANSWER, type MemoryLease, UNCOUNTED_BYTES } from '../../calls/memory-budget.ts'
import { problem } from '../../contract/problems.ts'
import type { ResponseItemList } from '../../contract/responses/stored-items.ts'
import { namedItems } from '../../translation/formats/responses/stored/item-names.ts'
import { shownItem } from '../../translation/formats/responses/stored/shown-item.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { type Fields, recordOf } from '../../base/schema/record.ts'
import * as store from '../../platform/store/responses/conversation-items.ts'
import { ownConversation } from './conversations.ts'
import { inputOf } from './stored-responses.ts'

// Lists of items, page by page as OpenAI's: the last id of a page is where the next one begins.

export type ItemQuery = store.ItemQuery & { include: readonly string[] }
type Reader = { owner: string; memory: MemoryLease }
type ItemSpace = Pick<CallServices, 'db' | 'files' | 'loopSlot' | 'config'>

export async function listConversationItems(
  id: string,
  query: ItemQuery,
  { owner, memory }: Reader,
  services: ItemSpace,
): Promise<ResponseItemList> {
  await ownConversation(id, owner, services)
  const bytes = await store.bytesOfLargest(services.db, id, query.limit + 1)
  if (bytes > UNCOUNTED_BYTES) await memory.hold(bytes * COPIES_OF_ANSWER)
  const rows = await store.listItemsAfter(services.db, id, { ...query, limit: query.limit + 1 })
  if (!rows) throw noItem(query.after)
  return pageOf(
    rows.map(({ item }) => recordOf(tryParse(item))),
    query,
  )
}

export async function showConversationItem(
  params: { conversation: string; item: string; include: readonly string[] },
  owner: string,
  services: ItemSpace,
): Promise<Fields> {
  await ownConversation(params.conversation, owner, services)
  const row = await store.findItem(services.db, params.conversation, params.item)
  if (!row) throw noItem(params.item)
  return shownItem(recordOf(tryParse(row.item)), params.include)
}

export async function dropConversationItem(
  params: { conversation: string; item: string },
  owner: string,
  services: ItemSpace,
): Promise<void> {
  await ownConversation(params.conversation, owner, services)
  if (!(await store.deleteItem(services.db, params.conversation, params.item))) throw noItem(params.item)
}

/** Everything that the response was made from, including the conversation before it. */
export async function listInputItems(
  id: string,
  query: ItemQuery,
  reader: Reader,
  services: ItemSpace,
): Promise<ResponseItemList> {
  const items = namedItems(await inputOf(id, reader, services), id.replace(/^resp_/, ''))
  const ordered = query.order === 'asc' ? items : items.toReversed()
  const last = query.after === undefined ? -1 : ordered.findIndex((item) => item.id === query.after)
  if (query.after !== undefined && last < 0) throw noItem(query.after)
  return pageOf(ordered.slice(last + 1, last + 2 + query.limit), query)
}

/** Expects one item more than a page holds: the extra item says that there is a next page. */
export function pageOf(found: readonly Fields[], { limit, include }: Pick<ItemQuery, 'limit' | 'include'>) {
  const data = found.slice(0, limit).map((item) => shownItem(item, include))
  const idOf = (item: Fields | undefined) => (item === undefined ? null : String(item.id))
  const ends = { first_id: idOf(data[0]), last_id: idOf(data.at(-1)) }
  return { object: 'list' as const, data, has_more: found.length > limit, ...ends }
}

function noItem(id: unknown) {
  return problem('not_found', { message: `There is no item '${String(id).slice(0, 100)}' here.` })
}
