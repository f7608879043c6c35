import type { CatalogRow } from '../catalog/catalog.ts'
import { type AddressParam, KEPT_FACTS, type ProviderRow, type Region } from '../providers/provider.ts'
import { PROVIDERS } from '../providers/providers.ts'
import { type AddressCredential, splitAddress } from './address-credential.ts'
import { ConfigError } from './config-error.ts'
import type { CredentialSettings } from './credentials/credential-settings.ts'
import type { Credential, StoredCredential } from './credentials/credential.ts'
import { readCredentials } from './credentials/credentials.ts'
import { type BuiltInChanges, changedRows, splitChanges } from './built-in-changes.ts'
import { isHttpUrl, readCustomProviders } from './custom-providers.ts'
import { type DataPolicySettings, dataPolicyOf, refuseUnknownIn } from './data-policy-settings.ts'
import { regionsOf } from './provider-regions.ts'
import { type ProviderProxy, splitProxies } from './proxy-settings.ts'
import type { RegionSettings } from './region-settings.ts'
import { readServiceCredential, readServices } from './service-settings.ts'
import { type MissingSetting, missingCredential, missingPart } from './missing-setting.ts'
import { refuseUnknownProviders, unknownProvider } from './unknown-provider.ts'

export type { Credential } from './credentials/credential.ts'

/** A provider row with this installation's address and credentials. */
export type Provider = ProviderRow & {
  id: string
  credentials: readonly Credential[]
  /** If false, calls get a 424 that names the variable to set. */
  configured: boolean
  /** What has to be set before it can be called. */
  missing: MissingSetting | undefined
  /** Values of the address parameters. */
  address: Readonly<Record<string, string>>
  /** The credential of its services, if the credentials of its models do not open them. */
  serviceCredential?: Credential | undefined
  /** The regions of its services; a missing service is promised to no region. */
  serviceRegions?: Readonly<Record<string, readonly Region[]>>
  /** The regions of single models that the operator states. */
  modelRegions?: RegionSettings | undefined
  /** Secrets in the address that the operator configured: sent with every request, never shown. */
  addressCredential?: AddressCredential
  /** Values of its task settings that are set. */
  settings?: Readonly<Record<string, string>>
  /** The proxy for its addresses, if the config file has one; `false` means none, whatever other settings say. */
  proxy?: ProviderProxy | undefined
  /**
   * Whether it has a responses endpoint: as the config file says (`true` for every model), or `false` if its address is not known
   * to have one. Undefined: the catalog says so for each model.
   */
  responses?: boolean | undefined
  /** Models that the config file adds to the catalog. */
  models?: readonly CatalogRow[]
}

type Environment = Record<string, string | undefined>

/** Credentials by provider: those of the config file, and those of the store if it has been reached. */
type CredentialLists = { listed?: CredentialSettings; stored?: StoredCredentials | undefined }
export type StoredCredentials = Readonly<Record<string, readonly StoredCredential[]>>

/** What the config file and the store say about one provider. `changes`: what it changes of a built-in provider. */
type Described = {
  changes?: BuiltInChanges | undefined
  listed: CredentialSettings[string] | undefined
  stored: readonly StoredCredential[] | undefined
  /** What the operator states. */
  stated: Statements
}

/** What the operator states about where providers keep data, and what they do with it. */
type Statements = { regions?: RegionSettings; dataPolicies?: DataPolicySettings }

export function readProviders(
  custom: unknown,
  environment: Environment,
  { listed = {}, stored = {} }: CredentialLists = {},
  stated: Statements = {},
): Record<string, Provider> {
  const { custom: sections, proxies } = splitProxies(custom ?? {})
  const { described, changes } = splitChanges(sections)
  const rows: Record<string, ProviderRow> = { ...PROVIDERS, ...customRows(described), ...changedRows(changes) }
  for (const id in proxies) if (!rows[id]) throw unknownProvider(`providers.${id}`, id, rows)
  for (const id in listed) if (!rows[id]) throw unknownProvider(`credentials.${id}`, id, rows)
  refuseUnknownProviders('regions', stated.regions ?? {}, rows)
  refuseUnknownIn(stated.dataPolicies ?? {}, rows)
  const provided = Object.entries(rows).map(([id, row]) => {
    const settings = { changes: changes[id], listed: listed[id], stored: stored[id], stated }
    const provider = provide(id, row, environment, settings)
    return [id, id in proxies ? { ...provider, proxy: proxies[id] } : provider]
  })
  return Object.fromEntries(provided)
}

/** The row of a provider, without anything of this installation. */
export function rowOf(id: string, custom: unknown): ProviderRow | undefined {
  const { described, changes } = splitChanges(splitProxies(custom ?? {}).custom)
  return customRows(described)[id] ?? changedRows(changes)[id] ?? PROVIDERS[id]
}

function customRows(described: unknown): Record<string, ProviderRow> {
  const rows = Object.entries(readCustomProviders(described)).map(([id, row]) => [id, withKeptFacts(id, row)])
  return Object.fromEntries(rows)
}

