import type { PriceOverrides } from '../catalog/catalog.ts'
import type { CatalogUpdate } from '../catalog/catalog-update.ts'
import { didYouMean } from '../../base/schema/nearest-name.ts'
import type { Aliases } from './aliases/alias.ts'
import { readAliases } from './aliases/read-aliases.ts'
import { type AgentSettings, readAgents } from './agent-settings.ts'
import type { AlertSettings } from './alerts/alerts.ts'
import { readAlerts } from './alerts/read-alerts.ts'
import type { AuthSettings } from './auth/auth.ts'
import { readAuth } from './auth/read-auth.ts'
import { ConfigError, named } from './config-error.ts'
import { type ConfigFile, type ConfigSource, readSource } from './config-source.ts'
import { readCredentialSettings } from './credentials/credential-settings.ts'
import { type Environment, ownEnvironment } from './environment.ts'
import { checkTlsFiles } from './edge-settings.ts'
import { type TimeoutSettings, readTimeouts } from './timeouts.ts'
import { type Provider, readProviders } from './provider-settings.ts'
import { readPrices } from './price-settings.ts'
import { readDataPolicies } from './data-policy-settings.ts'
import { readRegionSettings } from './region-settings.ts'
import { type RetrySettings, readRetries } from './retry-settings.ts'
import type { McpSettings } from './mcp/mcp-server.ts'
import { checkSignInAddress, readMcp } from './mcp/read-mcp.ts'
import { type ManageSettings, readManage } from './manage-settings.ts'
import { readSearch, type SearchSettings } from './search-settings.ts'
import { readTelemetry } from './telemetry/read-telemetry.ts'
import type { TelemetrySettings } from './telemetry/telemetry.ts'
import type { Guardrail } from './guardrails/guardrail.ts'
import { readGuardrails } from './guardrails/read-guardrails.ts'
import { type LimitSections, readLimitSections } from './spend-limits/read-limits.ts'
import { type Setting, SETTINGS } from './settings.ts'

export type Config = LimitSections & { [Name in keyof typeof SETTINGS]: Value<(typeof SETTINGS)[Name]> } & {
  providers: Record<string, Provider>
  /** Time limits that differ from the defaults, by `provider` or `provider/model`. */
  timeouts: TimeoutSettings
  retries: RetrySettings
  /** The aliases of the config file. The store may have more. */
  aliases: Aliases
  /** Who may sign in with which provider, and whose tokens the API accepts. */
  auth: AuthSettings
  /** Whether people sign in with coding agents. */
  agents: AgentSettings
  /** Where alerts are sent, and what is different about their rules. */
  alerts: AlertSettings
  /** The guardrails of the config file. The store may have more. */
  guardrails: readonly Guardrail[]
  /** Where spans and metrics are sent; undefined if nowhere. */
  telemetry: TelemetrySettings | undefined
  /** MCP servers behind the gateway. */
  mcp: McpSettings
  /** Whether other programs manage keys at `/v3/manage`. */
  manage: ManageSettings
  /** The engine that searches the web for models; undefined if the gateway does not search. */
  search: SearchSettings | undefined
  /** Prices that replace those of the catalog. */
  prices: PriceOverrides
  /** The catalog that replaces the one in the package. */
  catalogUpdate: CatalogUpdate | undefined
  /** What the values were read from. */
  source: ConfigSource
  /** Where each setting comes from. */
  origins: Readonly<Record<string, Origin>>
}

export type Origin = 'default' | 'environment' | 'file' | 'store'

type Value<S> = S extends { read: (value: unknown) => infer T; fallback: infer F } ? T | F : never

/** Every value is a copy or immutable, and a configuration never changes: a reload makes another one. */
export function loadConfig(environment: Environment = ownEnvironment()): Config {
  return parseConfig(readSource(environment))
}

/** Like loadConfig, but with a config file that was read before. */
export function parseConfig({ environment = ownEnvironment(), file, ...more }: OptionalEnvironment): Config {
  try {
    return configFrom({ environment, file, ...more })
  } catch (error) {
    throw error instanceof ConfigError && isAboutFile(error, file) ? inFile(error, file) : error
  }
}

/** Messages begin with the path of a setting, or with the name of a variable. */
function isAboutFile({ message }: ConfigError, { content }: ConfigFile): boolean {
  return Object.hasOwn(content, /^[^.:]*/.exec(message)![0])
}

function inFile({ message }: ConfigError, { path }: ConfigFile): ConfigError {
  return new ConfigError(path ? `${message} (in ${path})` : message)
}

