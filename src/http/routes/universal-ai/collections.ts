import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from '../../../contract/type.ts'
import { Collection, CollectionList, CollectionRequest, DeletedCollection } from '../../../contract/collections.ts'
import { dropCollection, listOwnCollections, makeCollection, showCollection } from '../../../core/collection-desk.ts'
import type { JsonBody } from '../../../json/parse-body.ts'
import { openLine, wholeReply } from '../../call-line.ts'
import { readLimit, readPage, readText } from '../../query.ts'
import type { House, Route } from '../../route.ts'

const common = { access: 'key', scope: 'universal' } as const

export const create: Route = {
  method: 'POST',
  path: '/v3/universal-ai/collections',
  ...common,
  summary: 'Make a collection of faces',
  description:
    'What `image/face_recognition` looks in: made once at a provider, filled with pictures, then named as `collection_id`. ' +
    "Only keys of the same owner see it; those of a sandbox key are the sandbox's own.",
  body: CollectionRequest,
  replies: { 201: { description: 'The collection.', schema: Collection } },
  handle: (request: FastifyRequest, reply: FastifyReply, house: House) => {
    const body = (request.body as JsonBody).value as CollectionRequest
    const line = openLine(request, reply, house, 'universal')
    return wholeReply(line, () => makeCollection(body, line.call, house.outside), 201)
  },
}

export const list: Route = {
  method: 'GET',
  path: '/v3/universal-ai/collections',
  ...common,
  summary: 'Your collections, newest first',
  query: Type.Object({
    model: Type.Optional(Type.String({ description: 'Only collections of this task and provider.' })),
    page: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: 'Which page.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Entries on a page.' })),
  }),
  replies: { 200: { description: 'A page of collections.', schema: CollectionList } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { outside }: House) => {
    const { model, page, limit } = request.query as Record<string, string | undefined>
    const query = { model: readText('model', model, 255), page: readPage(page), limit: readLimit(limit) }
    return listOwnCollections(query, request.caller, outside)
  },
}

export const one: Route = {
  method: 'GET',
  path: '/v3/universal-ai/collections/{collection_id}',
  ...common,
  summary: 'One of your collections',
  replies: { 200: { description: 'The collection.', schema: Collection } },
  handle: (request: FastifyRequest, _reply: FastifyReply, { outside }: House) =>
    showCollection(idOf(request), request.caller, outside),
}

export const remove: Route = {
  method: 'DELETE',
  path: '/v3/universal-ai/collections/{collection_id}',
  ...common,
  summary: 'Delete a collection and all that is in it',
  description: 'At the provider first. Deleting again, or what is not yours, says `deleted: false`.',
  replies: { 200: { description: 'It is gone.', schema: DeletedCollection } },
  handle: (request: FastifyRequest, reply: FastifyReply, house: House) => {
    const line = openLine(request, reply, house, 'universal')
    return wholeReply(line, () => dropCollection(idOf(request), line.call, house.outside))
  },
}

function idOf(request: FastifyRequest): string {
  return (request.params as { collection_id: string }).collection_id
}