function withKeptFacts(id: string, row: ProviderRow): ProviderRow {
  const builtIn = Object.hasOwn(PROVIDERS, id) ? PROVIDERS[id]! : {}
  const facts = KEPT_FACTS.flatMap((fact) => (fact in builtIn ? [[fact, (builtIn as ProviderRow)[fact]]] : []))
  return { ...row, ...Object.fromEntries(facts) }
}

export function provide(
  id: string,
  row: ProviderRow,
  environment: Environment,
  { changes, listed, stored, stated: { regions = {}, dataPolicies = {} } }: Described,
): Provider {
  const { scheme, optional } = row.auth
  const credentials = readCredentials(row.auth, environment, listed, stored)
  const { variable, address: fromEnvironment } = otherAddress(row, environment)
  const elsewhere = fromEnvironment ?? changes?.baseUrl
  const address = addressParts(row, environment)
  const fallback = filled(row, address)
  const { url, credential } = splitAddress(
    fromEnvironment ? variable! : `providers.${id}.baseUrl`,
    elsewhere ?? fallback,
  )
  const lacking = elsewhere ? undefined : Object.entries(row.params ?? {}).find(isLacking)?.[0]
  // A replaced address (a local server, a proxy) may need no key.
  const isOpen = scheme === 'none' || optional === true || credentials.length > 0 || Boolean(elsewhere)
  const missing = isOpen ? missingPart(lacking) : missingCredential(row.auth, environment, listed)
  const addresses = { defaultValue: fallback, moved: elsewhere && url, parts: address }
  return {
    ...row,
    id,
    baseUrl: url,
    servesEnded: row.servesEnded ?? Boolean(elsewhere),
    dataPolicy: dataPolicyOf(id, row, addresses, dataPolicies),
    ...(credential && { addressCredential: credential }),
    responses: changes?.responses ?? (row as Partial<Provider>).responses ?? servedThere(row, elsewhere && url),
    ...regionsOf(id, row, addresses, regions),
    ...(row.fieldRules?.defaults &&
      row.params && { fieldRules: { ...row.fieldRules, defaults: filledDefaults(row, address) } }),
    credentials,
    address,
    ...(row.services && readServices({ id, row, address, environment }, regions)),
    ...(row.services && { serviceCredential: readServiceCredential(row, environment) }),
    ...(row.taskSettings && { settings: taskSettings(row.taskSettings, environment) }),
    configured: missing === undefined,
    missing,
  }

  function isLacking([name, { or }]: [string, AddressParam]): boolean {
    return address[name] === undefined && (or === undefined || address[or] === undefined)
  }
}

/** False at an address that is not known to have the responses endpoint. */
function servedThere({ responsesHosts = [] }: ProviderRow, moved: string | undefined): false | undefined {
  if (!moved) return undefined
  const { hostname } = new URL(moved)
  const isKnown = responsesHosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
  return isKnown ? undefined : false
}

function taskSettings(names: readonly string[], environment: Environment): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
}

/** The variable that replaces a provider's address. */
export function addressVariable({ auth, baseUrlEnv }: Pick<ProviderRow, 'auth' | 'baseUrlEnv'>): string | undefined {
  return baseUrlEnv ?? auth.env?.replace(/_(API_KEY|TOKEN|KEY)$/, '').concat('_BASE_URL')
}

function otherAddress(row: ProviderRow, environment: Environment) {
  const variable = addressVariable(row)
  const elsewhere = variable && environment[variable]
  if (elsewhere && !isHttpUrl(elsewhere)) throw new ConfigError(`${variable}: should be an http:// or https:// address`)
  return { variable, address: elsewhere ? withSdkPath(elsewhere, row.sdkPath) : undefined }
}

/** Adds the path that the provider's SDK adds itself, unless the address ends with a version. A query stays at the end. */
function withSdkPath(address: string, path: string | undefined): string {
  const [, base = '', rest = ''] = /^([^?#]*?)\/*([?#].*)?$/s.exec(address) ?? []
  return path === undefined || /\/v\d+$/.test(base) ? address : `${base}${path}${rest}`
}

function addressParts({ params = {} }: ProviderRow, environment: Environment): Record<string, string> {
  const parts: Record<string, string> = {}
  for (const [variable, { default: fallback, or = variable }] of Object.entries(params)) {
    const name = environment[variable] ? variable : or
    const value = environment[name] || fallback
    // The value becomes part of a host name or a path, so it must not be able to change the rest of the address.
    if (value && !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value)) throw new ConfigError(`${name}: should be a plain name`)
    if (value) parts[name] = value
  }
  return parts
}

function filled({ baseUrl, params = {} }: ProviderRow, address: Record<string, string>): string {
  const own = Object.entries(params).map(([name, { baseUrls }]) => baseUrls?.[address[name] ?? ''])
  const url = own.find(Boolean) ?? baseUrl
  return url.replace(/\{(\w+)\}/g, (hole, name: string) => address[name] ?? hole)
}

function filledDefaults({ fieldRules, params = {} }: ProviderRow, address: Record<string, string>) {
  const names = Object.entries(params).flatMap(([name, { or = name }]) => [name, or])
  const filled = Object.entries(fieldRules?.defaults ?? {}).map(([field, value]) => {
    const name = names.find((one) => value === `{${one}}`)
    return [field, name === undefined ? value : address[name]] as const
  })
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined))
}
