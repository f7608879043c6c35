import Type from '../../../../base/schema/type.ts'
import { AddedItems, CollectionItemRequest, CollectionItems, DeletedItem } from '../../../../contract/collections.ts'
import { addItems, dropItem, listItems } from '../../../../endpoints/universal/collections.ts'
import { openReply, wholeReply } from '../../../open-reply.ts'
import { MAX_LIMIT, PAGE } from '../../../query.ts'
import { route } from '../../../define-route.ts'

const common = { access: 'key', scope: 'universal' } as const
const ITEMS = '/v3/universal-ai/collections/{collection_id}/items'

export const add = route({
  method: 'POST',
  path: ITEMS,
  ...common,
  stores: true,
  isUnguarded: true,
  summary: 'Add faces to a collection',
  description: 'Adds the faces of an image.',
  body: CollectionItemRequest,
  replies: { 201: { description: 'The added faces: several, one or none.', schema: AddedItems } },
  handle: (request, reply, services) => {
    const { file } = request.body.value
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => addItems(request.params.collection_id, file, open.call, services.calls), 201)
  },
})

export const list = route({
  method: 'GET',
  path: ITEMS,
  ...common,
  summary: 'List items of a collection',
  description: 'Oldest first.',
  query: Type.Object({
    page: Type.Optional(PAGE),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: MAX_LIMIT, description: 'Items on a page.' }),
    ),
  }),
  replies: { 200: { description: 'A page of items.', schema: CollectionItems } },
  handle: (request, _reply, services) => {
    const { page = 1, limit = MAX_LIMIT } = request.query
    return listItems(request.params.collection_id, { page, limit }, request.caller, services.calls)
  },
})

export const remove = route({
  method: 'DELETE',
  path: `${ITEMS}/{item_id}`,
  ...common,
  summary: 'Remove an item from a collection',
  replies: { 200: { description: 'The item is deleted.', schema: DeletedItem } },
  handle: (request, reply, services) => {
    const { collection_id, item_id } = request.params
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => dropItem(collection_id, item_id, open.call, services.calls))
  },
})
