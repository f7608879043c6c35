import type { FastifyReply, FastifyRequest } from 'fastify'
import { consoleCaller } from '../../../tenants/access/console-caller.ts'
import { words } from '../../../base/schema/fields.ts'
import Type, { type TSchema } from '../../../base/schema/type.ts'
import { OfferedMcpServers } from '../../../contract/admin/mcp-servers.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { FORM_HEADER, askedBy } from '../../admin/admin-auth.ts'
import { admit } from '../../admission.ts'
import { refusalOf } from '../../auth.ts'
import { localNames } from '../../entry/local-names.ts'
import { demandSubmitter } from '../../../jobs/read-jobs.ts'
import { queryReader } from '../../query.ts'
import { route } from '../../define-route.ts'
import { offeredServers } from '../../mcp/offered-servers.ts'
import type { HttpServices, Route } from '../../route.ts'
import * as speech from '../audio/speech.ts'
import chatCompletions from '../chat/completions.ts'
import * as embeddings from '../embeddings.ts'
import imageGenerations from '../images/generations.ts'
import imageModels from '../images/models.ts'
import * as info from '../info.ts'
import mcpServer from '../mcp/server.ts'
import models from '../models.ts'
import universalAi from '../universal-ai.ts'
import * as jobs from '../universal-ai/async.ts'
import * as files from '../upload.ts'

const API = '/v3'

const ABOUT =
  'The same as the endpoint of the API, for people who have signed in: `project` pays, its policy, budgets and rate limits apply, and ' +
  'the request log has the person and the key `console`. You need the right to create a key in the project.'

const FORM = `With a session, send any value in the header \`${FORM_HEADER}\`: a form of another page cannot have it.`

const Who = Type.Object({
  project: Type.Optional(
    Type.String({ description: 'The id of the project that pays. Your only project if absent, or `personal`.' }),
  ),
  kind: Type.Optional(
    words(['live', 'sandbox'], {
      default: 'live',
      description: '`sandbox`: every model can be called; answers are simulated.',
    }),
  ),
})
const readWho = queryReader(Who)

/** An endpoint of the API on the admin listener. The person who asks is its caller, in a project. */
function offered({ errors, ...api }: Route): Route {
  return {
    ...api,
    replies: errors ? alsoOfListener(api.replies, errors) : api.replies,
    path: `/admin/playground${api.path.slice(API.length)}`,
    access: 'admin',
    permission: 'keys.write',
    manages: undefined,
    summary: `Playground: ${api.summary}`,
    description: [ABOUT, api.description ?? [], api.multipart ? FORM : []].flat().join(' '),
    query: Type.Object({ ...Who.properties, ...api.query?.properties }),
    handle: async (request, reply, services) => {
      await identify(request, reply, api, services)
      return await api.handle(request, reply, services)
    },
  }
}

/** What this listener refuses has its own form, and not the one of the client format. */
function alsoOfListener(replies: Route['replies'], errors: TSchema): Route['replies'] {
  const either = Type.Union([ErrorBody, errors])
  const both = Object.entries(replies).map(([status, reply]) => {
    return [status, reply.schema === errors ? { ...reply, schema: either } : reply]
  })
  return Object.fromEntries(both)
}

/** What the API does with a key. Unlike the rest of this listener, it is refused under load as the API's requests are. */
async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  api: Pick<Route, 'scope' | 'stores' | 'isUnguarded'>,
  services: HttpServices,
) {
  const { project, kind = 'live' } = readWho(request.query)
  request.caller = await consoleCaller({ project, kind }, askedBy(request, services.calls))
  const refusal =
    refusalOf(request.caller, api, services.calls) ??
    admit(request, reply, request.caller.owner, { ...services, shedsLoad: true })
  if (refusal) throw refusal
  await localNames(request, services.calls)
}

const ownJob = route({
  ...jobs.one,
  handle: async (request, reply, services) => {
    await demandSubmitter(request.params.job_id, request.caller, services.calls)
    return await jobs.one.handle(request, reply, services)
  },
})

const mcpServers = route({
  method: 'GET',
  path: '/admin/playground/mcp',
  access: 'admin',
  permission: 'keys.write',
  summary: 'Playground: list MCP servers',
  description:
    'The MCP servers that a chat of yours may name in its `tools` (`{"type": "mcp", "server_label": …}`), with the tools that they offer now. ' +
    'Each server is asked, unless it was asked a moment ago. You need the right to create a key in the project.',
  query: Who,
  replies: { 200: { description: 'The servers.', schema: OfferedMcpServers } },
  handle: async (request, reply, services) => {
    await identify(request, reply, chatCompletions, services)
    return await offeredServers(request, services)
  },
})

const ofApi = [
  chatCompletions,
  embeddings.create,
  imageGenerations,
  imageModels,
  speech.create,
  speech.models,
  universalAi,
  jobs.create,
  ownJob,
  files.upload,
  models,
  mcpServer,
  info.features,
  info.subfeature,
].map(offered)

export const playgroundRoutes: readonly Route[] = [...ofApi, mcpServers]
