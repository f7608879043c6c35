import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../../schema/type.ts'
import { Collection, CollectionList, CollectionRequest, DeletedCollection } from '../../../contract/collections.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { dropCollection, listOwnCollections, makeCollection, showCollection } from '../../../universal/collections.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { openReply, wholeReply } from '../../open-reply.ts'
import { PAGE, readLimit, readPage, readText } from '../../query.ts'
import type { HttpServices, Route } from '../../services.ts'

const common = { access: 'key', scope: 'universal' } as const

export const create: Route = {
  method: 'POST',
  path: '/v3/universal-ai/collections',
  ...common,
  stores: true,
  summary: 'Create a collection of faces',
  description:
    'The faces that `image/face_recognition` searches. Create a collection at a provider, add images, then name it as `collection_id`. ' +
    'Only keys of the same owner see it. Collections of a sandbox key exist only in the sandbox.',
  body: CollectionRequest,
  replies: {
    201: { description: 'The collection.', schema: Collection },
    409: { description: 'You have as many collections as there may be.', schema: ErrorBody },
  },
  handle: (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const body = (request.body as JsonBody).value as CollectionRequest
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => makeCollection(body, open.call, services.context), 201)
  },
}

export const list: Route = {
  method: 'GET',
  path: '/v3/universal-ai/collections',
  ...common,
  summary: 'Your collections, newest first',
  query: Type.Object({
    model: Type.Optional(Type.String({ description: 'Only collections of this task and provider.' })),
    page: Type.Optional(PAGE),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Entries on a page.' })),
  }),
  replies: { 200: { description: 'A page of collections.', schema: CollectionList } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) => {
    const { model, page, limit } = request.query as Record<string, string | undefined>
    const query = { model: readText('model', model, 255), page: readPage(page), limit: readLimit(limit) }
    return listOwnCollections(query, request.caller, context)
  },
}

export const one: Route = {
  method: 'GET',
  path: '/v3/universal-ai/collections/{collection_id}',
  ...common,
  summary: 'One of your collections',
  replies: { 200: { description: 'The collection.', schema: Collection } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { context }: HttpServices) =>
    showCollection(idOf(request), request.caller, context),
}

export const remove: Route = {
  method: 'DELETE',
  path: '/v3/universal-ai/collections/{collection_id}',
  ...common,
  summary: 'Delete a collection with its items',
  description: 'Deletes it at the provider first.',
  replies: { 200: { description: 'It is deleted.', schema: DeletedCollection } },
  handle: (request: FastifyRequest, reply: FastifyReply, services: HttpServices) => {
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => dropCollection(idOf(request), open.call, services.context))
  },
}

function idOf(request: FastifyRequest): string {
  return (request.params as { collection_id: string }).collection_id
}
