import type { FastifyRequest } from 'fastify'
import {
  ChangeMcpServerRequest,
  CreateMcpServerRequest,
  McpServerBody,
  McpServerList,
  McpToolList,
} from '../../../../contract/admin/mcp-servers.ts'
import { ErrorBody, ValidationErrorBody } from '../../../../contract/errors.ts'
import Type from '../../../../base/schema/type.ts'
import {
  changeServer,
  createServer,
  findServer,
  listServers,
  removeServer,
} from '../../../../tenants/mcp-servers/manage-mcp-servers.ts'
import { askedBy } from '../../../admin/admin-auth.ts'
import { pageIn, paging } from '../../../admin/paging.ts'
import { route } from '../../../define-route.ts'
import type { HttpServices } from '../../../route.ts'
import { toolsOfServer } from '../../../mcp/server-tool-list.ts'

const EVERYWHERE = 'Takes effect here at once, and in every other process within a few seconds.'
const OF_FILE = { description: 'The server is in the config file.', schema: ErrorBody }
const NOT_FOUND = { description: 'There is no such server.', schema: ErrorBody }
const INVALID = { description: 'The server is not valid.', schema: ValidationErrorBody }

const create = route({
  method: 'POST',
  path: '/admin/mcp/servers',
  access: 'admin',
  permission: 'config.write',
  summary: 'Put an MCP server behind the gateway',
  description:
    'Its tools can be named in chats (`{"type": "mcp", "server_label": …}`) and are at `/v3/mcp/{name}`. The credential is encrypted with ' +
    `GATEHOUSE_ENCRYPTION_KEY and never shown again. ${EVERYWHERE}`,
  body: CreateMcpServerRequest,
  replies: {
    201: { description: 'The server.', schema: McpServerBody },
    409: { description: 'A server with this name exists.', schema: ErrorBody },
    422: INVALID,
  },
  handle: (request, _reply, services) => createServer(request.body.value, changing(request, services)),
})

const list = route({
  method: 'GET',
  path: '/admin/mcp/servers',
  access: 'admin',
  permission: 'config.read',
  summary: 'List MCP servers',
  description: 'Servers of the config file and of the admin API, without their credentials.',
  query: Type.Object({ ...paging }),
  replies: { 200: { description: 'A page of servers.', schema: McpServerList } },
  handle: ({ query }, _reply, services) => listServers(pageIn(query), services.tenants),
})

const one = route({
  method: 'GET',
  path: '/admin/mcp/servers/{server_name}',
  access: 'admin',
  permission: 'config.read',
  summary: 'Get an MCP server',
  replies: { 200: { description: 'The server.', schema: McpServerBody }, 404: NOT_FOUND },
  handle: (request, _reply, services) => findServer(request.params.server_name, services.tenants),
})

const change = route({
  method: 'PATCH',
  path: '/admin/mcp/servers/{server_name}',
  access: 'admin',
  permission: 'config.write',
  summary: 'Change an MCP server',
  description: `Changes only what the body names; null removes a member. ${EVERYWHERE}`,
  body: ChangeMcpServerRequest,
  replies: { 200: { description: 'The server.', schema: McpServerBody }, 404: NOT_FOUND, 409: OF_FILE, 422: INVALID },
  handle: (request, _reply, services) =>
    changeServer(request.params.server_name, request.body.value, changing(request, services)),
})

const remove = route({
  method: 'DELETE',
  path: '/admin/mcp/servers/{server_name}',
  access: 'admin',
  permission: 'config.write',
  summary: 'Remove an MCP server',
  description: `Its credential is deleted. ${EVERYWHERE}`,
  replies: { 204: { description: 'Removed.' }, 404: NOT_FOUND, 409: OF_FILE },
  handle: async (request, _reply, services) => {
    await removeServer(request.params.server_name, askedBy(request, services.tenants))
  },
})

const tools = route({
  method: 'GET',
  path: '/admin/mcp/servers/{server_name}/tools',
  access: 'admin',
  permission: 'config.read',
  summary: 'List the tools of an MCP server',
  description: 'Asks the server, unless it was asked a moment ago. Also lists what callers may not use.',
  replies: {
    200: { description: 'The tools.', schema: McpToolList },
    404: NOT_FOUND,
    502: { description: 'The server does not answer as it should.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => toolsOfServer(request, request.params.server_name, services),
})

function changing(request: FastifyRequest, { tenants, calls }: HttpServices) {
  return askedBy(request, { ...tenants, checkUrl: calls.callerUrls.checkForLater })
}

export const mcpServerRoutes = [create, list, one, change, remove, tools]
