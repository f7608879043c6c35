import { resolve } from 'node:path'
import { type CloudName, REGIONS, type Region } from '../providers/provider.ts'
import { DAY_SECONDS } from '../../base/units/units.ts'
import { catalogAddress, publicKeys } from './catalog-settings.ts'
import { ConfigError, text } from './config-error.ts'
import { corsOrigins } from './cors-settings.ts'
import { CLOUD_IDENTITY_VARIABLE, readClouds } from './credentials/cloud-identity.ts'
import { networkList, ownAddress } from './edge-settings.ts'
import { proxyAddress } from './proxy-settings.ts'

/** One setting: everything that the program and docs/settings.md know about it. */
export type Setting<T> = {
  /** Its environment variable. Its name in the config file is the key of its row. */
  env: string
  read: (value: unknown) => T
  fallback: T
  /**
   * When a change applies: on reload, if the setting is read from the services of a call or `server/active-services.ts` hands the
   * new value on.
   */
  applies: 'on reload' | 'after a restart'
  /** For docs/settings.md. */
  meaning: string
  /** It is not in the config file. */
  envOnly?: true
  /** The variable of a proxy may be in lower case, as most programs expect it. */
  isLowerCase?: true
}

export const SETTINGS = {
  host: {
    env: 'HOST',
    read: text,
    fallback: '127.0.0.1',
    applies: 'after a restart',
    meaning: 'The address that the API listens on.',
  },
  port: {
    env: 'PORT',
    read: integer(0, 65_535),
    fallback: 8080,
    applies: 'after a restart',
    meaning: 'The port of the API. `0` picks a free port.',
  },
  adminHost: {
    env: 'ADMIN_HOST',
    read: text,
    fallback: '127.0.0.1',
    applies: 'after a restart',
    meaning: 'The address that the admin listener uses.',
  },
  adminPort: {
    env: 'ADMIN_PORT',
    read: integer(0, 65_535),
    fallback: 8081,
    applies: 'after a restart',
    meaning: 'The port of the admin listener. Its `/metrics` and `/health` need no key.',
  },
  adminHosts: {
    env: 'ADMIN_HOSTS',
    read: hostNames,
    fallback: [] as readonly string[],
    applies: 'on reload',
    meaning: 'Host names that callers may use for the admin listener. IP addresses and `localhost` always work.',
  },
  corsOrigins: {
    env: 'CORS_ORIGINS',
    read: corsOrigins,
    fallback: [] as readonly string[],
    applies: 'on reload',
    meaning:
      'Origins whose web pages may call the API from a browser, such as `https://app.example`, or `*`. Default: none.',
  },
  bareNames: {
    env: 'BARE_NAMES',
    read: oneOf<'price' | 'maker'>(['price', 'maker']),
    fallback: 'price' as 'price' | 'maker',
    applies: 'on reload',
    meaning:
      'Who answers for a bare model name: `price` (its hosts share the calls by price) or `maker` (the maker before hosts).',
  },
  dataDir: {
    env: 'DATA_DIR',
    read: path,
    fallback: resolve('data'),
    applies: 'after a restart',
    meaning:
      'The folder of the embedded database, the journal of the ledger, the encryption key, uploads and temporary files.',
  },
  blobUrl: {
    env: 'BLOB_URL',
    read: text,
    fallback: undefined,
    applies: 'after a restart',
    meaning: 'Where uploads and results are stored instead of the disk: `s3://bucket/prefix?endpoint=…&region=…`.',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    read: postgresUrl,
    fallback: undefined,
    applies: 'after a restart',
    meaning:
      'A PostgreSQL address (`postgres://…`), which processes and machines can share. Add `?pgbouncer=true` for PgBouncer.',
  },
  databasePool: {
    env: 'DATABASE_POOL',
    read: integer(1, 1_000),
    fallback: 4,
    applies: 'after a restart',
    meaning: 'Connections of each process to PostgreSQL ([sizing](operating-reference.md#postgresql)).',
  },
  keyCacheMinutes: {
    env: 'KEY_CACHE_MINUTES',
    read: integer(0, 1_440),
    fallback: 15,
    applies: 'after a restart',
    meaning:
      'How long known callers are served if PostgreSQL is away at the start ([more](operating-reference.md#keys)). `0`: never.',
  },
  memoryLimitMb: {
    env: 'MEMORY_LIMIT_MB',
    read: integer(512, 16_777_216),
    fallback: undefined,
    applies: 'after a restart',
    meaning: 'What all processes may use together (memory.md). The default: what the cgroup or the machine has.',
  },
  workers: {
    env: 'WORKERS',
    read: workers,
    fallback: 1,
    applies: 'after a restart',
    meaning: 'The number of API processes on this machine. `auto` starts one per core.',
  },
  gatehouseApiKey: {
    env: 'GATEHOUSE_API_KEY',
    read: secret,
    fallback: undefined,
    applies: 'on reload',
    meaning: 'A fixed API key, for containers and tests. The first start then creates no API key.',
  },
  gatehouseAdminKey: {
    env: 'GATEHOUSE_ADMIN_KEY',
    read: secret,
    fallback: undefined,
    applies: 'on reload',
    meaning: 'A fixed admin key. It must differ from the API key. The first start then creates no admin key.',
  },
  adminKeyAccess: {
    env: 'ADMIN_KEY_ACCESS',
    read: oneOf<'on' | 'off'>(['on', 'off']),
    fallback: 'on',
    applies: 'on reload',
    meaning: '`off` refuses admin keys as soon as there is an owner who can sign in ([more](people.md)).',
  },
  encryptionKeys: {
    env: 'GATEHOUSE_ENCRYPTION_KEY',
    read: encryptionKeys,
    fallback: undefined,
    envOnly: true,
    applies: 'after a restart',
    meaning:
      'Encrypts the secrets in the store. `NEW,OLD` changes the key ([more](operating.md)). Default: created in `DATA_DIR`.',
  },
  allowNetworks: {
    env: 'ALLOW_NETWORKS',
    read: text,
    fallback: '',
    applies: 'on reload',
    meaning: 'Private networks (CIDR, separated by commas) that addresses named by callers may reach. For development.',
  },
  publicUrl: {
    env: 'PUBLIC_URL',
    read: ownAddress,
    fallback: undefined,
    applies: 'on reload',
    meaning:
      'The address that callers use. Links to results, docs and samples start with it. Default: the listening address.',
  },
  adminUrl: {
    env: 'ADMIN_URL',
    read: ownAddress,
    fallback: undefined,
    applies: 'on reload',
    meaning:
      'The address that operators use for the admin listener. Its docs start with it, and its host may be called.',
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    read: networkList,
    fallback: [] as readonly string[],
    applies: 'on reload',
    meaning:
      'Proxies whose `X-Forwarded-For` names the client: addresses or CIDRs ([more](operating.md#tls-and-proxies-in-front)).',
  },
  tlsCertFile: {
    env: 'TLS_CERT_FILE',
    read: path,
    fallback: undefined,
    applies: 'after a restart',
    meaning:
      'The certificate with its chain (PEM) of both listeners: HTTPS only ([more](operating.md#tls-and-proxies-in-front)).',
  },
  tlsKeyFile: {
    env: 'TLS_KEY_FILE',
    read: path,
    fallback: undefined,
    applies: 'after a restart',
    meaning: 'The private key (PEM) of the certificate. Both files are read again when they change.',
  },
  catalogUrl: {
    env: 'CATALOG_URL',
    read: catalogAddress,
    fallback: undefined,
    applies: 'on reload',
    meaning: 'Where a newer, signed model catalog is looked for every six hours ([more](catalog.md)).',
  },
  catalogPublicKey: {
    env: 'CATALOG_PUBLIC_KEY',
    read: publicKeys,
    fallback: [] as readonly string[],
    applies: 'on reload',
    meaning: 'The Ed25519 keys (base64 or PEM, separated by commas) that sign [model catalogs](catalog.md).',
  },
  awsAccessKeyId: {
    env: 'AWS_ACCESS_KEY_ID',
    read: text,
    fallback: undefined,
    applies: 'after a restart',
    meaning: 'The access key for S3 (`BLOB_URL`), Bedrock and the AWS tasks.',
  },
  awsSecretAccessKey: {
    env: 'AWS_SECRET_ACCESS_KEY',
    read: text,
    fallback: undefined,
    applies: 'after a restart',
    meaning: 'The secret that belongs to the access key.',
  },
  awsSessionToken: {
    env: 'AWS_SESSION_TOKEN',
    read: text,
    fallback: undefined,
    applies: 'after a restart',
    meaning: 'The session token, for temporary AWS credentials.',
  },
  cloudIdentity: {
    env: CLOUD_IDENTITY_VARIABLE,
    read: readClouds,
    fallback: [] as readonly CloudName[],
    envOnly: true,
    applies: 'after a restart',
    meaning:
      'Clouds (`aws`, `google`, `azure`) whose metadata servers are asked for [credentials](credentials.md#without-a-key).',
  },
  uploadLimitMb: {
    env: 'UPLOAD_LIMIT_MB',
    read: integer(1, 10_240),
    fallback: 100,
    applies: 'on reload',
    meaning: 'The largest upload.',
  },
  uploadQuotaMb: {
    env: 'UPLOAD_QUOTA_MB',
    read: integer(1, 1_048_576),
    fallback: 10_240,
    applies: 'on reload',
    meaning: 'All stored files of one owner together.',
  },
  ledgerJournalMb: {
    env: 'LEDGER_JOURNAL_MB',
    read: integer(1, 1_048_576),
    fallback: 1_024,
    applies: 'after a restart',
    meaning: 'How much of the ledger each process keeps on disk while the store is away ([more](operating.md)).',
  },
  upstreamConnections: {
    env: 'UPSTREAM_CONNECTIONS',
    read: integer(1, 1_000_000),
    fallback: 16_384,
    applies: 'after a restart',
    meaning:
      'Connections to one provider host that each process may use at once ([more](operating-reference.md#connections)).',
  },
  httpsProxy: {
    env: 'HTTPS_PROXY',
    read: proxyAddress,
    fallback: undefined,
    isLowerCase: true,
    applies: 'after a restart',
    meaning:
      'The proxy for https addresses, such as `http://user:password@host:3128` ([more](operating-reference.md#proxies)).',
  },
  httpProxy: {
    env: 'HTTP_PROXY',
    read: proxyAddress,
    fallback: undefined,
    isLowerCase: true,
    applies: 'after a restart',
    meaning: 'The proxy for http addresses.',
  },
  noProxy: {
    env: 'NO_PROXY',
    read: text,
    fallback: '',
    isLowerCase: true,
    applies: 'after a restart',
    meaning: 'Hosts, networks and ports that are reached without a proxy, or `*`.',
  },
  ledgerRetentionDays: {
    env: 'LEDGER_RETENTION_DAYS',
    read: integer(1, 36_500),
    fallback: 400,
    applies: 'on reload',
    meaning: 'How many days a line of the ledger is kept. Sums are kept longer ([more](operating.md)).',
  },
  jobRetentionDays: {
    env: 'JOB_RETENTION_DAYS',
    read: integer(1, 36_500),
    fallback: 7,
    applies: 'on reload',
    meaning: 'How many days an ended job is kept, with its result and the files of its result.',
  },
  deliveryRetentionDays: {
    env: 'DELIVERY_RETENTION_DAYS',
    read: integer(1, 36_500),
    fallback: 7,
    applies: 'on reload',
    meaning: 'How many days a webhook is kept after it arrived or was given up.',
  },
  responseRetentionDays: {
    env: 'RESPONSE_RETENTION_DAYS',
    read: integer(1, 36_500),
    fallback: 7,
    applies: 'on reload',
    meaning: 'How many days a stored response is kept, and a conversation after the last addition to it.',
  },
  webhookPrivateKeyFile: {
    env: 'WEBHOOK_PRIVATE_KEY_FILE',
    read: path,
    fallback: undefined,
    applies: 'after a restart',
    meaning: 'An RSA key (PEM, at least 2048 bits) that signs webhooks. Default: created in the store.',
  },
  drainDelaySeconds: {
    env: 'DRAIN_DELAY_SECONDS',
    read: seconds(600),
    fallback: 5,
    applies: 'on reload',
    meaning:
      'Requests are accepted for so long after SIGTERM; `/health/ready` is 503 ([more](operating.md#restart-without-failures)).',
  },
  drainSeconds: {
    env: 'DRAIN_SECONDS',
    read: seconds(DAY_SECONDS),
    fallback: 20,
    applies: 'on reload',
    meaning: 'How long running requests may then go on. Raise it if your streams take longer.',
  },
  region: {
    env: 'REGION',
    read: oneOf<Region>(REGIONS),
    fallback: 'global' as Region,
    applies: 'on reload',
    meaning: 'The region of keys that name none: `global`, `eu` or `us`.',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    read: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    fallback: 'info',
    applies: 'on reload',
    meaning: 'The log level. Logs go to stdout and never contain a key, a prompt or an answer.',
  },
  logFormat: {
    env: 'LOG_FORMAT',
    read: oneOf<'pretty' | 'json'>(['pretty', 'json']),
    fallback: undefined,
    applies: 'after a restart',
    meaning:
      '`json`: one JSON object per line. `pretty`: for people. Default: `pretty` on a terminal, otherwise `json`.',
  },
  bodyLimitMb: {
    env: 'BODY_LIMIT_MB',
    read: integer(1, 1_024),
    fallback: 25,
    applies: 'after a restart',
    meaning: 'The largest request body. [memory.md](memory.md) lists further limits for JSON.',
  },
} satisfies Record<string, Setting<unknown>>

type SettingName = keyof typeof SETTINGS

/** The settings that keep their first values until the process is restarted. */
export const RESTART_SETTINGS = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name) => SETTINGS[name].applies === 'after a restart',
)

export function needsRestart(name: string): boolean {
  return RESTART_SETTINGS.some((one) => one === name)
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
