import { closed, mapOf } from '../../../base/schema/fields.ts'
import Type, { type Static } from '../../../base/schema/type.ts'
import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { readNamedSecret } from '../named-secret.ts'
import { checkSection } from '../section.ts'
import { holderOf } from '../spend-limits/limit-entry.ts'
import { DEFAULT_TIMEOUT_SECONDS, type McpServer, type McpSettings, SERVER_NAME } from './mcp-server.ts'

const names = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 500 }))

const Server = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2000 }),
    credentialEnv: Type.Optional(Type.String({ minLength: 1 })),
    credentialFile: Type.Optional(Type.String({ minLength: 1 })),
    header: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    tools: Type.Optional(Type.Object({ allow: names, deny: names }, closed)),
    appliesTo: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: 100 })),
    pricePerCall: Type.Optional(Type.Number({ minimum: 0, maximum: 1000 })),
    timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })),
  },
  closed,
)
const Settings = Type.Object(
  { servers: Type.Optional(mapOf(Server)), atProviders: Type.Optional(Type.Boolean()) },
  closed,
)

/** Reads `mcp` of the config file. */
export function readMcp(value: unknown, environment: Environment): McpSettings {
  if (value === undefined) return { servers: [], atProviders: false }
  checkSection('mcp', Settings, value)
  const { servers = {}, atProviders = false } = value as Static<typeof Settings>
  return { servers: Object.entries(servers).map(([name, entry]) => readServer(name, entry, environment)), atProviders }
}

function readServer(name: string, entry: Static<typeof Server>, environment: Environment): McpServer {
  const path = `mcp.servers.${name}`
  if (!new RegExp(SERVER_NAME).test(name))
    throw new ConfigError(`${path}: a name has up to 32 small letters, digits, dashes and underscores`)
  const { url, credentialEnv: variable, credentialFile: file, header, tools = {}, appliesTo = ['all'] } = entry
  const { pricePerCall = 0, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = entry
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new ConfigError(`${path}.url: should be an http(s) address`)
  if (header !== undefined && !/^[A-Za-z0-9-]+$/.test(header))
    throw new ConfigError(`${path}.header: should be the name of a header`)
  const secret = readNamedSecret({ variable, file }, `${path}.credential`, environment)
  const holders = appliesTo.map((text, index) => {
    const holder = holderOf(text)
    if (holder && holder.holder !== 'end_user') return holder
    throw new ConfigError(
      `${path}.appliesTo.${index}: should be all, or organization:, project:, user: or key: and an id`,
    )
  })
  return {
    name,
    url,
    auth: authOf(header, secret),
    allow: tools.allow ?? null,
    deny: tools.deny ?? [],
    appliesTo: holders,
    pricePerCall,
    timeoutMs: timeoutSeconds * 1000,
    ownedBy: 'file',
  }
}

/** Without a header of its own, the credential is a bearer token. */
function authOf(header: string | undefined, secret: string | undefined): McpServer['auth'] {
  if (secret === undefined) return undefined
  return header ? { header: header.toLowerCase(), secret } : { header: 'authorization', secret: `Bearer ${secret}` }
}
