import type { Database, Statement } from '../database.ts'
import { KEY_IN_USE, READABLE, type StoredSecret } from './secrets.ts'
import { versionChange } from './versions.ts'

// MCP servers of the admin API. The row has what operators may see, as JSON that the store does not read; the credential is sealed, in
// the table `secrets`, so that a change of the encryption key finds it there.

/** Far more than an installation needs. All of them are in the memory of every process. */
export const MAX_MCP_SERVERS = 500

export type McpServerRow = {
  name: string
  settings: string
  createdAt: number
  updatedAt: number
  /** Null without a credential. */
  sealed: string | null
  fingerprint: string | null
}
type NewSecret = Omit<StoredSecret, 'version'>

/** A credential that is not readable is empty, which no key opens, so that it is not taken for none. */
const SELECT = `SELECT mcp_servers.name, mcp_servers.settings, mcp_servers.created_at AS "createdAt",
    mcp_servers.updated_at AS "updatedAt", CASE WHEN ${READABLE} THEN secrets.sealed WHEN secrets.name IS NOT NULL THEN '' END AS sealed,
    secrets.fingerprint
  FROM mcp_servers LEFT JOIN secrets ON secrets.name = 'mcp-server:' || mcp_servers.name`

/** The name of the secret of a server. */
export function mcpSecretName(server: string): string {
  return `mcp-server:${server}`
}

export function listMcpServers(db: Database): Promise<McpServerRow[]> {
  return db.query<McpServerRow>(`${SELECT} ORDER BY mcp_servers.name LIMIT ${MAX_MCP_SERVERS}`)
}

export async function findMcpServer(db: Database, name: string): Promise<McpServerRow | undefined> {
  return (await db.query<McpServerRow>(`${SELECT} WHERE mcp_servers.name = $1`, [name]))[0]
}

/** Returns false if there is a server of that name, there are too many, or another encryption key is in use. */
export async function insertMcpServer(
  db: Database,
  { name, settings }: Pick<McpServerRow, 'name' | 'settings'>,
  secret: NewSecret | undefined,
): Promise<boolean> {
  const sql = `INSERT INTO mcp_servers (name, settings, created_at, updated_at) SELECT $1, $2, now_ms(), now_ms()
    WHERE ($3 = '' OR ${KEY_IN_USE} = $3) AND (SELECT COUNT(*) FROM mcp_servers) < ${MAX_MCP_SERVERS}
    ON CONFLICT (name) DO NOTHING`
  const [inserted] = await db.transaction([
    { sql, values: [name, settings, secret?.fingerprint ?? ''], required: true },
    ...(secret ? [secretChange(secret)] : []),
    versionChange('mcp-servers-version'),
  ])
  return inserted!.changes > 0
}

type Change = {
  before: string
  after: string
  /** Undefined leaves the credential as it is, null removes it. */
  secret: NewSecret | null | undefined
}

/** Returns false if the server is not what it was when it was read, or another encryption key is in use. */
export async function replaceMcpServer(
  db: Database,
  name: string,
  { before, after, secret }: Change,
): Promise<boolean> {
  const sql = `UPDATE mcp_servers SET settings = $3, updated_at = now_ms()
    WHERE name = $1 AND settings = $2 AND ($4 = '' OR ${KEY_IN_USE} = $4)`
  const [replaced] = await db.transaction([
    { sql, values: [name, before, after, secret?.fingerprint ?? ''], required: true },
    ...(secret ? [secretChange(secret)] : []),
    ...(secret === null ? [secretRemoval(name)] : []),
    versionChange('mcp-servers-version'),
  ])
  return replaced!.changes > 0
}

/** Returns false if there is no such server. */
export async function deleteMcpServer(db: Database, name: string): Promise<boolean> {
  const [deleted] = await db.transaction([
    { sql: 'DELETE FROM mcp_servers WHERE name = $1', values: [name], required: true },
    secretRemoval(name),
    versionChange('mcp-servers-version'),
  ])
  return deleted!.changes > 0
}

function secretChange({ name, sealed, fingerprint }: NewSecret): Statement {
  const sql = `INSERT INTO secrets (name, sealed, fingerprint, version) VALUES ($1, $2, $3, 1)
    ON CONFLICT (name) DO UPDATE SET sealed = $2, fingerprint = $3, version = secrets.version + 1`
  return { sql, values: [name, sealed, fingerprint] }
}

function secretRemoval(server: string): Statement {
  return { sql: 'DELETE FROM secrets WHERE name = $1', values: [mcpSecretName(server)] }
}
