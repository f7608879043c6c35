import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ModelType } from '../platform/catalog/catalog.ts'
import { ModelList } from '../contract/models.ts'
import { type ListView, modelListText } from '../calls/routing/model-lists.ts'
import Type, { type Static, type TObject } from '../base/schema/type.ts'
import { words } from '../base/schema/fields.ts'
import { reportedModels } from '../calls/upstream/reported-models.ts'
import { sendTextWithEtag, UNCHANGED } from './cached/etag.ts'
import { route } from './define-route.ts'
import type { HttpServices } from './route.ts'

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** The query of every list of models. */
export const MODEL_LIST_QUERY = {
  all: flag(
    '`true`: the whole catalog of the region and the scopes of this key; `available` says what can be called now.',
  ),
  available: flag(
    '`true`: only models that can be called now, which is the default; `false` is the same as `all=true`.',
  ),
}

export const MODEL_LIST_VIEW = {
  view: Type.Optional(
    words(['endpoints', 'models'], { description: 'One entry per provider and model, or per bare name.' }),
  ),
}

type ModelListQuery = Static<TObject<typeof MODEL_LIST_QUERY>>

export const MODEL_LIST_REPLIES = { 200: { description: 'The models.', schema: ModelList }, 304: UNCHANGED }

/** The list of models of one kind, beside the endpoint that uses them. */
export function modelListRoute(path: string, type: ModelType, called: string) {
  return route({
    method: 'GET',
    path: `${path}/models`,
    access: 'key',
    scope: 'models',
    summary: `List ${called}`,
    description: 'Models that this key can call now. `?all=true` lists the whole catalog of its region and scopes.',
    query: Type.Object({ ...MODEL_LIST_VIEW, ...MODEL_LIST_QUERY }),
    replies: MODEL_LIST_REPLIES,
    handle: (request, reply, services) => {
      const { view = 'endpoints' } = request.query
      return sendModelList(request, reply, services, { type, view })
    },
  })
}

/** The kinds of models that local servers report. */
const REPORTED: readonly ModelType[] = ['chat', 'embedding']

export async function sendModelList(
  request: FastifyRequest<{ Querystring: ModelListQuery }>,
  reply: FastifyReply,
  services: HttpServices,
  { type, view }: { type?: ModelType | undefined; view: ListView },
): Promise<FastifyReply> {
  const { all, available } = request.query
  const isOnlyAvailable = available ?? all !== true
  const isReported = type === undefined || REPORTED.includes(type)
  const reported = isReported ? await reportedModels(services.calls) : []
  const query = { type, all: !isOnlyAvailable, reported }
  const text = modelListText(request.caller, view, query, services.calls)
  return sendTextWithEtag(request, reply, text, 'application/json; charset=utf-8')
}
