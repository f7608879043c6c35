import Type from '../../base/schema/type.ts'
import { McpError, McpMessage } from '../../contract/mcp.ts'
import { route } from '../define-route.ts'
import { MCP_REPLIES } from '../mcp/mcp-replies.ts'
import { serveMcp } from '../mcp/serve-mcp.ts'

export default route({
  method: 'POST',
  path: '/v3/mcp',
  access: 'key',
  scope: 'mcp',
  summary: 'Use the tools of the gateway (MCP)',
  description:
    'A server of the Model Context Protocol, revisions 2026-07-28, 2025-11-25, 2025-06-18 and 2025-03-26, without sessions. Its tools are ' +
    'tasks, models, files and jobs, as far as the key may use them. Each call of a tool is a request to its endpoint, with the same limits, ' +
    'policies, log and bill.',
  body: McpMessage,
  errors: McpError,
  query: Type.Object({
    tools: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description:
          'Which tools the list shows: `all`, or names and patterns such as `ocr/*,text/moderation`. Without it: models, files, jobs and the web. ' +
          'The others are found with the tool `gatehouse_find_tools`.',
      }),
    ),
  }),
  replies: {
    ...MCP_REPLIES,
    404: { description: 'There is no such method.', schema: McpError },
  },
  handle: async (request, reply, services) => {
    await serveMcp({ request, reply, services, choice: request.query.tools })
  },
})
