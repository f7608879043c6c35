import { resolve } from 'node:path'
import type { PriceOverrides } from '../catalog/catalog.ts'
import type { CatalogUpdate } from '../catalog/catalog-update.ts'
import { type CloudName, REGIONS, type Region } from '../providers/provider.ts'
import { didYouMean } from '../schema/nearest-name.ts'
import type { Aliases } from './aliases/alias.ts'
import { readAliases } from './aliases/read-aliases.ts'
import type { AlertSettings } from './alerts/alerts.ts'
import { readAlerts } from './alerts/read-alerts.ts'
import type { AuthSettings } from './auth/auth.ts'
import { readAuth } from './auth/read-auth.ts'
import { catalogAddress, publicKeys } from './catalog-settings.ts'
import { ConfigError, named, text } from './config-error.ts'
import { type ConfigFile, type ConfigSource, readSource } from './config-source.ts'
import { corsOrigins } from './cors-settings.ts'
import { CLOUD_IDENTITY_VARIABLE, readClouds } from './credentials/cloud-identity.ts'
import { readCredentialSettings } from './credentials/credential-settings.ts'
import { type Environment, ownEnvironment } from './environment.ts'
import { checkTlsFiles, networkList, ownAddress } from './edge-settings.ts'
import { type TimeoutSettings, readTimeouts } from './timeouts.ts'
import { type Provider, readProviders } from './provider-settings.ts'
import { proxyAddress } from './proxy-settings.ts'
import { readPrices } from './price-settings.ts'
import { readDataPolicies } from './data-policy-settings.ts'
import { readRegionSettings } from './region-settings.ts'
import { type RetrySettings, readRetries } from './retry-settings.ts'
import { readTelemetry } from './telemetry/read-telemetry.ts'
import type { TelemetrySettings } from './telemetry/telemetry.ts'
import { type LimitSections, readLimitSections } from './spend-limits/read-limits.ts'
import { DAY_SECONDS } from '../units/units.ts'

// A setting is one line here; its name in the config file is the key of the line.

/** `envOnly`: not in the config file. `isLowerCase`: a proxy's variable may be in lower case, as most programs expect it. */
type Setting<T> = { env: string; read: (value: unknown) => T; fallback: T; envOnly?: true; isLowerCase?: true }

