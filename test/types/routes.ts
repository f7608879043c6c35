import type { Readable } from 'node:stream'
import { type AliasBody, AliasList, CreateAliasRequest } from '../../src/contract/admin/aliases.ts'
import { Delivery } from '../../src/contract/admin/operations.ts'
import { deliveryShown } from '../../src/jobs/admin/watch-deliveries.ts'
import { route } from '../../src/http/define-route.ts'
import { listOrCsv, listReplies } from '../../src/http/export/list-or-csv.ts'
import { pageIn, paging } from '../../src/http/admin/paging.ts'
import { closed, words } from '../../src/base/schema/fields.ts'
import Type from '../../src/base/schema/type.ts'
import type { StoredDelivery } from '../../src/platform/store/deliveries/deliveries.ts'

// What must not compile in a route. Nothing of this runs: the compiler fails if one of the marked lines has no error.

const Thing = Type.Object({ id: Type.String(), parts: Type.Array(Type.Object({ size: Type.Integer() })) })
const Order = words(['asc', 'desc'])
const ADMIN = { method: 'POST', path: '/admin/things/{id}', access: 'admin', permission: 'self', summary: '' } as const
const PUBLIC = { ...ADMIN, path: '/v3/things/{id}', access: 'key', permission: undefined } as const
const ONE = { 200: { description: '', schema: Thing } }
const EMPTY = { 204: { description: '' } }

export default [
  // A request has the members of its path, its query and its body.
  route({
    ...ADMIN,
    body: CreateAliasRequest,
    query: Type.Object({ order: Type.Optional(Order), ...paging }, closed),
    replies: EMPTY,
    handle: (request) => {
      const texts: string[] = [request.params.id, request.body.value.name]
      const page: { limit: number } = pageIn(request.query)
      const order: 'asc' | 'desc' | undefined = request.query.order
      // @ts-expect-error The path has no such parameter.
      request.params.name
      // @ts-expect-error The query has no such name.
      request.query.sort
      // @ts-expect-error A number is read as a number.
      const limit: string | undefined = request.query.limit
      // @ts-expect-error The body has no such field.
      request.body.value.title
      return void [texts, page, order, limit]
    },
  }),
  route({
    ...PUBLIC,
    body: Thing,
    replies: ONE,
    handle: (request) => {
      // @ts-expect-error The public listener is typed like the other one.
      request.body.value.name
      return request.body.value
    },
  }),
  // A form may come instead of JSON.
  route({
    ...PUBLIC,
    multipart: true,
    body: Thing,
    replies: EMPTY,
    handle: ({ body }) => {
      // @ts-expect-error It may be a form.
      body.value
      const either: Readable | { value: { id: string } } = body
      return void either
    },
  }),

  // A reply has all fields of its schema, and no others at any depth.
  route({ ...ADMIN, replies: ONE, handle: ({ params: { id } }) => ({ id, parts: [{ size: 1 }] }) }),
  // @ts-expect-error A field is missing.
  route({ ...ADMIN, replies: ONE, handle: ({ params: { id } }) => ({ id }) }),
  // @ts-expect-error A field has another type.
  route({ ...ADMIN, replies: ONE, handle: () => ({ id: 7, parts: [] }) }),
  // @ts-expect-error The contract has no `secret`.
  route({ ...ADMIN, replies: ONE, handle: () => ({ id: '', parts: [], secret: '' }) }),
  // @ts-expect-error The contract has no `secret` of a part.
  route({ ...ADMIN, replies: ONE, handle: () => ({ id: '', parts: [{ size: 1, secret: '' }] }) }),
  // @ts-expect-error The same where the handler waits, on the public listener.
  route({ ...PUBLIC, replies: ONE, handle: async () => ({ id: '', parts: [], secret: '' }) }),
  // @ts-expect-error There is no body.
  route({ ...ADMIN, replies: EMPTY, handle: () => ({ id: '' }) }),
  // @ts-expect-error There is a body.
  route({ ...ADMIN, replies: ONE, handle: async () => {} }),
  // @ts-expect-error Nothing would check what is sent.
  route({ ...ADMIN, replies: ONE, handle: async (_request, reply) => reply.send({ id: '', secret: '' }) }),
  // @ts-expect-error A route of the admin listener needs a permission.
  route({ ...ADMIN, permission: undefined, replies: EMPTY, handle: async () => {} }),

  // A list has the entries of its schema, also as CSV.
  route({
    ...ADMIN,
    query: Type.Object(paging),
    replies: listReplies('', AliasList),
    handle: (request, reply, { operations }) =>
      listOrCsv(request, reply, operations, {
        name: 'aliases',
        schema: AliasList,
        // @ts-expect-error An alias has a name.
        read: async () => ({ items: [{ id: '' }], next_cursor: null }),
      }),
  }),

  route({
    ...ADMIN,
    query: Type.Object(paging),
    replies: listReplies('', AliasList),
    // @ts-expect-error An alias has no `secret`.
    handle: (request, reply, { operations }) =>
      listOrCsv(request, reply, operations, { name: 'aliases', schema: AliasList, read: () => secretAliases() }),
  }),

  // A row of the store becomes a reply column by column.
  route({ ...ADMIN, replies: { 200: { description: '', schema: Delivery } }, handle: () => deliveryShown(row()) }),
  // @ts-expect-error A row is no reply.
  route({ ...ADMIN, replies: { 200: { description: '', schema: Delivery } }, handle: () => row() }),
  // @ts-expect-error A column that is missing.
  (row: Omit<StoredDelivery, 'lastError'>) => deliveryShown(row),
  // @ts-expect-error A column that has another name.
  (row: Omit<StoredDelivery, 'nextAt'> & { dueAt: number }) => deliveryShown(row),
]

declare function row(): StoredDelivery
declare function secretAliases(): Promise<{ items: (AliasBody & { secret: string })[]; next_cursor: null }>
