import { SETTINGS } from '../src/config/config.ts'
import { THINKING_FIRST_TOKEN_MS, type TimeLimits, DEFAULT_LIMITS } from '../src/config/limits.ts'
import { addressVariable } from '../src/config/provider-settings.ts'
import type { ProviderRow } from '../src/providers/provider.ts'
import { PROVIDERS } from '../src/providers/providers.ts'
import { code, list, table } from './markdown.ts'

/** What each setting means. A setting without a line here does not compile. */
const MEANINGS: Record<keyof typeof SETTINGS, string> = {
  host: 'The address that the API listens on.',
  port: 'The port of the API. `0` picks a free port.',
  adminHost: 'The address that the admin listener uses.',
  adminPort: 'The port of the admin listener. Its `/metrics` and `/health` need no key.',
  adminHosts: 'Host names that callers may use for the admin listener. IP addresses and `localhost` always work.',
  corsOrigins:
    'Origins whose web pages may call the API from a browser, such as `https://app.example`, or `*`. Default: none.',
  dataDir:
    'The folder of the embedded database, the journal of the ledger, the encryption key, uploads and temporary files.',
  blobUrl: 'Where uploads and results are stored instead of the disk: `s3://bucket/prefix?endpoint=…&region=…`.',
  databaseUrl:
    'A PostgreSQL address (`postgres://…`), which processes and machines can share. Add `?pgbouncer=true` for PgBouncer.',
  databasePool: 'Connections of each process to PostgreSQL ([sizing](operating.md#postgresql)).',
  keyCacheMinutes:
    'How long known callers are served from disk if PostgreSQL is away at the start ([more](operating.md#keys)). `0`: never.',
  workers: 'The number of API processes on this machine. `auto` starts one per core.',
  gatehouseApiKey: 'A fixed API key, for containers and tests. The first start then creates no API key.',
  gatehouseAdminKey: 'A fixed admin key. It must differ from the API key. The first start then creates no admin key.',
  encryptionKeys:
    'Encrypts the secrets in the store. `NEW,OLD` changes the key ([more](operating.md)). Default: created in `DATA_DIR`.',
  allowNetworks:
    'Private networks (CIDR, separated by commas) that addresses named by callers may reach. For development.',
  publicUrl: 'The public address of this gateway. Links to results start with it. Default: the listening address.',
  awsAccessKeyId: 'The access key for S3 (`BLOB_URL`), Bedrock and the AWS tasks.',
  awsSecretAccessKey: 'The secret that belongs to the access key.',
  awsSessionToken: 'The session token, for temporary AWS credentials.',
  uploadLimitMb: 'The largest upload.',
  uploadQuotaMb: 'All stored files of one owner together.',
  ledgerJournalMb: 'How much of the ledger each process keeps on disk while the store is away ([more](operating.md)).',
  upstreamConnections:
    'Connections to one provider host that each process may use at once ([more](operating.md#connections)).',
  httpsProxy: 'The proxy for https addresses, such as `http://user:password@host:3128` ([more](operating.md#proxies)).',
  httpProxy: 'The proxy for http addresses.',
  noProxy: 'Hosts, networks and ports that are reached without a proxy, or `*`.',
  ledgerRetentionDays: 'How many days a line of the ledger is kept. Sums are kept longer ([more](operating.md)).',
  jobRetentionDays: 'How many days an ended job is kept, with its result and the files of its result.',
  deliveryRetentionDays: 'How many days a webhook is kept after it arrived or was given up.',
  responseRetentionDays: 'How many days a stored response (`/v3/responses`) is kept.',
  drainDelaySeconds:
    'How long requests are still accepted after SIGTERM, while `/health/ready` answers 503 ([more](operating.md#restarts)).',
  drainSeconds: 'How long running requests may then go on. Raise it if your streams take longer.',
  webhookPrivateKeyFile: 'An RSA key (PEM, at least 2048 bits) that signs webhooks. Default: created in the store.',
  region: 'The region of keys that name none: `global`, `eu` or `us`.',
  logLevel: 'The log level. Logs are JSON lines on stdout and never contain a key, a prompt or an answer.',
  bodyLimitMb: 'The largest request body. [limits.md](limits.md) lists further limits for JSON.',
}

const LIMIT_MEANINGS: Record<keyof TimeLimits, string> = {
  connectMs: 'to open a connection',
  headersMs: 'until the answer begins; some have less ([failures.md](failures.md#providers-that-are-late))',
  firstTokenMs: `until the first word of a stream, while another model is left (${THINKING_FIRST_TOKEN_MS} for models that reason)`,
  idleMs: 'between two useful pieces of an answer',
  totalMs: 'for the whole call with all its attempts; the header `x-gatehouse-timeout-ms` lowers it for one call',
}

