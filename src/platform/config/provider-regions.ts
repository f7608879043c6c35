import { GLOBAL_ONLY } from '../providers/model-regions.ts'
import type { AddressParam, ProviderRow, Region } from '../providers/provider.ts'
import { type RegionSettings, statedOf } from './region-settings.ts'

/** The address of a provider: that of its row with this installation's parameters, and the one that replaces it. */
export type Addresses = { defaultValue: string; moved: string | undefined; parts: Readonly<Record<string, string>> }

type Found = {
  regions?: readonly Region[]
  passesOn?: boolean
  modelRegions?: RegionSettings | undefined
}

/**
 * The regions of a provider's models: what the operator states, or else what the row promises for its address. A replaced
 * address promises nothing.
 */
export function regionsOf(id: string, row: ProviderRow, addresses: Addresses, settings: RegionSettings): Found {
  const modelRegions = statedOf(settings, id, '/')
  const models = modelRegions ? { modelRegions } : {}
  if (Object.hasOwn(settings, id)) return { regions: settings[id]!, passesOn: false, ...models }
  if (isElsewhere(row, addresses)) return { regions: GLOBAL_ONLY, ...models }
  const regions = keptBy(row.params ?? {}, addresses.parts)
  return regions.length > 0 ? { regions: ['global', ...regions], ...models } : models
}

type ServiceAddresses = {
  isMoved(service: string): boolean
  valueFor(parameter: string): string | undefined
  /** The regions of services that the operator states. */
  stated: RegionSettings
}

/** The regions of each service, by the parameters of its address; a replaced address promises nothing. */
export function serviceRegionsOf(row: ProviderRow, addresses: ServiceAddresses): Record<string, readonly Region[]> {
  const { stated, isMoved } = addresses
  const found = Object.entries(row.services ?? {}).map(([service, template]): [string, readonly Region[]] => {
    if (Object.hasOwn(stated, service)) return [service, stated[service]!]
    return [service, isMoved(service) ? GLOBAL_ONLY : regionsOfTemplate(template, row, addresses)]
  })
  return Object.fromEntries(found)
}

function regionsOfTemplate(template: string, row: ProviderRow, { valueFor }: ServiceAddresses): readonly Region[] {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const allParams = { ...row.serviceParams, ...row.params }
  const params = Object.fromEntries(names.map((name) => [name, allParams[name] ?? {}]))
  const values = Object.fromEntries(names.map((name) => [name, valueFor(name) ?? '']))
  return ['global', ...keptBy(params, values)]
}

type Params = Readonly<Record<string, AddressParam>>

/** The regions in which all parameters of an address keep a call. */
function keptBy(params: Params, values: Readonly<Record<string, string>>): Region[] {
  const telling = Object.entries(params).filter(([, { regions }]) => regions)
  const regionLists = telling.map(([name, { regions = {} }]) => {
    return (Object.keys(regions) as Region[]).filter((region) => regions[region]?.includes(values[name] ?? ''))
  })
  return (regionLists[0] ?? []).filter((region) => regionLists.every((one) => one.includes(region)))
}

/** Another path at the same host is in the same region, unless the path determines the region. */
export function isElsewhere(row: ProviderRow, { defaultValue: fallback, moved }: Addresses): boolean {
  if (moved === undefined || moved === fallback) return false
  const [from, to] = [URL.parse(fallback), new URL(moved)]
  if (from && isLoopback(from) && isLoopback(to)) return false
  return row.regions === undefined || from?.origin !== to.origin
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
