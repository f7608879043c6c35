import { isBlobId } from '../blobs/blob-store.ts'
import type {
  AddedItems,
  Collection,
  CollectionItems,
  CollectionList,
  CollectionRequest,
  DeletedCollection,
  DeletedItem,
} from '../contract/collections.ts'
import { Problem, problem } from '../contract/problems.ts'
import { type Collections, findCollections } from '../features/collections/collections.ts'
import type { TaskFile, Tools } from '../features/feature.ts'
import * as store from '../store/collections.ts'
import { attempt } from './attempt.ts'
import { type Call, closeCall, failCall } from './call.ts'
import type { Caller } from './caller.ts'
import { askingFor, openReferences } from './file-references.ts'
import { ImageShelf } from './image-shelf.ts'
import type { Outside } from './outside.ts'
import { routeTask, type TaskTarget } from './task-route.ts'
import { spend } from './task-spending.ts'
import { toolsFor } from './task-tools.ts'

// Collections of faces. They stand at a provider, which knows nothing of our callers: whose they are is known here alone.

const MOST_COLLECTIONS_PER_OWNER = 1_000

type Paging = { page: number; limit: number }

/** The row comes first: what exists at the provider can always be found and deleted. */
export async function makeCollection(asked: CollectionRequest, call: Call, outside: Outside): Promise<Collection> {
  return await accounted(call, outside, async () => {
    const { model, name = null } = asked
    const target = await targetOf(model, call.caller, outside)
    const collection = { id: outside.newId(), model, provider: target.provider.id, name }
    const { db } = outside.keyDesk
    if (!(await store.insertCollection(db, call.caller, collection, MOST_COLLECTIONS_PER_OWNER))) throw tooMany()
    try {
      await atProvider(target, call, outside, (there, tools) => there.create(tools, collection.id))
    } catch (error) {
      const undo = () => atProvider(target, call, outside, (there, tools) => there.remove(tools, collection.id))
      if (wasRefused(error) || (await succeeds(undo))) await store.deleteCollection(db, call.caller, collection.id)
      throw error
    }
    return shown(collection)
  })
}

export async function listOwnCollections(
  query: Paging & { model?: string | undefined },
  caller: Caller,
  { keyDesk }: Outside,
): Promise<CollectionList> {
  const { collections, total } = await store.listCollections(keyDesk.db, caller, query)
  return { items: collections.map(shown), ...pageOf(total, query) }
}

export async function showCollection(id: string, caller: Caller, outside: Outside): Promise<Collection> {
  return shown(await own(id, caller, outside))
}

/** One that is not there, or another's, is gone as asked. */
export async function dropCollection(id: string, call: Call, outside: Outside): Promise<DeletedCollection> {
  return await accounted(call, outside, async () => {
    const found = await find(id, call.caller, outside)
    if (found) await at(found, call, outside, (there, tools) => there.remove(tools, id))
    const deleted = found !== undefined && (await store.deleteCollection(outside.keyDesk.db, call.caller, id))
    return { collection_id: id, deleted }
  })
}

export async function addItems(id: string, file: string, call: Call, outside: Outside): Promise<AddedItems> {
  return await accounted(call, outside, async () => {
    const found = await own(id, call.caller, outside)
    const target = await targetOf(found.model, call.caller, outside)
    const item_ids = await withPicture(file, call, outside, async (picture) => {
      return await atProvider(target, call, outside, (there, tools) => there.addItems(tools, id, picture))
    })
    // A picture costs what a search for one does.
    spend(call, target.price && target.price.price / target.price.per)
    await store.insertItems(outside.keyDesk.db, id, item_ids)
    return { collection_id: id, item_ids, cost: call.cost }
  })
}

async function withPicture<Done>(
  reference: string,
  call: Call,
  outside: Outside,
  act: (picture: TaskFile) => Promise<Done>,
): Promise<Done> {
  const shelf = new ImageShelf(outside.config.dataDir, call.caller.owner)
  try {
    const named = [{ reference, loc: ['body', 'file'] }]
    const [picture] = await openReferences(named, askingFor(call, shelf), outside)
    return await act(picture!)
  } finally {
    await shelf.close()
  }
}