export const SETTINGS = {
  host: { env: 'HOST', read: text, fallback: '127.0.0.1' },
  port: { env: 'PORT', read: integer(0, 65_535), fallback: 8080 },
  adminHost: { env: 'ADMIN_HOST', read: text, fallback: '127.0.0.1' },
  adminPort: { env: 'ADMIN_PORT', read: integer(0, 65_535), fallback: 8081 },
  adminHosts: { env: 'ADMIN_HOSTS', read: hostNames, fallback: [] as readonly string[] },
  corsOrigins: { env: 'CORS_ORIGINS', read: corsOrigins, fallback: [] as readonly string[] },
  dataDir: { env: 'DATA_DIR', read: path, fallback: resolve('data') },
  blobUrl: { env: 'BLOB_URL', read: text, fallback: undefined },
  databaseUrl: { env: 'DATABASE_URL', read: postgresUrl, fallback: undefined },
  databasePool: { env: 'DATABASE_POOL', read: integer(1, 1_000), fallback: 4 },
  keyCacheMinutes: { env: 'KEY_CACHE_MINUTES', read: integer(0, 1_440), fallback: 15 },
  memoryLimitMb: { env: 'MEMORY_LIMIT_MB', read: integer(512, 16_777_216), fallback: undefined },
  workers: { env: 'WORKERS', read: workers, fallback: 1 },
  gatehouseApiKey: { env: 'GATEHOUSE_API_KEY', read: secret, fallback: undefined },
  gatehouseAdminKey: { env: 'GATEHOUSE_ADMIN_KEY', read: secret, fallback: undefined },
  adminKeyAccess: { env: 'ADMIN_KEY_ACCESS', read: oneOf<'on' | 'off'>(['on', 'off']), fallback: 'on' },
  encryptionKeys: { env: 'GATEHOUSE_ENCRYPTION_KEY', read: encryptionKeys, fallback: undefined, envOnly: true },
  allowNetworks: { env: 'ALLOW_NETWORKS', read: text, fallback: '' },
  publicUrl: { env: 'PUBLIC_URL', read: ownAddress, fallback: undefined },
  adminUrl: { env: 'ADMIN_URL', read: ownAddress, fallback: undefined },
  trustedProxies: { env: 'TRUSTED_PROXIES', read: networkList, fallback: [] as readonly string[] },
  tlsCertFile: { env: 'TLS_CERT_FILE', read: path, fallback: undefined },
  tlsKeyFile: { env: 'TLS_KEY_FILE', read: path, fallback: undefined },
  catalogUrl: { env: 'CATALOG_URL', read: catalogAddress, fallback: undefined },
  catalogPublicKey: { env: 'CATALOG_PUBLIC_KEY', read: publicKeys, fallback: [] as readonly string[] },
  awsAccessKeyId: { env: 'AWS_ACCESS_KEY_ID', read: text, fallback: undefined },
  awsSecretAccessKey: { env: 'AWS_SECRET_ACCESS_KEY', read: text, fallback: undefined },
  awsSessionToken: { env: 'AWS_SESSION_TOKEN', read: text, fallback: undefined },
  cloudIdentity: {
    env: CLOUD_IDENTITY_VARIABLE,
    read: readClouds,
    fallback: [] as readonly CloudName[],
    envOnly: true,
  },
  uploadLimitMb: { env: 'UPLOAD_LIMIT_MB', read: integer(1, 10_240), fallback: 100 },
  uploadQuotaMb: { env: 'UPLOAD_QUOTA_MB', read: integer(1, 1_048_576), fallback: 10_240 },
  ledgerJournalMb: { env: 'LEDGER_JOURNAL_MB', read: integer(1, 1_048_576), fallback: 1_024 },
  upstreamConnections: { env: 'UPSTREAM_CONNECTIONS', read: integer(1, 1_000_000), fallback: 16_384 },
  httpsProxy: { env: 'HTTPS_PROXY', read: proxyAddress, fallback: undefined, isLowerCase: true },
  httpProxy: { env: 'HTTP_PROXY', read: proxyAddress, fallback: undefined, isLowerCase: true },
  noProxy: { env: 'NO_PROXY', read: text, fallback: '', isLowerCase: true },
  ledgerRetentionDays: { env: 'LEDGER_RETENTION_DAYS', read: integer(1, 36_500), fallback: 400 },
  jobRetentionDays: { env: 'JOB_RETENTION_DAYS', read: integer(1, 36_500), fallback: 7 },
  deliveryRetentionDays: { env: 'DELIVERY_RETENTION_DAYS', read: integer(1, 36_500), fallback: 7 },
  responseRetentionDays: { env: 'RESPONSE_RETENTION_DAYS', read: integer(1, 36_500), fallback: 7 },
  webhookPrivateKeyFile: { env: 'WEBHOOK_PRIVATE_KEY_FILE', read: path, fallback: undefined },
  drainDelaySeconds: { env: 'DRAIN_DELAY_SECONDS', read: seconds(600), fallback: 5 },
  drainSeconds: { env: 'DRAIN_SECONDS', read: seconds(DAY_SECONDS), fallback: 20 },
  region: { env: 'REGION', read: oneOf<Region>(REGIONS), fallback: 'global' as Region },
  logLevel: {
    env: 'LOG_LEVEL',
    read: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    fallback: 'info',
  },
  logFormat: { env: 'LOG_FORMAT', read: oneOf<'pretty' | 'json'>(['pretty', 'json']), fallback: undefined },
  bodyLimitMb: { env: 'BODY_LIMIT_MB', read: integer(1, 1_024), fallback: 25 },
} satisfies Record<string, Setting<unknown>>

export type Config = LimitSections & { [Name in keyof typeof SETTINGS]: Value<(typeof SETTINGS)[Name]> } & {
  providers: Record<string, Provider>
  /** Time limits that differ from the defaults, by `provider` or `provider/model`. */
  timeouts: TimeoutSettings
  retries: RetrySettings
  /** The aliases of the config file. The store may have more. */
  aliases: Aliases
  /** Who may sign in with which provider, and whose tokens the API accepts. */
  auth: AuthSettings
  /** Where alerts are sent, and what is different about their rules. */
  alerts: AlertSettings
  /** Where spans and metrics are sent; undefined if nowhere. */
  telemetry: TelemetrySettings | undefined
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

/** Every value is a copy or immutable, and nobody changes a configuration: a reload makes another one. */
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
  const { retries, aliases, auth, alerts, budgets, rateLimits, telemetry, ...rest } = other
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
  return {
    ...(settings as Omit<Config, Parsed>),
    providers,
    prices: readPrices(prices, providers),
    catalogUpdate: stored.catalog,
    timeouts: readTimeouts(timeouts),
    retries: readRetries(retries),
    aliases: readAliases(aliases, providers, source),
    ...readLimitSections({ budgets, rateLimits }),
    auth: readAuth(auth, environment),
    alerts: readAlerts(alerts, environment),
    telemetry: readTelemetry(telemetry, environment),
    // Not whether this is a refresh: what is checked later, such as an alias of the store, is new.
    source: { environment, file, stored },
    origins,
  }
}

