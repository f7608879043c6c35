import type {
  AddedItems,
  Collection,
  CollectionItems,
  CollectionList,
  CollectionRequest,
  DeletedCollection,
  DeletedItem,
} from '../../contract/collections.ts'
import { Problem, problem } from '../../contract/problems.ts'
import { type Collections, findCollections } from '../../translation/tasks/collections/collections.ts'
import type { TaskFile, Tools } from '../../translation/tasks/feature.ts'
import * as store from '../../platform/store/collections.ts'
import { fixedCost } from '../../money/limits/worst-case.ts'
import { tryTargets } from '../../calls/attempts/try-targets.ts'
import { type Call, knownCost } from '../../calls/call.ts'
import { inOneOrder } from '../../calls/attempts/attempt.ts'
import type { AskPlan } from '../../calls/attempts/plan.ts'
import { runParts } from '../../calls/attempts/run-call.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { fileAccessOf, openReferences } from '../../calls/file-inputs/file-references.ts'
import { TempFiles } from '../../calls/files/temp-files.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { taskTargets, type TaskTarget } from './task-targets.ts'
import { toolsFor } from '../../calls/upstream/task-tools.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'

// Collections of faces. A collection exists at a provider, which does not know our callers: only this module knows its owner.

const MAX_COLLECTIONS_PER_OWNER = 1_000

type Paging = { page: number; limit: number }

/** The row is written first, so that whatever exists at the provider can be found and deleted. */
export async function makeCollection(
  request: CollectionRequest,
  call: Call,
  services: CallServices,
): Promise<Collection> {
  return await accounted(call, services, async () => {
    const { model, name = null } = request
    const target = await targetOf(model, call.caller, services)
    const collection = { id: services.newId(), model, provider: target.provider.id, name }
    const { db } = services
    if (!(await store.insertCollection(db, call.caller, collection, MAX_COLLECTIONS_PER_OWNER))) throw tooMany()
    try {
      await atProvider({ target, cost: 0 }, call, services, (there, tools) => there.create(tools, collection.id))
    } catch (error) {
      const remove: Act<void> = (there, tools) => there.remove(tools, collection.id)
      const undo = () => atProvider({ target, cost: 0 }, call, services, remove)
      if (wasRefused(error) || (await succeeds(undo))) await store.deleteCollection(db, call.caller, collection.id)
      throw error
    }
    return shown(collection)
  })
}

export async function listOwnCollections(
  query: Paging & { model?: string | undefined },
  caller: Caller,
  { db }: Pick<CallServices, 'db'>,
): Promise<CollectionList> {
  const { collections, total } = await store.listCollections(db, caller, query)
  return { items: collections.map(shown), ...pageOf(total, query) }
}

export async function showCollection(
  id: string,
  caller: Caller,
  services: Pick<CallServices, 'db'>,
): Promise<Collection> {
  return shown(await own(id, caller, services))
}

export async function dropCollection(id: string, call: Call, services: CallServices): Promise<DeletedCollection> {
  return await accounted(call, services, async () => {
    const found = await own(id, call.caller, services)
    await at(found, call, services, (there, tools) => there.remove(tools, id))
    await store.deleteCollection(services.db, call.caller, id)
    return { collection_id: id, deleted: true }
  })
}

export async function addItems(id: string, file: string, call: Call, services: CallServices): Promise<AddedItems> {
  return await accounted(call, services, async () => {
    const found = await own(id, call.caller, services)
    const target = await targetOf(found.model, call.caller, services)
    // An image costs as much as a search for one.
    const cost = target.price && target.price.price / target.price.per
    const item_ids = await withImage(file, call, services, async (image) => {
      return await atProvider({ target, cost }, call, services, (there, tools) => there.addItems(tools, id, image))
    })
    await store.insertItems(services.db, id, item_ids)
    return { collection_id: id, item_ids, cost: knownCost(call) }
  })
}

async function withImage<Done>(
  reference: string,
  call: Call,
  services: CallServices,
  act: (image: TaskFile) => Promise<Done>,
): Promise<Done> {
  const tempFiles = new TempFiles(services.config.dataDir, call.caller.owner)
  try {
    const named = [{ reference, loc: ['body', 'file'] }]
    const [image] = await openReferences(named, fileAccessOf(call, tempFiles), services)
    return await act(image!)
  } finally {
    await tempFiles.close()
  }
}

export async function listItems(
  id: string,
  query: Paging,
  caller: Caller,
  services: Pick<CallServices, 'db'>,
): Promise<CollectionItems> {
  await own(id, caller, services)
  const { items, total } = await store.listItems(services.db, id, query)
  return { collection_id: id, item_ids: items, ...pageOf(total, query) }
}

