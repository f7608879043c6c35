import { McpAnswer, McpError } from '../../contract/mcp.ts'

/** What every MCP server at a path of ours answers; each route adds what it has not found. */
export const MCP_REPLIES = {
  200: {
    description: 'The response. For long work: events, the response last.',
    schema: McpAnswer,
    events: McpAnswer,
  },
  202: { description: 'A notification has arrived.' },
  400: { description: 'The message or its headers are not valid.', schema: McpError },
}
