import { type Loc, valueError } from '../../base/schema/issue-messages.ts'
import type {
  ChangeMcpServerRequest,
  CreateMcpServerRequest,
  McpServerBody,
  McpServerList,
} from '../../contract/admin/mcp-servers.ts'
import { problem } from '../../contract/problems.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import type { Config } from '../../platform/config/config.ts'
import { ConfigError } from '../../platform/config/config-error.ts'
import { faultsOf, type ServerEntry } from '../../platform/config/mcp/server-entry.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { StoreUnavailable } from '../../platform/store/database.ts'
import {
  deleteMcpServer,
  findMcpServer,
  insertMcpServer,
  listMcpServers,
  MAX_MCP_SERVERS,
  type McpServerRow,
  mcpSecretName,
  replaceMcpServer,
} from '../../platform/store/installation/mcp-servers.ts'
import { audited } from '../audit/audited.ts'
import type { Author } from '../audit/author.ts'
import { changedFields } from '../audit/changes.ts'
import type { TenantServices } from '../tenant-services.ts'
import { bodyOf, bodyOfRow, bodyPath, entryOfBody } from './server-body.ts'
import { entryOf } from './stored-mcp-servers.ts'

// MCP servers of the admin API. They are in the store, and in the configuration of every process that has read it.

type Services = Pick<TenantServices, 'db' | 'config' | 'secrets' | 'refreshStored'>
/** Changes are in the audit log. */
type ChangeServices = Services & { author: Author }
/** `checkUrl` throws if the guard for outbound requests refuses an address that will be called later. */
type SetServices = ChangeServices & { checkUrl(url: string, loc: Loc): Promise<void> }

const URL_LOC: Loc = ['body', 'url']
/** Another request may change the server between our read and our write. */
const MAX_TRIES = 5

export async function listServers(
  { limit, cursor = '' }: { limit: number; cursor?: string | undefined },
  { db, config }: Pick<Services, 'db' | 'config'>,
): Promise<McpServerList> {
  const { servers } = config.mcp
  const ofFile = servers.filter(({ ownedBy }) => ownedBy === 'file').map((server) => bodyOf(server))
  const ofApi = (await listMcpServers(db)).map((row) => bodyOfRow(row, servers))
  const places = [...ofFile, ...ofApi].map((body) => ({ body, place: `${body.name} ${body.owned_by}` }))
  const rest = places.filter(({ place }) => place > cursor).sort((one, other) => (one.place < other.place ? -1 : 1))
  const items = rest.slice(0, limit)
  return { items: items.map(({ body }) => body), next_cursor: rest.length > limit ? items.at(-1)!.place : null }
}

export async function findServer(
  name: string,
  { db, config }: Pick<Services, 'db' | 'config'>,
): Promise<McpServerBody> {
  const ofFile = config.mcp.servers.find((server) => server.name === name && server.ownedBy === 'file')
  if (ofFile) return bodyOf(ofFile)
  const row = await findMcpServer(db, name)
  if (!row) throw noSuchServer()
  return bodyOfRow(row, config.mcp.servers)
}

export async function createServer(
  { name, credential, ...body }: CreateMcpServerRequest,
  services: SetServices,
): Promise<McpServerBody> {
  refuseOfFile(name, services)
  const entry = entryOfBody(body)
  refuseFaults(entry)
  await services.checkUrl(entry.url, URL_LOC)
  const secret = credential ? secretsOf(services).sealed(mcpSecretName(name), credential) : undefined
  const after = { ...entry, ...(secret && { credential: 'set' }) }
  const event = { action: 'mcp_server.create', object: `mcp_server:${name}`, after }
  const row = { name, settings: JSON.stringify(entry) }
  if (!(await insertMcpServer(audited(services.db, services.author, event), row, secret)))
    throw await notInserted(name, services)
  return await applied(name, services)
}

