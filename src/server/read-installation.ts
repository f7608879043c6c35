import { pino } from 'pino'
import { readAliasesOfStore } from '../tenants/aliases/alias-cache.ts'
import type { Aliases } from '../platform/config/aliases/alias.ts'
import { type Config, parseConfig } from '../platform/config/config.ts'
import { readStoredCredentials } from '../tenants/credentials/stored-credentials.ts'
import { readStoredMcpServers } from '../tenants/mcp-servers/stored-mcp-servers.ts'
import { openSecrets } from '../platform/secrets/secrets.ts'
import type { Database } from '../platform/store/database.ts'
import { listCredentials } from '../platform/store/installation/credentials.ts'
import { listMcpServers } from '../platform/store/installation/mcp-servers.ts'
import { readStoredCatalog } from './stored-config.ts'

/** What a running gateway knows from its store, read once for a command. */
export async function readInstallation(
  config: Config,
  db: Database,
  now: () => number,
): Promise<{ config: Config; aliases: Aliases }> {
  const log = pino({ level: 'silent' })
  // An installation without stored credentials may have no encryption key yet, and a command makes none.
  const hasSecrets = (await listCredentials(db)).length > 0 || (await listMcpServers(db)).length > 0
  const secrets = hasSecrets ? await openSecrets(db, config) : undefined
  const credentials = secrets ? await readStoredCredentials(db, secrets, log) : {}
  const mcpServers = secrets ? await readStoredMcpServers(db, secrets, log) : []
  const catalog = await readStoredCatalog({ db, config, log, now })
  const complete = parseConfig({ ...config.source, stored: { credentials, catalog, mcpServers } })
  return { config: complete, aliases: await readAliasesOfStore(db, log) }
}