export async function listItems(id: string, query: Paging, caller: Caller, outside: Outside): Promise<CollectionItems> {
  await own(id, caller, outside)
  const { items, total } = await store.listItems(outside.keyDesk.db, id, query)
  return { collection_id: id, item_ids: items, ...pageOf(total, query) }
}

export async function dropItem(id: string, item: string, call: Call, outside: Outside): Promise<DeletedItem> {
  return await accounted(call, outside, async () => {
    const { db } = outside.keyDesk
    const found = await own(id, call.caller, outside)
    const deleted = await store.hasItem(db, id, item)
    if (deleted) await at(found, call, outside, (there, tools) => there.removeItem(tools, id, item))
    await store.deleteItem(db, id, item)
    return { collection_id: id, item_id: item, deleted }
  })
}

/** Refuses a task on a collection that is not the caller's, or not where the task is done. The sandbox looks in none. */
export async function requireCollection(id: string, targets: readonly TaskTarget[], caller: Caller, outside: Outside) {
  const elsewhere = targets.filter(({ provider }) => provider.id !== 'sandbox')
  if (elsewhere.length === 0) return
  const { provider } = await own(id, caller, outside)
  const other = elsewhere.find((target) => target.provider.id !== provider)
  if (!other) return
  const msg = `This collection is at ${provider}: ${other.provider.id} cannot look in it`
  const detail = [{ loc: ['body', 'input', 'collection_id'], msg, type: 'value_error' }]
  throw problem('validation_error', { message: `${msg}.`, param: 'input.collection_id', detail })
}

function tooMany() {
  const most = `An owner has at most ${MOST_COLLECTIONS_PER_OWNER.toLocaleString('en')} collections`
  const message = `${most}: delete one that you no longer need (DELETE /v3/universal-ai/collections/{collection_id}).`
  return problem('conflict', { message })
}

/** Surely not made. After anything else it may have been, and then its owner has to see it to delete it. */
function wasRefused(error: unknown): boolean {
  return error instanceof Problem && (error.status < 500 || error.code === 'upstream_auth')
}

async function succeeds(act: () => Promise<unknown>): Promise<boolean> {
  return await act().then(
    () => true,
    () => false,
  )
}

async function find(id: string, caller: Caller, { keyDesk }: Outside) {
  return isBlobId(id) ? await store.findCollection(keyDesk.db, caller, id) : undefined
}

/** A foreign collection answers exactly as one that never was. */
async function own(id: string, caller: Caller, outside: Outside): Promise<store.StoredCollection> {
  const found = await find(id, caller, outside)
  if (!found) throw problem('not_found', { message: 'There is no such collection.' })
  return found
}

async function targetOf(model: string, caller: Caller, outside: Outside): Promise<TaskTarget> {
  const [target] = routeTask({ model }, caller, outside)
  if (target!.feature.collections && (await findCollections(target!.provider.id))) return target!
  const msg = 'This task has no collections with this provider'
  const detail = [{ loc: ['body', 'model'], msg, type: 'value_error' }]
  throw problem('validation_error', { message: `${msg}.`, param: 'model', detail })
}

type Act<Done> = (there: Collections, tools: Tools) => Promise<Done>

async function at<Done>({ model }: { model: string }, call: Call, outside: Outside, act: Act<Done>): Promise<Done> {
  return await atProvider(await targetOf(model, call.caller, outside), call, outside, act)
}

async function atProvider<Done>(target: TaskTarget, call: Call, outside: Outside, act: Act<Done>): Promise<Done> {
  const there = (await findCollections(target.provider.id))!
  const { reply } = await attempt([target], call, outside, (_, { credential }) => {
    return act(there, toolsFor(target, credential, call, outside))
  })
  return reply
}

/** One ledger line, however it ends; what is not said to cost something costs nothing. */
async function accounted<Done>(call: Call, outside: Outside, act: () => Promise<Done>): Promise<Done> {
  try {
    call.cost = 0
    return await act()
  } catch (error) {
    throw failCall(call, error)
  } finally {
    closeCall(call, outside)
  }
}

function shown({ id, model, name }: Pick<store.StoredCollection, 'id' | 'model' | 'name'>): Collection {
  return { collection_id: id, model, name }
}

function pageOf(total: number, { page, limit }: Paging) {
  return { total, page, limit, total_pages: Math.ceil(total / limit) }
}
