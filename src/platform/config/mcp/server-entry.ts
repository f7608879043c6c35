import { closed } from '../../../base/schema/fields.ts'
import { SERVER_NAME } from '../../../base/schema/patterns.ts'
import Type, { type Static } from '../../../base/schema/type.ts'
import { holderOf } from '../spend-limits/limit-entry.ts'
import { DEFAULT_TIMEOUT_SECONDS, type McpServer } from './mcp-server.ts'

// An MCP server as operators write it, in the config file and, with other spellings of the names, in the admin API.

const names = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 500 }))

/** All but the credential, which the file names and the store keeps apart. */
export const serverMembers = {
  url: Type.String({ minLength: 1, maxLength: 2000 }),
  header: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  tools: Type.Optional(Type.Object({ allow: names, deny: names }, closed)),
  appliesTo: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: 100 })),
  pricePerCall: Type.Optional(Type.Number({ minimum: 0, maximum: 1000 })),
  timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })),
}

export const ServerEntry = Type.Object(serverMembers, closed)
export type ServerEntry = Static<typeof ServerEntry>

/** A server of the admin API, as the store has it; `credential` is undefined if it needs none. */
export type StoredMcpServer = { name: string; entry: ServerEntry; credential: string | undefined }

/** What is wrong with an entry, and the member that it is about. */
type EntryFault = { path: readonly (string | number)[]; msg: string }

/** What its schema cannot say. */
export function faultsOf({ url, header, appliesTo = [] }: ServerEntry): EntryFault[] {
  const faults: EntryFault[] = []
  const address = URL.parse(url)
  if (!/^https?:$/.test(address?.protocol ?? '')) faults.push({ path: ['url'], msg: 'should be an http(s) address' })
  if (address?.hostname === 'localhost')
    faults.push({ path: ['url'], msg: 'should name 127.0.0.1 in place of localhost, which is not looked up' })
  if (header !== undefined && !/^[A-Za-z0-9-]+$/.test(header))
    faults.push({ path: ['header'], msg: 'should be the name of a header' })
  for (const [index, text] of appliesTo.entries())
    if (!serverHolder(text))
      faults.push({
        path: ['appliesTo', index],
        msg: 'should be all, or organization:, project:, user: or key: and an id',
      })
  return faults
}

export function isServerName(name: string): boolean {
  return new RegExp(SERVER_NAME).test(name)
}

/** The server that an entry without faults describes. */
export function serverOf(
  name: string,
  {
    url,
    header,
    tools = {},
    appliesTo = ['all'],
    pricePerCall = 0,
    timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
  }: ServerEntry,
  { credential, ownedBy }: { credential: string | undefined; ownedBy: McpServer['ownedBy'] },
): McpServer {
  return {
    name,
    url,
    auth: authOf(header, credential),
    allow: tools.allow ?? null,
    deny: tools.deny ?? [],
    appliesTo: appliesTo.map((text) => serverHolder(text)!),
    pricePerCall,
    timeoutMs: timeoutSeconds * 1000,
    ownedBy,
  }
}

/** End users are names that callers give, so that nothing can be kept from them. */
function serverHolder(text: string) {
  const holder = holderOf(text)
  return holder?.holder === 'end_user' ? undefined : holder
}

/** Without a header of its own, the credential is a bearer token. */
function authOf(header: string | undefined, secret: string | undefined): McpServer['auth'] {
  if (secret === undefined) return undefined
  return header ? { header: header.toLowerCase(), secret } : { header: 'authorization', secret: `Bearer ${secret}` }
}
