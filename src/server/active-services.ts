import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { KnownGuardrails } from '../tenants/guardrails/guardrail-table.ts'
import type { FixedKey } from '../tenants/access/fixed-keys.ts'
import type { CallServices } from '../calls/services/call-services.ts'
import { type Catalog, loadCatalog, type CatalogProvider } from '../platform/catalog/catalog.ts'
import type { Aliases } from '../platform/config/aliases/alias.ts'
import { AliasTable } from '../platform/config/aliases/alias-table.ts'
import type { Config } from '../platform/config/config.ts'
import type { Limit } from '../platform/config/spend-limits/limit.ts'
import { openCallerUrls } from '../calls/files/caller-urls.ts'
import type { ActiveServices, Services } from '../http/services.ts'
import type { TrustedProxies } from '../platform/net/addresses/client-address.ts'
import { listeningUrl } from '../platform/net/addresses/listening-url.ts'
import type { Egress } from '../platform/net/egress/guarded-fetch.ts'
import { proxiesFor } from './network.ts'
import { type LastingServices, servicesOf } from './services-of.ts'
import { MB } from '../base/units/units.ts'

/** `2026-11-16` */
const DAY_CHARS = 10

type Options = {
  /** The services of calls with the first configuration. */
  calls: CallServices
  lasting: LastingServices
  egress: Egress
  openEgress(config: Config): Egress
  listeners: readonly FastifyInstance[]
  fixedKeys(config: Config): FixedKey[]
  log: Logger
}

/**
 * Holds the services of the active configuration. A reload puts others in their place, which share everything with the old ones
 * that does not depend on the configuration. Calls that have begun keep the old ones.
 */
export class ReloadableServices implements ActiveServices {
  readonly #options: Options
  readonly #egresses = new Set<Egress>()
  #services: Services
  #egress: Egress
  /** The aliases of the store. */
  #stored: Aliases = {}
  #storedLimits: readonly Limit[] = []
  #storedGuardrails: KnownGuardrails | undefined

  constructor(options: Options) {
    const { calls, lasting, egress } = options
    this.#options = options
    this.#services = servicesOf(calls, lasting, proxiesFor(calls.config))
    this.#egress = egress
    this.#egresses.add(egress)
  }

  get current(): Services {
    return this.#services
  }

  get egress(): Egress {
    return this.#egress
  }

  /** Builds the services of another configuration. They become active when the returned function is called. */
  prepare(config: Config): () => void {
    const before = this.#services.calls
    const next = { ...config, providers: keptProviders(before.config.providers, config.providers) }
    const allowsSame = before.config.allowNetworks === config.allowNetworks
    const egress = allowsSame ? this.#egress : this.#options.openEgress(config)
    const calls = {
      ...before,
      config: next,
      catalog: nextCatalog(before, next),
      callerUrls: allowsSame ? before.callerUrls : openCallerUrls(egress),
      mcp: before.mcp.with(config.mcp.servers, egress),
      files: { ...before.files, ...fileLimits(config) },
      links: { ...before.links, base: baseOfLinks(config, this.#options.listeners) },
    }
    const proxies = proxiesFor(config)
    return () => this.#activate(calls, proxies, egress)
  }

  /** Replaces the budgets and rate limits of the store. */
  replaceLimits(stored: readonly Limit[]): void {
    this.#storedLimits = stored
    this.#applyLimits()
  }

  /** A limit of the config file takes the place of a stored one with the same id. */
  #applyLimits(): void {
    const { config, spendLimits } = this.#services.calls
    const ofFile = new Set(config.spendLimits.map(({ id }) => id))
    spendLimits.replace([...config.spendLimits, ...this.#storedLimits.filter(({ id }) => !ofFile.has(id))])
  }

  /** Replaces the guardrails of the store. */
  replaceGuardrails(stored: KnownGuardrails): void {
    this.#storedGuardrails = stored
    this.#applyGuardrails()
  }

  #applyGuardrails(): void {
    const { config, guardrails } = this.#services.calls
    guardrails.replace(config.guardrails, this.#storedGuardrails)
  }

  /** Replaces the aliases of the store. Calls that have begun keep the old ones. */
  replaceAliases(stored: Aliases): void {
    this.#stored = stored
    this.#use(this.#services.calls, this.#services.edge.proxies)
  }

  close(): void {
    for (const egress of this.#egresses) egress.close()
  }

  #activate(calls: CallServices, proxies: TrustedProxies, egress: Egress): void {
    const { log, fixedKeys } = this.#options
    const { circuits, config } = calls
    const before = this.#services.calls.config.providers
    this.#use(calls, proxies)
    this.#applyLimits()
    this.#applyGuardrails()
    this.#egress = egress
    this.#egresses.add(egress)
    const { keyCache, jwt } = this.#services.tenants
    keyCache.replaceFixed(fixedKeys(config))
    jwt.use(config)
    log.level = config.logLevel
    for (const id in before) if (before[id] !== config.providers[id]) circuits.forgetProvider(id)
  }

  /** The aliases of the store may have changed since these services were built: a reload waits for other processes. */
  #use(calls: CallServices, proxies: TrustedProxies): void {
    const aliases = new AliasTable(calls.config.aliases, this.#stored)
    this.#services = servicesOf({ ...calls, aliases }, this.#options.lasting, proxies)
  }
}

export function fileLimits({ uploadLimitMb, uploadQuotaMb, jobRetentionDays }: Config) {
  return { maxFileBytes: uploadLimitMb * MB, quotaBytes: uploadQuotaMb * MB, resultDays: jobRetentionDays }
}

type CatalogSettings = Pick<Config, 'providers' | 'prices' | 'catalogUpdate'>

export function catalogOf({ providers, prices, catalogUpdate }: CatalogSettings, now: () => number): Catalog {
  const today = new Date(now()).toISOString().slice(0, DAY_CHARS)
  return loadCatalog(providers, { today, prices, update: catalogUpdate })
}

/**
 * The catalog of another configuration. Much is remembered by the catalog that depends on the providers too, so a catalog with
 * the same models is another object if a provider has changed.
 */
function nextCatalog(before: Pick<CallServices, 'config' | 'catalog' | 'now'>, next: Config): Catalog {
  const [olds, news] = [before.config.providers, next.providers]
  if (!hasSameModels(before.config, next)) return catalogOf(next, before.now)
  const isSame = Object.keys(news).every((id) => olds[id] === news[id])
  return isSame ? before.catalog : { ...before.catalog }
}

/** Whether nothing is different that the catalog is built from, which holds up every call for some milliseconds. */
function hasSameModels(before: Config, next: Config): boolean {
  if (before.catalogUpdate !== next.catalogUpdate || !isDeepStrictEqual(before.prices, next.prices)) return false
  return isDeepStrictEqual(ownersIn(before), ownersIn(next))
}

/** Everything that the catalog reads of a provider: a field that is added to `Owner` has to be added below. */
type WholeOwner = { [Name in keyof Required<CatalogProvider>]: CatalogProvider[Name] }

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
  const entries = Object.entries(after).map(([id, provider]) => {
    return [id, isDeepStrictEqual(before[id], provider) ? before[id]! : provider]
  })
  return Object.fromEntries(entries)
}