export async function changeServer(
  name: string,
  { credential, ...change }: ChangeMcpServerRequest,
  services: SetServices,
): Promise<McpServerBody> {
  let tried: string | undefined
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = await rowOf(name, services)
    if (row.settings === tried) throw otherKey()
    const former = entryOf(row)
    const entry = entryOfBody(change, former)
    refuseFaults(entry)
    if (entry.url !== former?.url) await services.checkUrl(entry.url, URL_LOC)
    if (row.sealed !== null && credential === undefined) refuseOtherHost(former, entry)
    const secret =
      typeof credential === 'string' ? secretsOf(services).sealed(mcpSecretName(name), credential) : credential
    const said = secret === undefined ? {} : { credential: secret === null ? 'removed' : 'changed' }
    const changes = changedFields({ ...former }, { ...removedFrom(former, entry), ...entry, ...said })
    const event = { action: 'mcp_server.update', object: `mcp_server:${name}`, ...changes }
    const written = { before: row.settings, after: JSON.stringify(entry), secret }
    if (await replaceMcpServer(audited(services.db, services.author, event), name, written))
      return await applied(name, services)
    tried = row.settings
  }
  throw problem('conflict', { message: 'Others are changing this server at the same time. Try again.' })
}

export async function removeServer(name: string, services: ChangeServices): Promise<void> {
  const row = await rowOf(name, services)
  const event = { action: 'mcp_server.delete', object: `mcp_server:${name}`, before: { ...entryOf(row) } }
  if (!(await deleteMcpServer(audited(services.db, services.author, event), name))) throw noSuchServer()
  await refreshed(services)
}

/** The server as it is after the change. */
async function applied(name: string, services: Services): Promise<McpServerBody> {
  return await findServer(name, { ...services, config: await refreshed(services) })
}

/** The change is in the store. If it cannot be applied now, the answer says that the server is not active, and the log says why. */
async function refreshed(services: Services): Promise<Config> {
  try {
    return await services.refreshStored()
  } catch (error) {
    if (error instanceof ConfigError) return services.config
    throw error
  }
}

/** Settings that are not there any more, as null. */
function removedFrom(former: ServerEntry | undefined, entry: ServerEntry): Record<string, null> {
  const names = Object.keys(former ?? {}).filter((name) => !Object.hasOwn(entry, name))
  return Object.fromEntries(names.map((name) => [name, null]))
}

/** A server that can be changed here. */
async function rowOf(name: string, services: Services): Promise<McpServerRow> {
  const row = await findMcpServer(services.db, name)
  if (row) return row
  refuseOfFile(name, services)
  throw noSuchServer()
}

function secretsOf({ secrets }: Services): Secrets {
  const opened = secrets.current
  if (!opened) throw new StoreUnavailable('The database was not reachable since the start of this process.')
  return opened
}

/** The address is no secret here: it is in lists and in the audit log. */
function refuseFaults(entry: ServerEntry): void {
  const faults = faultsOf(entry)
  const { username, password, search } = URL.parse(entry.url) ?? {}
  if (username || password || search)
    faults.push({ path: ['url'], msg: 'should have no user, password or query; those belong to the config file' })
  if (faults.length > 0)
    throw validationProblemOf(faults.map(({ path, msg }) => valueError(['body', ...bodyPath(path)], msg)))
}

/** A person who may change a server may not learn its credential by sending it elsewhere. */
function refuseOtherHost(former: ServerEntry | undefined, { url }: ServerEntry): void {
  if (former && new URL(former.url).origin === new URL(url).origin) return
  const msg = 'is at another host: send the credential again, or null, with the address'
  throw validationProblemOf([valueError(URL_LOC, msg)])
}

function refuseOfFile(name: string, { config }: Pick<Services, 'config'>): void {
  if (!config.mcp.servers.some((server) => server.name === name && server.ownedBy === 'file')) return
  const message = `The server '${name}' is in the config file. Change it there and reload the configuration.`
  throw problem('conflict', { message })
}

async function notInserted(name: string, { db }: Services) {
  if (await findMcpServer(db, name))
    return problem('conflict', { message: `There already is a server '${name}'. PATCH changes it.`, param: 'name' })
  if ((await listMcpServers(db)).length < MAX_MCP_SERVERS) return otherKey()
  const message = `There are ${MAX_MCP_SERVERS} servers already, which is the maximum. Delete one that is no longer needed.`
  return problem('conflict', { message })
}

/** A change of the encryption key is under way, and this process has the old one. */
function otherKey() {
  return problem('conflict', { message: 'Another encryption key is in use now. Restart this process with that key.' })
}

function noSuchServer() {
  return problem('not_found', { message: 'There is no such MCP server.' })
}