/** The text of docs/settings.md. */
export function settingsPage(): string {
  const settings = Object.entries(SETTINGS).map(([name, { env, fallback }]) => {
    return [
      code(env),
      isEnvOnly(name) ? '–' : code(name),
      defaultText(name, fallback),
      MEANINGS[name as keyof typeof SETTINGS],
    ]
  })
  const limits = Object.entries(DEFAULT_LIMITS).map(([name, ms]) => {
    return [code(name), String(ms), LIMIT_MEANINGS[name as keyof TimeLimits]]
  })
  const providers = Object.entries(PROVIDERS).filter(([, { auth }]) => auth.scheme !== 'none')
  return [
    HEAD,
    table(['variable', 'in the config file', 'default', 'meaning'], settings),
    PROVIDER_VARIABLES,
    table(['provider', 'credential', 'address', 'further variables'], providers.map(providerRow)),
    CONFIG_FILE,
    table(['limit', 'milliseconds', 'how long a call may take'], limits),
    CUSTOM_PROVIDERS,
  ].join('\n')
}

function isEnvOnly(name: string): boolean {
  return 'envOnly' in SETTINGS[name as keyof typeof SETTINGS]
}

function defaultText(name: string, fallback: unknown): string {
  if (name === 'dataDir') return '`./data`'
  if (fallback === undefined || fallback === '' || (Array.isArray(fallback) && fallback.length === 0)) return '–'
  return code(String(fallback))
}

function providerRow([id, row]: [string, ProviderRow]): string[] {
  const { auth, params = {} } = row
  const { urlEnv, scopeEnv } = auth.exchange ?? {}
  const others = Object.entries(params).flatMap(([name, { or }]) => (or ? [name, or] : [name]))
  const further = [...others, urlEnv, scopeEnv].filter((name) => name !== undefined)
  return [code(id), code(auth.env ?? ''), code(addressVariable(row) ?? ''), list(further)]
}

const HEAD = `# Settings

<!-- Written by \`npm run docs\` from the tables in src/config and src/providers. Do not edit. -->

Gatehouse reads environment variables and a config file. An environment variable wins over the file. The file is
${code('gatehouse.config.json')} in the working directory, or the file that ${code('GATEHOUSE_CONFIG')} names. Gatehouse refuses to start when
the file contains a key that it does not know.
`

const PROVIDER_VARIABLES = `## Providers

A provider is available when its credential is set. Separate several keys with commas; the gateway rotates through them. The address
variable points a provider at another server, such as a proxy. A user name or a query in an address is sent with every request
and never shown. [task-providers.md](task-providers.md) describes the further variables of task providers.

- ${code('amazon')} accepts ${list(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])} or, for Bedrock only, ${code('AWS_BEARER_TOKEN_BEDROCK')}.
- ${code('watsonx')} needs ${code('WATSONX_PROJECT_ID')} or ${code('WATSONX_SPACE_ID')}.
- ${code('gigachat')} needs ${code('NODE_EXTRA_CA_CERTS')} set to a file with Sber's root certificate.
- Local servers (${list(['ollama', 'vllm', 'sglang', 'lmstudio', 'llamacpp'])}) need no credential. The default port of llama.cpp is 8080,
  like ours: change ${code('LLAMACPP_BASE_URL')} or ${code('PORT')}.
`

const CONFIG_FILE = `## The config file

Besides the settings above, the config file has four sections:

\`\`\`json
{
  "providers": {
    "fake": {
      "dialect": "openai",
      "baseUrl": "http://127.0.0.1:9000/v1",
      "auth": { "scheme": "bearer", "env": "FAKE_API_KEY" },
      "models": [{ "id": "small", "context": 32000, "price": { "input": 0.1, "output": 0.4 } }]
    }
  },
  "credentials": { "openai": [{ "env": "OPENAI_KEY_A", "weight": 3 }, { "env": "OPENAI_KEY_B" }] },
  "limits": { "openai": { "firstTokenMs": 5000 }, "openai/gpt-5": { "totalMs": 900000 } },
  "regions": { "fake": ["eu"], "azure/our-eu-deployment": ["eu"] }
}
\`\`\`

- ${code('credentials')} lists several keys of a provider with their weights.
- ${code('regions')} states where an address, a deployment or a moved service (${code('amazon:textract')}) keeps its data. Keys of a region can
  only use what is known to stay in that region.
- ${code('"proxy"')} in the section of a provider is its outbound proxy, or ${code('false')} for none. A built-in provider needs nothing else there:
  ${code('{"providers": {"openai": {"proxy": "http://proxy:3128"}}}')}.
- ${code('limits')} sets time limits for a provider or a model. The value for a model wins. An error names the limit that ended the call in
  ${code('error.limit')}.
`

const CUSTOM_PROVIDERS = `## Custom providers

- ${code('models')} is optional. It adds models to the list and sets their prices (USD per million tokens). Other model names are passed
  on as they are.
- ${code('allowFields')} names [governed fields](governed-fields.md) that callers may send to this provider.
- ${code('habits')} states what the server accepts beyond the common subset: ${code('"developer": true')} for the role,
  ${code('"cacheMarks": true')} for ${code('cache_control')}, ${code('"thinking": "enable_thinking"')} for the field that turns reasoning on, and
  ${code('"thoughtTag": "think"')} for a model that writes its reasoning between ${code('<think>')} tags. ${code('"endsWithoutReason": "always"')} is for a
  server that ends its streams without a finish reason (${code('"calls"')}: only those with tool calls). Without this line such a stream counts as
  broken.
`
