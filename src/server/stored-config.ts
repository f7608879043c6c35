import { LOG_LEVEL } from './change-log-level.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type CatalogUpdate, openCatalogUpdate } from '../platform/catalog/catalog-update.ts'
import { CatalogError } from '../platform/catalog/signed-catalog.ts'
import type { StoredConfig as Stored } from '../platform/config/config-source.ts'
import type { Config } from '../platform/config/config.ts'
import { ConfigError } from '../platform/config/config-error.ts'
import type { Configuration } from './configuration.ts'
import { readStoredCredentials } from '../tenants/credentials/stored-credentials.ts'
import { readStoredMcpServers } from '../tenants/mcp-servers/stored-mcp-servers.ts'
import type { Secrets } from '../platform/secrets/secrets.ts'
import type { Database } from '../platform/store/database.ts'
import { findCatalog } from '../platform/store/installation/catalogs.ts'
import { readVersions, type VersionName } from '../platform/store/installation/versions.ts'

/** How long a change that another process has stored may go unnoticed. */
const LOOK_MS = 2_000
const NAMES: readonly VersionName[] = ['credentials-version', 'catalog-version', 'mcp-servers-version']

type Needs = {
  db: Database
  secrets: Secrets
  configuration: Configuration
  log: Pick<Logger, 'error' | 'debug' | 'warn' | 'level'>
  now(): number
  lookMs?: number | undefined
}

/** Keeps the configuration of this process in step with what operators change in the store. */
export class StoredConfigWatch {
  readonly #needs: Needs
  readonly #stopping = new AbortController()
  /** Undefined until the store has been read for the first time. */
  #applied: Map<string, string> | undefined
  #complaint: string | undefined
  #last: Promise<void> = Promise.resolve()
  #running: Promise<void> | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /**
   * Applies what has changed, one look at a time. A change that was stored before the call is in the configuration that it
   * resolves to.
   */
  async refresh(): Promise<Config> {
    const next = this.#last.then(() => this.#look())
    this.#last = next.catch(() => undefined)
    await next
    return this.#needs.configuration.active
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { lookMs = LOOK_MS } = this.#needs
    while (!signal.aborted) {
      await sleep(lookMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      await this.refresh().then(
        () => this.#complain(undefined),
        (error) => this.#complain(error),
      )
    }
  }

  /** A store that is away for a moment is nothing new. What operators have to mend is in the log once, until it is mended. */
  #complain(error: Error | undefined): void {
    const { log } = this.#needs
    if (!error) {
      this.#complaint = undefined
      return
    }
    if (!(error instanceof ConfigError)) return log.debug({ error: String(error) }, 'stored settings could not be read')
    if (error.message !== this.#complaint) log.error({ reason: error.message }, 'stored settings cannot be applied')
    this.#complaint = error.message
  }

  async #look(): Promise<void> {
    const { db, configuration } = this.#needs
    const versions = await readVersions(db, [...NAMES, LOG_LEVEL])
    this.#applyLogLevel(versions.get(LOG_LEVEL))
    const { catalogPublicKey } = configuration.active
    // With another key, the same catalog may be worth nothing.
    versions.set('catalog-version', `${versions.get('catalog-version') ?? ''} ${catalogPublicKey.join()}`)
    const isFirst = this.#applied === undefined
    const isNew = (name: VersionName) => isFirst || versions.get(name) !== this.#applied?.get(name)
    if (!NAMES.some(isNew)) return
    const stored = await this.#read(isNew)
    configuration.refresh(stored, { isFirst })
    this.#applied = versions
  }

  /** An operator's level wins over that of the configuration, also after a reload, which sets its own for a moment. */
  #applyLogLevel(stored: string | undefined): void {
    const { log, configuration } = this.#needs
    const level = stored ?? configuration.active.logLevel
    if (log.level !== level) log.level = level
  }

  async #read(isNew: (name: VersionName) => boolean): Promise<Stored> {
    const { db, secrets, configuration, log, now } = this.#needs
    return {
      ...(isNew('credentials-version') && { credentials: await readStoredCredentials(db, secrets, log) }),
      ...(isNew('catalog-version') && {
        catalog: await readStoredCatalog({ db, config: configuration.active, log, now }),
      }),
      ...(isNew('mcp-servers-version') && { mcpServers: await readStoredMcpServers(db, secrets, log) }),
    }
  }
}

type CatalogNeeds = {
  db: Database
  config: Pick<Config, 'providers' | 'catalogPublicKey'>
  log: Pick<Logger, 'warn'>
  now(): number
}

/** The catalog of the store. One that cannot be used is left alone, and that of the package is used. */
export async function readStoredCatalog({ db, config, log, now }: CatalogNeeds): Promise<CatalogUpdate | undefined> {
  const stored = await findCatalog(db)
  if (!stored) return undefined
  const { providers, catalogPublicKey: publicKeys } = config
  try {
    return openCatalogUpdate(stored.content, { publicKeys, providers, now: now() })
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error
    log.warn({ reason: error.message }, 'the catalog in the store is not used')
    return undefined
  }
}
