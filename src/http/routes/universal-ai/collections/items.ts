import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../../../schema/type.ts'
import { AddedItems, CollectionItemRequest, CollectionItems, DeletedItem } from '../../../../contract/collections.ts'
import { addItems, dropItem, listItems } from '../../../../universal/collections.ts'
import type { JsonBody } from '../../../../json/parse-body.ts'
import { openReply, wholeReply } from '../../../open-reply.ts'
import { PAGE, readLimit, readPage } from '../../../query.ts'
import type { HttpServices, Route } from '../../../services.ts'

const common = { access: 'key', scope: 'universal' } as const
const ITEMS = '/v3/universal-ai/collections/{collection_id}/items'

export const add: Route = {
  method: 'POST',
  path: ITEMS,
  ...common,
  stores: true,
  skipsHooks: true,
  summary: 'Add the faces of an image to a collection',
  body: CollectionItemRequest,
  replies: { 201: { description: 'The added faces: several, one or none.', schema: AddedItems } },
  handle: (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const { file } = (request.body as JsonBody).value as CollectionItemRequest
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => addItems(idsOf(request).collection_id, file, open.call, services.context), 201)
  },
}

export const list: Route = {
  method: 'GET',
  path: ITEMS,
  ...common,
  summary: 'The items of a collection, oldest first',
  query: Type.Object({
    page: Type.Optional(PAGE),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1000, description: 'Items on a page.' })),
  }),
  replies: { 200: { description: 'A page of items.', schema: CollectionItems } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { page, limit = '1000' } = request.query as Record<string, string | undefined>
    const paging = { page: readPage(page), limit: readLimit(limit) }
    return listItems(idsOf(request).collection_id, paging, request.caller, context)
  },
}

export const remove: Route = {
  method: 'DELETE',
  path: `${ITEMS}/{item_id}`,
  ...common,
  summary: 'Remove an item from a collection',
  replies: { 200: { description: 'It is deleted.', schema: DeletedItem } },
  handle: (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const { collection_id, item_id } = idsOf(request)
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => dropItem(collection_id, item_id, open.call, services.context))
  },
}

function idsOf(request: FastifyRequest) {
  return request.params as { collection_id: string; item_id: string }
}