export async function dropItem(id: string, item: string, call: Call, services: CallServices): Promise<DeletedItem> {
  return await accounted(call, services, async () => {
    const { db } = services
    const found = await own(id, call.caller, services)
    if (!(await store.hasItem(db, id, item))) throw problem('not_found', { message: 'There is no such item.' })
    await at(found, call, services, (there, tools) => there.removeItem(tools, id, item))
    await store.deleteItem(db, id, item)
    return { collection_id: id, item_id: item, deleted: true }
  })
}

/** Refuses a task on a collection that is not the caller's or is at another provider. The sandbox reads no collections. */
export async function requireCollection(
  id: string,
  targets: readonly TaskTarget[],
  caller: Caller,
  services: Pick<CallServices, 'db'>,
) {
  const elsewhere = targets.filter(({ provider }) => !provider.simulated)
  if (elsewhere.length === 0) return
  const { provider } = await own(id, caller, services)
  const other = elsewhere.find((target) => target.provider.id !== provider)
  if (!other) return
  const msg = `This collection is at ${provider}: ${other.provider.id} cannot search it`
  const detail = [{ loc: ['body', 'input', 'collection_id'], msg, type: 'value_error' }]
  throw problem('validation_error', { message: `${msg}.`, param: 'input.collection_id', detail })
}

function tooMany() {
  const max = `An owner has at most ${MAX_COLLECTIONS_PER_OWNER.toLocaleString('en')} collections`
  const message = `${max}: delete one that you no longer need (DELETE /v3/universal-ai/collections/{collection_id}).`
  return problem('conflict', { message })
}

/**
 * True if the provider certainly did not create it. After any other failure it may exist, and its owner must see it to delete
 * it.
 */
function wasRefused(error: unknown): boolean {
  return error instanceof Problem && (error.status < 500 || error.code === 'upstream_auth')
}

async function succeeds(act: () => Promise<unknown>): Promise<boolean> {
  return await act().then(
    () => true,
    () => false,
  )
}

/** A collection of another owner looks exactly like one that does not exist. */
async function own(id: string, caller: Caller, services: Pick<CallServices, 'db'>): Promise<store.StoredCollection> {
  const found = isResourceId(id) ? await store.findCollection(services.db, caller, id) : undefined
  if (!found) throw problem('not_found', { message: 'There is no such collection.' })
  return found
}

async function targetOf(model: string, caller: Caller, services: CallServices): Promise<TaskTarget> {
  const [target] = taskTargets({ model }, caller, services)
  if (target!.feature.collections && (await findCollections(target!.provider.id))) return target!
  const msg = 'This provider has no collections for this task'
  const detail = [{ loc: ['body', 'model'], msg, type: 'value_error' }]
  throw problem('validation_error', { message: `${msg}.`, param: 'model', detail })
}

type Act<Done> = (there: Collections, tools: Tools) => Promise<Done>

async function at<Done>(
  { model }: { model: string },
  call: Call,
  services: CallServices,
  act: Act<Done>,
): Promise<Done> {
  return await atProvider({ target: await targetOf(model, call.caller, services), cost: 0 }, call, services, act)
}

/** What an operation costs is known before. */
type Operation = { target: TaskTarget; cost: number | null }

async function atProvider<Done>(
  { target, cost }: Operation,
  call: Call,
  services: CallServices,
  act: Act<Done>,
): Promise<Done> {
  const there = (await findCollections(target.provider.id))!
  const plan: AskPlan<TaskTarget, CallServices, Done> = {
    targets: [target],
    worstCase: () => fixedCost(cost),
    isCustomized: () => false,
    ask: (attempt) =>
      inOneOrder(attempt, {
        likelyBill: () => ({ cost }),
        ask: ({ report }) => act(there, toolsFor(target, { credential: attempt.credential, report, call, services })),
        billOf: () => ({ cost }),
      }),
  }
  return (await tryTargets(plan, call, services)).reply
}

/** Writes one ledger line, however the operation ends. */
function accounted<Done>(call: Call, services: CallServices, act: () => Promise<Done>): Promise<Done> {
  return runParts(act, call, services)
}

function shown({ id, model, name }: Pick<store.StoredCollection, 'id' | 'model' | 'name'>): Collection {
  return { collection_id: id, model, name }
}

function pageOf(total: number, { page, limit }: Paging) {
  return { total, page, limit, total_pages: Math.ceil(total / limit) }
}
