import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { FixedKey } from './access/fixed-keys.ts'
import type { AppContext, CurrentContext } from './app/context.ts'
import { type Catalog, loadCatalog, type Owner } from './catalog/catalog.ts'
import type { Aliases } from './config/aliases/alias.ts'
import { AliasTable } from './config/aliases/alias-table.ts'
import type { Config } from './config/config.ts'
import type { Limit } from './config/spend-limits/limit.ts'
import { openCallerUrls } from './files/caller-urls.ts'
import { listeningUrl } from './net/addresses/listening-url.ts'
import type { Egress } from './net/egress/guarded-fetch.ts'
import { proxiesFor } from './network.ts'
import { MB } from './units/units.ts'

/** `2026-11-16` */
const DAY_CHARS = 10

type Options = {
  /** The context of the first configuration. */
  context: AppContext
  egress: Egress
  openEgress(config: Config): Egress
  listeners: readonly FastifyInstance[]
  fixedKeys(config: Config): FixedKey[]
  log: Logger
}

/**
 * Holds the context of the active configuration. A reload puts another context in its place, which shares everything with the
 * old one that does not depend on the configuration. Calls that have begun keep the old one.
 */
export class ActiveContext implements CurrentContext {
  readonly #options: Options
  readonly #egresses = new Set<Egress>()
  #context: AppContext
  #egress: Egress
  /** The aliases of the store. */
  #stored: Aliases = {}
  #storedLimits: readonly Limit[] = []

  constructor(options: Options) {
    this.#options = options
    this.#context = options.context
    this.#egress = options.egress
    this.#egresses.add(options.egress)
  }

  get current(): AppContext {
    return this.#context
  }

  get egress(): Egress {
    return this.#egress
  }

  /** Builds the context of another configuration. It becomes active when the returned function is called. */
  prepare(config: Config): () => void {
    const before = this.#context
    const next = { ...config, providers: keptProviders(before.config.providers, config.providers) }
    const allowsSame = before.config.allowNetworks === config.allowNetworks
    const egress = allowsSame ? this.#egress : this.#options.openEgress(config)
    const context = {
      ...before,
      config: next,
      catalog: nextCatalog(before, next),
      callerUrls: allowsSame ? before.callerUrls : openCallerUrls(egress),
      proxies: proxiesFor(config),
      files: { ...before.files, ...fileLimits(config) },
      links: { ...before.links, base: baseOfLinks(config, this.#options.listeners) },
    }
    return () => this.#activate(context, egress)
  }

  /** Replaces the budgets and rate limits of the store. */
  replaceLimits(stored: readonly Limit[]): void {
    this.#storedLimits = stored
    this.#applyLimits()
  }

  /** A limit of the config file takes the place of a stored one with the same id. */
  #applyLimits(): void {
    const { config, spendLimits } = this.#context
    const ofFile = new Set(config.spendLimits.map(({ id }) => id))
    spendLimits.replace([...config.spendLimits, ...this.#storedLimits.filter(({ id }) => !ofFile.has(id))])
  }

  /** Replaces the aliases of the store. Calls that have begun keep the old ones. */
  replaceAliases(stored: Aliases): void {
    this.#stored = stored
    this.#context = { ...this.#context, aliases: new AliasTable(this.#context.config.aliases, stored) }
  }

  close(): void {
    for (const egress of this.#egresses) egress.close()
  }

  #activate(context: AppContext, egress: Egress): void {
    const { log, fixedKeys } = this.#options
    const { circuits, keyCache, jwt, config } = context
    const before = this.#context.config.providers
    // The aliases of the store may have changed since the context was built: a reload waits for other processes.
    this.#context = { ...context, aliases: new AliasTable(config.aliases, this.#stored) }
    this.#applyLimits()
    this.#egress = egress
    this.#egresses.add(egress)
    keyCache.replaceFixed(fixedKeys(config))
    jwt.use(config)
    log.level = config.logLevel
    for (const id in before) if (before[id] !== config.providers[id]) circuits.forgetProvider(id)
  }
}

export function fileLimits({ uploadLimitMb, uploadQuotaMb, jobRetentionDays }: Config) {
  return { maxFileBytes: uploadLimitMb * MB, quotaBytes: uploadQuotaMb * MB, resultDays: jobRetentionDays }
}

type CatalogSettings = Pick<Config, 'providers' | 'prices' | 'catalogUpdate'>

export function catalogOf(
  { providers, prices, catalogUpdate }: CatalogSettings,
  { now }: Pick<AppContext, 'now'>,
): Catalog {
  const today = new Date(now()).toISOString().slice(0, DAY_CHARS)
  return loadCatalog(providers, { today, prices, update: catalogUpdate })
}

/**
 * The catalog of another configuration. Much is remembered by the catalog that depends on the providers too, so a catalog with
 * the same models is another object if a provider has changed.
 */
function nextCatalog(before: AppContext, next: Config): Catalog {
  const [olds, news] = [before.config.providers, next.providers]
  if (!hasSameModels(before.config, next)) return catalogOf(next, before)
  const isSame = Object.keys(news).every((id) => olds[id] === news[id])
  return isSame ? before.catalog : { ...before.catalog }
}

/** Whether nothing is different that the catalog is built from, which holds up every call for some milliseconds. */
function hasSameModels(before: Config, next: Config): boolean {
  if (before.catalogUpdate !== next.catalogUpdate || !isDeepStrictEqual(before.prices, next.prices)) return false
  return isDeepStrictEqual(ownersIn(before), ownersIn(next))
}

/** Everything that the catalog reads of a provider: a field that is added to `Owner` has to be added below. */
type WholeOwner = { [Name in keyof Required<Owner>]: Owner[Name] }

function ownersIn({ providers }: Config): [id: string, owner: WholeOwner][] {
  return Object.entries(providers).map(([id, provider]) => {
    const { models, regions, modelNaming, passesOn, modelRegions } = provider
    return [id, { models, regions, modelNaming, passesOn, modelRegions }]
  })
}

/** Where links to results lead: the public URL, or the address of this process if the operator sets none. */
export function baseOfLinks(config: Config, listeners: readonly FastifyInstance[]): () => string {
  const { publicUrl, host, port, tlsCertFile } = config
  return () => {
    if (publicUrl) return publicUrl
    const [listening] = listeners[0]?.addresses() ?? []
    return listeningUrl({ address: host, port: listening?.port ?? port }, Boolean(tlsCertFile))
  }
}

/** A provider that has not changed stays the same object, because the rotation of its credentials is kept by object. */
function keptProviders(before: Config['providers'], after: Config['providers']): Config['providers'] {
  const kept = Object.entries(after).map(([id, provider]) => {
    return [id, isDeepStrictEqual(before[id], provider) ? before[id]! : provider]
  })
  return Object.fromEntries(kept)
}
