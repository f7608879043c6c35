import type { Logger } from 'pino'
import { validator } from '../../base/schema/validator.ts'
import { faultsOf, ServerEntry, type StoredMcpServer } from '../../platform/config/mcp/server-entry.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import type { Database } from '../../platform/store/database.ts'
import { listMcpServers, type McpServerRow, mcpSecretName } from '../../platform/store/installation/mcp-servers.ts'
import { tryParse } from '../../translation/json/try-parse.ts'

/**
 * Reads all MCP servers of the store. One that is damaged is left out, with a line in the log: it must not stop the others. Throws if
 * another encryption key is in use by now, as for credentials of providers.
 */
export async function readStoredMcpServers(
  db: Database,
  secrets: Secrets,
  log: Pick<Logger, 'error'>,
): Promise<readonly StoredMcpServer[]> {
  const servers: StoredMcpServer[] = []
  for (const row of await listMcpServers(db)) {
    const { name, sealed, fingerprint } = row
    const entry = entryOf(row)
    try {
      if (!entry) throw new Error('Its settings are not valid.')
      const credential =
        sealed === null
          ? undefined
          : secrets.opened({ name: mcpSecretName(name), sealed, fingerprint: fingerprint ?? '' })
      servers.push({ name, entry, credential })
    } catch (error) {
      if (fingerprint !== null && !secrets.isOurs({ fingerprint })) throw error
      log.error({ server: name, reason: (error as Error).message }, 'a stored MCP server cannot be read')
    }
  }
  return servers
}

/** The settings of a row; undefined if they are not valid any more. */
export function entryOf({ settings }: Pick<McpServerRow, 'settings'>): ServerEntry | undefined {
  const entry: unknown = tryParse(settings)
  return validator(ServerEntry).check(entry) && faultsOf(entry).length === 0 ? entry : undefined
}
