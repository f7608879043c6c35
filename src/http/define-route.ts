import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ManagementScope } from '../contract/admin/people.ts'
import type { Permission } from '../tenants/people/roles.ts'
import type { JsonBody } from '../translation/json/parse-body.ts'
import type { Static, TObject, TSchema } from '../base/schema/type.ts'
import type { HttpServices, Route, RouteReply } from './route.ts'

/**
 * An endpoint whose handler has the types of its schemas: what the wiring has checked (`register-routes.ts`) is what the handler gets,
 * and what `replies` does not describe cannot be answered. The handler returns the body of the answer; its status is the one
 * of `replies` that begins with 2.
 */
export function route<
  const Path extends string,
  const Access extends Route['access'],
  Replies extends Record<number, RouteReply>,
  Given extends Answer<Replies, Access>,
  Body extends TSchema | undefined = undefined,
  Query extends TObject | undefined = undefined,
  const Form extends boolean | undefined = undefined,
  const Raw extends boolean | undefined = undefined,
  const Streams extends boolean | undefined = undefined,
>(
  definition: TypedRoute<Path, Access, Replies, Given, Body, Query, Form, Raw, Streams> &
    WrongIn<Given, Answer<Replies, Access>>,
): TypedRoute<Path, Access, Replies, Given, Body, Query, Form, Raw, Streams> {
  return definition
}

type TypedRoute<Path extends string, Access, Replies, Given, Body, Query, Form, Raw, Streams> = Described &
  PermissionFor<Access> & {
    path: Path
    access: Access
    body?: Body
    query?: Query
    multipart?: Form
    rawQuery?: Raw
    streamsJson?: Streams
    replies: Replies
    handle: (
      request: RequestTo<Path, BodyFor<Body, Form, Streams>, QueryFor<Query, Raw>>,
      reply: FastifyReply,
      services: HttpServices,
    ) => Given | Promise<Given>
  }

type Described = Omit<
  Route,
  | 'path'
  | 'access'
  | 'permission'
  | 'manages'
  | 'body'
  | 'query'
  | 'multipart'
  | 'rawQuery'
  | 'streamsJson'
  | 'replies'
  | 'handle'
>

type PermissionFor<Access> = Access extends 'admin'
  ? { permission: Permission | 'self'; manages?: undefined }
  : Access extends 'manage'
    ? { permission?: undefined; manages: ManagementScope | 'self' }
    : { permission?: undefined; manages?: undefined }

type RequestTo<Path extends string, Body, Query> = FastifyRequest<{
  Body: Body
  Querystring: Query
  Params: ParamsIn<Path>
}>

/** A request whose body has been checked. */
export type RequestWith<Body> = FastifyRequest<{ Body: JsonBody<Body> }>

/** `/admin/users/{id}/tokens/{token_id}` → `{ id: string; token_id: string }`. */
type ParamsIn<Path extends string> = { [Name in NamesIn<Path>]: string }
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** A form arrives as it is sent, and so does JSON if the route streams it. A handler that takes nothing gets what it may be. */
type BodyFor<Body, Form, Streams> = Streams extends true
  ? Readable | undefined
  : Body extends TSchema
    ? JsonBody<Static<Body>> | (Form extends true ? Readable : never)
    : Form extends true
      ? Readable | undefined
      : unknown

type QueryFor<Query, Raw> = Raw extends true
  ? Readonly<Record<string, unknown>>
  : Query extends TSchema
    ? Static<Query>
    : unknown

/** What a handler sends itself: bytes, events, a text that was written before. */
type Sent = FastifyReply | Awaited<Promise<void>>

/** What a handler may return. On the admin listener, what is JSON is returned and never sent by the handler itself. */
type Answer<Replies, Access> = Success<Replies> extends infer Reply ? AnswerOf<Reply, Access> : never

type AnswerOf<Reply, Access> =
  | (Reply extends { schema: infer Schema extends TSchema } ? JsonOf<Reply, Schema> : never)
  | (Reply extends { schema: TSchema } ? (Access extends 'admin' ? SentBeside<Reply> : Sent) : Sent)

type JsonOf<Reply, Schema extends TSchema> = Reply extends { contentType: string | readonly string[] }
  ? never
  : Static<Schema>
type SentBeside<Reply> = Reply extends
  | { contentType: string | readonly string[] }
  | { texts: readonly string[] }
  | { events: TSchema }
  ? Sent
  : never

type Success<Replies> = Replies extends { 200: infer Reply }
  ? Reply
  : Replies extends { 201: infer Reply }
    ? Reply
    : Replies extends { 202: infer Reply }
      ? Reply
      : Replies extends { 204: infer Reply }
        ? Reply
        : { description: string }

/**
 * Nothing if the answer is the one of the contract, otherwise a type that no handler has, which says what is wrong. (What an
 * async handler returns of a reply that it has sent itself has the type `never`.)
 */
type WrongIn<Given, Wanted> = [Given] extends [never]
  ? FastifyReply extends Wanted
    ? unknown
    : { handle: 'Return the body instead of sending it.' }
  : [Extra<Given, Wanted>] extends [never]
    ? unknown
    : { handle: ['Not in the contract:', Extra<Given, Wanted>] }

/** The names of fields, at any depth, that are not in the contract. A wider type would otherwise pass with all that it has. */
type Extra<Given, Wanted> = [Given, Wanted] extends [Wanted, Given]
  ? never
  : unknown extends Wanted
    ? never
    : Given extends FastifyReply
      ? never
      : Given extends readonly (infer Item)[]
        ? Extra<Item, ItemOf<Wanted>>
        : Given extends object
          ? ExtraFields<Given, Exclude<Wanted, FastifyReply>>
          : never

type ExtraFields<Given extends object, Wanted> =
  string extends NamesOf<Wanted>
    ? never
    :
        | Exclude<keyof Given, NamesOf<Wanted>>
        | { [Name in keyof Given]-?: Extra<Given[Name], At<Wanted, Name>> }[keyof Given]

type NamesOf<Wanted> = Wanted extends object ? keyof Wanted : never
type At<Wanted, Name> = Wanted extends object ? (Name extends keyof Wanted ? Wanted[Name] : never) : never
type ItemOf<Wanted> = Wanted extends readonly (infer Item)[] ? Item : never
