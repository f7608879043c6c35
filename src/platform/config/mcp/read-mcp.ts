import { closed, mapOf } from '../../../base/schema/fields.ts'
import Type, { type Static } from '../../../base/schema/type.ts'
import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { readNamedSecret } from '../named-secret.ts'
import { checkSection } from '../section.ts'
import type { McpServer, McpSettings } from './mcp-server.ts'
import { faultsOf, isServerName, serverMembers, serverOf, type StoredMcpServer } from './server-entry.ts'

const Server = Type.Object(
  {
    ...serverMembers,
    credentialEnv: Type.Optional(Type.String({ minLength: 1 })),
    credentialFile: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
)
const Settings = Type.Object(
  {
    servers: Type.Optional(mapOf(Server)),
    atProviders: Type.Optional(Type.Boolean()),
    oauth: Type.Optional(Type.Boolean()),
  },
  closed,
)

/** Reads `mcp` of the config file. A server of the file takes the place of a stored one with the same name. */
export function readMcp(
  value: unknown,
  environment: Environment,
  stored: readonly StoredMcpServer[] = [],
): McpSettings {
  if (value !== undefined) checkSection('mcp', Settings, value)
  const { servers = {}, atProviders = false, oauth = false } = (value ?? {}) as Static<typeof Settings>
  const ofFile = Object.entries(servers).map(([name, entry]) => readServer(name, entry, environment))
  const ofApi = stored
    .filter(({ name }) => !Object.hasOwn(servers, name))
    .map(({ name, entry, credential }) => serverOf(name, entry, { credential, ownedBy: 'api' }))
  return { servers: [...ofFile, ...ofApi], atProviders, oauth }
}

/** Programs look for the documents of OAuth at `/.well-known/` of the host, which a proxy that adds a path does not pass on. */
export function checkSignInAddress({ oauth }: McpSettings, publicUrl: string | undefined): void {
  if (!oauth || publicUrl === undefined || new URL(publicUrl).pathname === '/') return
  const reason = 'programs look for its documents at /.well-known/ of the host'
  throw new ConfigError(`mcp.oauth: needs a PUBLIC_URL without a path, because ${reason}; it is ${publicUrl}`)
}

function readServer(name: string, written: Static<typeof Server>, environment: Environment): McpServer {
  const path = `mcp.servers.${name}`
  if (!isServerName(name))
    throw new ConfigError(`${path}: a name has up to 32 small letters, digits, dashes and underscores`)
  const { credentialEnv: variable, credentialFile: file, ...entry } = written
  const [fault] = faultsOf(entry)
  if (fault) throw new ConfigError(`${[path, ...fault.path].join('.')}: ${fault.msg}`)
  const credential = readNamedSecret({ variable, file }, `${path}.credential`, environment)
  return serverOf(name, entry, { credential, ownedBy: 'file' })
}