type OptionalEnvironment = Omit<ConfigSource, 'environment'> & { environment?: Environment | undefined }

type Parsed =
  | ('providers' | 'prices' | 'catalogUpdate' | 'timeouts' | 'retries' | 'aliases' | 'auth' | 'alerts')
  | ('telemetry' | 'source' | 'origins')
  | keyof LimitSections

const SECTIONS = [
  ...['providers', 'credentials', 'prices', 'timeouts', 'regions', 'dataPolicies', 'retries', 'aliases', 'auth'],
  ...['alerts', 'budgets', 'rateLimits', 'telemetry'],
]

function unknownSetting(key: string): ConfigError {
  const [, setting] = Object.entries(SETTINGS).find(([name, { env }]) => name === key || env === key) ?? []
  if (setting && 'envOnly' in setting)
    return new ConfigError(`${key}: is a secret; set ${setting.env} in the environment instead`)
  const known = [...Object.keys(SETTINGS).filter(isInFile), ...SECTIONS]
  return new ConfigError(`${key}: no such setting.${didYouMean(key, known) || ' docs/settings.md lists all settings.'}`)
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

/** Refuses a key that no client could send unchanged. */
function secret(value: unknown): string {
  if (/^[\x20-\x7e]{1,512}$/.test(text(value)) && text(value).trim() === value) return text(value)
  throw new ConfigError('should be 1 to 512 ASCII characters without a space at either end')
}

/** The key in use, and after a comma older ones that it replaces. A key has to be too long to guess. */
function encryptionKeys(value: unknown): readonly string[] {
  const keys = text(value)
    .split(',')
    .map((key) => key.trim())
  if (keys.every((key) => /^[\x21-\x7e]{32,512}$/.test(key))) return keys
  throw new ConfigError(
    'should be at least 32 random ASCII characters, such as the output of `openssl rand -base64 32`',
  )
}

/** A list, or one text with commas between its items. */
function hostNames(value: unknown): readonly string[] {
  const names = Array.isArray(value) ? value.map(text) : text(value).split(',')
  return names.map((name) => {
    const plain = name.trim().toLowerCase().replace(/\.$/, '')
    if (/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(plain)) return plain
    throw new ConfigError('should be host names without a scheme or a port, separated by commas')
  })
}

function path(value: unknown): string {
  return resolve(text(value))
}

function integer(least: number, max: number) {
  return (value: unknown): number => {
    const number = typeof value === 'string' ? Number(value) : value
    if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= max) return number
    throw new ConfigError(`should be a whole number from ${least} to ${max}`)
  }
}

function seconds(max: number) {
  return (value: unknown): number => {
    const number = typeof value === 'string' ? Number(value) : value
    if (typeof number === 'number' && number >= 0 && number <= max) return number
    throw new ConfigError(`should be a number of seconds from 0 to ${max}`)
  }
}

function oneOf<T extends string>(allowed: readonly T[]) {
  return (value: unknown): T => {
    if (allowed.includes(value as T)) return value as T
    throw new ConfigError(`should be one of ${allowed.join(', ')}`)
  }
}

function workers(value: unknown): number | 'auto' {
  return value === 'auto' ? 'auto' : integer(1, 256)(value)
}

function postgresUrl(value: unknown): string {
  const url = /^postgres(ql)?:\/\//.test(text(value)) ? URL.parse(text(value)) : null
  if (!url) throw new ConfigError('should look like postgres://user:password@host:port/database')
  // Without it, statements of one process would fail on connections of another, and only sometimes.
  if (!['true', 'false', null].includes(url.searchParams.get('pgbouncer')))
    throw new ConfigError('pgbouncer in the address should be true or false')
  return text(value)
}
