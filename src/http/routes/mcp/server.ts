import { McpError, McpMessage } from '../../../contract/mcp.ts'
import { MCP_REPLIES } from '../../mcp/mcp-replies.ts'
import { relayMcp } from '../../mcp/relay-mcp.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'POST',
  path: '/v3/mcp/{server_name}',
  access: 'key',
  scope: 'mcp',
  noSuch: 'server',
  summary: 'An MCP server behind the gateway',
  description:
    'One of the servers that the operator has configured, in the revision of the client: 2026-07-28, 2025-11-25, 2025-06-18 or 2025-03-26, ' +
    'without sessions. It has the tools that the operator allows. Each call is in the log, counts towards limits, and goes to the server with ' +
    'the credential of the operator. Guardrails check the arguments and the result of each call.',
  body: McpMessage,
  errors: McpError,
  replies: {
    ...MCP_REPLIES,
    404: { description: 'There is no such server or method.', schema: McpError },
    502: { description: 'The server does not answer as it should.', schema: McpError },
  },
  handle: async (request, reply, services) => {
    await relayMcp({ request, reply, services, name: request.params.server_name })
  },
})