function configFrom(source: ConfigSource): Config {
  const { environment, file, stored = {} } = source
  const { providers: listed, credentials, timeouts, regions, dataPolicies, prices, ...other } = file.content
  const { retries, aliases, auth, agents, alerts, budgets, rateLimits, ...others } = other
  const { guardrails, telemetry, mcp, search, manage, ...rest } = others
  for (const key of Object.keys(rest)) if (!isInFile(key)) throw unknownSetting(key)
  const settings: Record<string, unknown> = {}
  const origins: Record<string, Origin> = {}
  for (const [name, setting] of Object.entries(SETTINGS)) {
    settings[name] = readSetting(name, setting, environment, rest)
    origins[name] = environment[setting.env] ? 'environment' : rest[name] === undefined ? 'default' : 'file'
  }
  const { gatehouseApiKey, gatehouseAdminKey } = settings
  if (gatehouseApiKey !== undefined && gatehouseApiKey === gatehouseAdminKey) {
    throw new ConfigError('GATEHOUSE_ADMIN_KEY: should not be the same as GATEHOUSE_API_KEY')
  }
  checkTlsFiles(settings)
  if (settings.catalogUrl !== undefined && (settings.catalogPublicKey as string[]).length === 0)
    throw new ConfigError('CATALOG_URL: needs CATALOG_PUBLIC_KEY, the key that has signed the catalog')
  const credentialLists = { listed: readCredentialSettings(credentials), stored: stored.credentials }
  const providers = readProviders(listed, environment, credentialLists, {
    regions: readRegionSettings(regions),
    dataPolicies: readDataPolicies(dataPolicies),
  })
  const mcpSettings = readMcp(mcp, environment, stored.mcpServers)
  checkSignInAddress(mcpSettings, settings.publicUrl as string | undefined)
  return {
    ...(settings as Omit<Config, Parsed>),
    providers,
    prices: readPrices(prices, providers),
    catalogUpdate: stored.catalog,
    timeouts: readTimeouts(timeouts, providers),
    retries: readRetries(retries, providers),
    aliases: readAliases(aliases, providers, source),
    ...readLimitSections({ budgets, rateLimits }),
    auth: readAuth(auth, environment),
    agents: readAgents(agents),
    alerts: readAlerts(alerts, environment),
    guardrails: readGuardrails(guardrails, environment),
    telemetry: readTelemetry(telemetry, environment),
    mcp: mcpSettings,
    search: readSearch(search),
    manage: readManage(manage),
    // Not whether this is a refresh: what is checked later, such as an alias of the store, is new.
    source: { environment, file, stored },
    origins,
  }
}

type OptionalEnvironment = Omit<ConfigSource, 'environment'> & { environment?: Environment | undefined }

type Parsed =
  | ('providers' | 'prices' | 'catalogUpdate' | 'timeouts' | 'retries' | 'aliases' | 'auth' | 'agents' | 'alerts')
  | ('guardrails' | 'telemetry' | 'mcp' | 'search' | 'manage' | 'source' | 'origins')
  | keyof LimitSections

const SECTIONS = [
  ...['providers', 'credentials', 'prices', 'timeouts', 'regions', 'dataPolicies', 'retries', 'aliases', 'auth'],
  ...['agents', 'alerts', 'budgets', 'rateLimits', 'guardrails', 'telemetry', 'mcp', 'search', 'manage'],
]

function unknownSetting(key: string): ConfigError {
  const [, setting] = Object.entries(SETTINGS).find(([name, { env }]) => name === key || env === key) ?? []
  if (setting && 'envOnly' in setting)
    return new ConfigError(`${key}: is a secret; set ${setting.env} in the environment instead`)
  const names = [...Object.keys(SETTINGS).filter(isInFile), ...SECTIONS]
  return new ConfigError(`${key}: no such setting.${didYouMean(key, names) || ' docs/settings.md lists all settings.'}`)
}

function isInFile(key: string): boolean {
  const setting: Setting<unknown> | undefined = Object.hasOwn(SETTINGS, key)
    ? SETTINGS[key as keyof typeof SETTINGS]
    : undefined
  return setting !== undefined && !setting.envOnly
}

function readSetting(name: string, setting: Setting<unknown>, environment: Environment, file: Record<string, unknown>) {
  const value = (setting.isLowerCase && environment[setting.env.toLowerCase()]) || environment[setting.env]
  if (value !== undefined && value !== '') return named(setting.env, () => setting.read(value))
  if (file[name] !== undefined) return named(name, () => setting.read(file[name]))
  return setting.fallback
}
