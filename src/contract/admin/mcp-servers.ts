import { closed, freeObject, moment, nullable, optional, words } from '../../base/schema/fields.ts'
import { SERVER_NAME } from '../../base/schema/patterns.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { pageOf } from '../paging.ts'

// The limits are those of src/platform/config/mcp/server-entry.ts.
const MAX_TOOLS = 500
const MAX_HOLDERS = 100
const MAX_SECRET_CHARS = 8_192
const DEFAULT_TIMEOUT_SECONDS = 60

const toolNames = (description: string) =>
  optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: MAX_TOOLS }), description)

const name = Type.String({
  pattern: SERVER_NAME,
  description:
    'The `server_label` of requests, and the end of `/v3/mcp/{name}`: small letters, digits, dashes, underscores.',
})
const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description:
    'Its address, over HTTP. A private one has to be in `ALLOW_NETWORKS`. It has no user, password or query; those belong to the config file.',
})
const credential = optional(
  Type.String({ minLength: 1, maxLength: MAX_SECRET_CHARS }),
  'What the gateway sends to the server: a bearer token, or the value of `header`. It is stored encrypted and never shown.',
)
const McpServerTools = Type.Object(
  {
    allow: toolNames('The tools that may be used, by their own names. All if absent.'),
    deny: toolNames('The tools that may not be used, whatever is allowed.'),
  },
  {
    title: 'McpServerTools',
    description: 'Which tools callers may use. Others are neither listed nor callable.',
    ...closed,
  },
)
const settings = {
  header: optional(
    Type.String({ minLength: 1, maxLength: 100 }),
    'The header that has the credential, if it is not a bearer token in `Authorization`.',
  ),
  tools: optional(McpServerTools, 'Which tools callers may use. All if absent.'),
  applies_to: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: MAX_HOLDERS }),
    'Who may use it: `all`, `organization:<id>`, `project:<id>`, `user:<id>` or `key:<id>`. `all` if absent.',
  ),
  price_per_call: optional(
    Type.Number({ minimum: 0, maximum: 1_000 }),
    'USD for each call of a tool: charged to budgets and in the ledger.',
    { default: 0 },
  ),
  timeout_seconds: optional(Type.Integer({ minimum: 1, maximum: 600 }), 'How long one call may take.', {
    default: DEFAULT_TIMEOUT_SECONDS,
  }),
}

export const CreateMcpServerRequest = Type.Object(
  { name, url, credential, ...settings },
  { title: 'CreateMcpServerRequest', description: 'An MCP server to put behind the gateway.', ...closed },
)
export type CreateMcpServerRequest = Static<typeof CreateMcpServerRequest>

export const ChangeMcpServerRequest = Type.Object(
  { url: Type.Optional(url), credential, ...settings },
  {
    title: 'ChangeMcpServerRequest',
    description:
      'What to change. A member that is null is removed. An address at another host needs the credential again, or null.',
    ...closed,
  },
)
export type ChangeMcpServerRequest = Static<typeof ChangeMcpServerRequest>

export const McpServerBody = Type.Object(
  {
    name,
    owned_by: words(['file', 'api'], { description: 'Only servers of the `api` can be changed here.' }),
    url: Type.String({ description: 'Its address. A query, which may be a secret, is masked.' }),
    has_credential: Type.Boolean({ description: 'Whether the gateway sends it a credential.' }),
    header: nullable(Type.String(), 'The header that has the credential. Null for a bearer token.'),
    tools: Type.Object(
      {
        allow: nullable(Type.Array(Type.String()), 'The tools that may be used. Null if all may.'),
        deny: Type.Array(Type.String(), { description: 'The tools that may not be used.' }),
      },
      { description: 'Which tools callers may use.' },
    ),
    applies_to: Type.Array(Type.String(), { description: 'Who may use it.' }),
    price_per_call: Type.Number({ minimum: 0, description: 'USD for each call of a tool.' }),
    timeout_seconds: Type.Integer({ minimum: 1, description: 'How long one call may take.' }),
    active: Type.Boolean({
      description: 'Whether calls use it. False if a server of the config file has its name, or it cannot be read.',
    }),
    created_at: nullable(moment, 'When it was created. Null for a server of the config file.'),
    updated_at: nullable(moment, 'When it was last changed. Null for a server of the config file.'),
  },
  { title: 'McpServer', description: 'An MCP server behind the gateway.' },
)
export type McpServerBody = Static<typeof McpServerBody>

export const McpServerList = pageOf(McpServerBody, {
  title: 'McpServerList',
  description: 'MCP servers, page by page.',
  items: 'The servers, by name.',
})
export type McpServerList = Static<typeof McpServerList>

export const McpToolList = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Its name at the server.' }),
          title: nullable(Type.String(), 'What the server calls it for people.'),
          description: Type.String({ description: 'What models read, without characters that people cannot see.' }),
          input_schema: freeObject({ description: 'The JSON schema of its arguments.' }),
          read_only: nullable(Type.Boolean(), 'Whether the server says that it changes nothing. It is only a hint.'),
          allowed: Type.Boolean({ description: 'Whether callers may use it.' }),
        },
        { title: 'McpTool', description: 'A tool of an MCP server.' },
      ),
      { description: 'In the order of the server.' },
    ),
  },
  { title: 'McpToolList', description: 'What a server offers now, also what callers may not use.' },
)
export type McpToolList = Static<typeof McpToolList>

export const OfferedMcpServers = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          name,
          tools: nullable(
            Type.Array(
              Type.Object(
                {
                  name: Type.String({ description: 'Its name at the server.' }),
                  description: Type.String({ description: 'What models read of it.' }),
                },
                { title: 'OfferedMcpTool', description: 'A tool that callers may use.' },
              ),
            ),
            'The tools that callers may use. Null if the server does not answer as it should.',
          ),
          problem: nullable(Type.String(), 'Why the tools are not known. Null if they are.'),
        },
        { title: 'OfferedMcpServer', description: 'An MCP server that may be named in a chat.' },
      ),
      { description: 'Those that the caller may use.' },
    ),
  },
  { title: 'OfferedMcpServers', description: 'MCP servers for a chat, without their addresses and credentials.' },
)
export type OfferedMcpServers = Static<typeof OfferedMcpServers>
