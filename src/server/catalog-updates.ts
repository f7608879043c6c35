import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Author, GATEWAY } from '../tenants/audit/author.ts'
import { audited } from '../tenants/audit/audited.ts'
import { type CatalogUpdate, openCatalogUpdate } from '../platform/catalog/catalog-update.ts'
import { digestOfCatalog, MAX_CATALOG_BYTES } from '../platform/catalog/signed-catalog.ts'
import type { Config } from '../platform/config/config.ts'
import type { ActiveServices, Services } from '../http/services.ts'
import { fetchDocument } from '../platform/net/fetch-document.ts'
import type { Database } from '../platform/store/database.ts'
import { findCatalog, storeCatalog } from '../platform/store/installation/catalogs.ts'
import { takeLease } from '../platform/store/maintenance/lease.ts'
import { HOUR_MS } from '../base/units/units.ts'

const ROUND_MS = 60_000
const FETCH_EVERY_MS = 6 * HOUR_MS
/** After a failure. */
const FETCH_AGAIN_MS = 600_000

type Store = { config: Pick<Config, 'providers' | 'catalogPublicKey'>; db: Database; now(): number; author: Author }

/** What became of a catalog: it is in use now, it was the one in use, or a later one is in use. */
export type CatalogOutcome = { outcome: 'stored' | 'same' | 'older'; update: CatalogUpdate }

/** Checks a signed catalog and stores it for all processes, unless it is not newer than the one in the store. The audit log has it. */
export async function acceptCatalog(document: string, { config, db, now, author }: Store): Promise<CatalogOutcome> {
  const { providers, catalogPublicKey: publicKeys } = config
  const update = openCatalogUpdate(document, { publicKeys, providers, now: now() })
  const { datedAt, digest } = update
  const after = { dated_at: new Date(datedAt).toISOString(), digest }
  const auditedDb = audited(db, author, { action: 'catalog.update', object: 'catalog', after })
  if (await storeCatalog(auditedDb, { datedAt, digest, content: document })) return { outcome: 'stored', update }
  return { outcome: (await findCatalog(db))?.digest === digest ? 'same' : 'older', update }
}

type Needs = { active: ActiveServices; log: Pick<Logger, 'info' | 'warn'>; roundMs?: number | undefined }

/** Fetches the catalog of CATALOG_URL from time to time, in one process of the installation. */
export class CatalogUpdates {
  readonly #needs: Needs
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #fetched: { url: string; etag: string | undefined } | undefined

  constructor(needs: Needs) {
    this.#needs = needs
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** The first look comes at once, and the start of the gateway does not wait for it. */
  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const { current } = this.#needs.active
      const { catalogUrl } = current.calls.config
      if (catalogUrl) await this.#look(catalogUrl, current).catch(() => undefined)
      await sleep(this.#needs.roundMs ?? ROUND_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  /** The lease is not given up: it says when the next look is due, whichever process is alive then. */
  async #look(url: string, services: Services): Promise<void> {
    const { db, newId } = services.calls
    const lease = { name: `catalog ${digestOfCatalog(url)}`, leaseHolder: newId() }
    if (!(await takeLease(db, { ...lease, forMs: FETCH_EVERY_MS }))) return
    try {
      await this.#download(url, services)
    } catch (error) {
      const reason = (error as Error).message
      this.#needs.log.warn({ reason }, 'the catalog of CATALOG_URL cannot be used; the old one stays in use')
      await takeLease(db, { ...lease, forMs: FETCH_AGAIN_MS })
    }
  }

  async #download(url: string, { calls, tenants }: Services): Promise<void> {
    const etag = this.#fetched?.url === url ? this.#fetched.etag : undefined
    const { signal } = this.#stopping
    const fetched = await fetchDocument(url, { send: calls.send, maxBytes: MAX_CATALOG_BYTES, etag, signal })
    if (!fetched) return
    const { outcome, update } = await acceptCatalog(fetched.text, { ...calls, author: GATEWAY })
    this.#fetched = { url, etag: fetched.etag }
    await tenants.refreshStored()
    const dated = new Date(update.datedAt).toISOString()
    this.#needs.log.info({ outcome, dated }, 'the catalog of CATALOG_URL was read')
  }
}
