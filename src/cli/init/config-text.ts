import { PROVIDERS } from '../../platform/providers/providers.ts'
import type { Choices } from './choices.ts'

/** The text of a config file. What was not chosen stands there as a comment, with its default. */
export function configText({ host, port, dataDir, databaseUrl, region, providers }: Choices): string {
  return `# The config file of Gatehouse, written by \`gatehouse init\`.
# An environment variable wins over this file: PORT=9000 gatehouse serve. docs/settings.md lists all settings.
# \`gatehouse doctor\` checks the file. A running gateway reads it again on SIGHUP.

# The API. 127.0.0.1 serves this machine only. 0.0.0.0 serves other machines too: put a proxy with TLS in front.
${line('host', host, '127.0.0.1')}
${line('port', port && Number(port), 8080)}

# The admin API and /metrics, on a port of their own. Keep it private.
# adminHost: "127.0.0.1"
# adminPort: 8081

# The embedded database, uploads and keys. Back the folder up (docs/operating.md).
${line('dataDir', dataDir, './data')}

# PostgreSQL instead of the embedded database: several machines can share it. The address holds a password.
${line('databaseUrl', databaseUrl, 'postgres://user:password@host:5432/gatehouse')}

# API processes on this machine; auto starts one for each core.
# workers: auto

# Where models must be served for keys that name no region: global, eu or us.
${line('region', region, 'global')}

# fatal, error, warn, info, debug, trace or silent.
# logLevel: info

# A provider works when its key is in the environment. Keys do not belong in this file.
${providerLines(providers)}
${EXAMPLES}`
}

const EXAMPLES = `#
# Several keys of one provider, used in turn:
# credentials:
#   openai:
#     - env: OPENAI_KEY_A
#       weight: 3
#     - env: OPENAI_KEY_B
#
# A server of your own that speaks the OpenAI format:
# providers:
#   my-server:
#     dialect: openai
#     baseUrl: http://127.0.0.1:9000/v1
#     auth: { scheme: bearer, env: MY_SERVER_API_KEY }

# Time limits of a provider or a model, in milliseconds.
# timeouts:
#   openai:
#     firstTokenMs: 5000
`

/** The variables that a provider needs. */
export function variablesFor(provider: string): string[] {
  const { auth, params = {} } = PROVIDERS[provider]!
  const needed = Object.entries(params).filter(([, param]) => param.default === undefined)
  return [...(auth.env ? [auth.env] : []), ...needed.map(([name]) => name)]
}

/** Texts are quoted: YAML would take some addresses for something else. */
function line(name: string, value: string | number | undefined, fallback: string | number): string {
  return value === undefined || value === '' ? `# ${name}: ${written(fallback)}` : `${name}: ${written(value)}`
}

function written(value: string | number): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}

function providerLines(providers: readonly string[]): string {
  const named = providers.length > 0 ? providers : ['openai', 'anthropic']
  return named.map((provider) => `#   ${provider}: ${variablesFor(provider).join(', ') || 'needs no key'}`).join('\n')
}
