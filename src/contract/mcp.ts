import Type, { type Static } from '../base/schema/type.ts'
import { open, unchecked } from '../base/schema/fields.ts'

// The messages of the Model Context Protocol, as far as the OpenAPI document tells them. The protocol's own errors answer what is wrong
// with a message, so that no schema refuses one.

const id = Type.Optional(
  Type.Union([Type.String(), Type.Integer()], { description: 'The id of the request, if it could be read.' }),
)
const version = Type.Literal('2.0', { description: 'The version of JSON-RPC.' })

export const McpMessage = Type.Unsafe<object>({
  title: 'McpMessage',
  description:
    'A JSON-RPC request or notification. Clients of the revision 2025-03-26 may send a list of them. Methods: `server/discover`, ' +
    '`tools/list`, `tools/call`, `tasks/get`, `tasks/cancel`; in revisions before 2026-07-28 also `initialize` and `ping`.',
  printed: {
    type: 'object',
    properties: {
      jsonrpc: { type: 'string', description: '`2.0`' },
      id: { type: 'string', description: 'A text, or a whole number. A notification has none.' },
      method: { type: 'string', description: 'Such as `tools/call`.' },
      params: { type: 'object', additionalProperties: true, description: 'What the method needs.' },
    },
    required: ['jsonrpc', 'method'],
    additionalProperties: true,
  },
})

export type McpMessage = Static<typeof McpMessage>

export const McpAnswer = Type.Unsafe<object>({
  title: 'McpAnswer',
  description: 'The JSON-RPC response. To a list of requests it is a list.',
  ...open,
})

export type McpAnswer = Static<typeof McpAnswer>

export const McpError = Type.Object(
  {
    jsonrpc: version,
    id,
    error: Type.Object(
      {
        code: Type.Integer({ description: 'The number of the error in JSON-RPC and in the protocol.' }),
        message: Type.String({ description: 'What is wrong.' }),
        data: unchecked({ type: 'object', additionalProperties: true }, 'More about it.'),
      },
      { description: 'The error.', ...open },
    ),
  },
  { title: 'McpError', description: 'A request that could not be answered.', ...open },
)
export type McpError = Static<typeof McpError>
