import Type from '../../../base/schema/type.ts'
import { Collection, CollectionList, CollectionRequest, DeletedCollection } from '../../../contract/collections.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import {
  dropCollection,
  listOwnCollections,
  makeCollection,
  showCollection,
} from '../../../endpoints/universal/collections.ts'
import { openReply, wholeReply } from '../../open-reply.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE } from '../../query.ts'
import { route } from '../../define-route.ts'

const common = { access: 'key', scope: 'universal' } as const

export const create = route({
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
    409: { description: 'You have the maximum number of collections.', schema: ErrorBody },
  },
  handle: (request, reply, services) => {
    const body = request.body.value
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => makeCollection(body, open.call, services.calls), 201)
  },
})

export const list = route({
  method: 'GET',
  path: '/v3/universal-ai/collections',
  ...common,
  summary: 'List collections',
  description: 'Your collections, newest first.',
  query: Type.Object({
    model: Type.Optional(Type.String({ maxLength: 255, description: 'Only collections of this task and provider.' })),
    page: Type.Optional(PAGE),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'Entries on a page.' }),
    ),
  }),
  replies: { 200: { description: 'A page of collections.', schema: CollectionList } },
  handle: (request, _reply, services) => {
    const { model, page = 1, limit = DEFAULT_LIMIT } = request.query
    return listOwnCollections({ model, page, limit }, request.caller, services.calls)
  },
})

export const one = route({
  method: 'GET',
  path: '/v3/universal-ai/collections/{collection_id}',
  ...common,
  summary: 'Get a collection',
  replies: { 200: { description: 'The collection.', schema: Collection } },
  handle: (request, _reply, services) => showCollection(request.params.collection_id, request.caller, services.calls),
})

export const remove = route({
  method: 'DELETE',
  path: '/v3/universal-ai/collections/{collection_id}',
  ...common,
  summary: 'Delete a collection',
  description: 'With its items. Deletes it at the provider first.',
  replies: { 200: { description: 'The collection is deleted.', schema: DeletedCollection } },
  handle: (request, reply, services) => {
    const open = openReply(request, reply, services, 'universal')
    return wholeReply(open, () => dropCollection(request.params.collection_id, open.call, services.calls))
  },
})
