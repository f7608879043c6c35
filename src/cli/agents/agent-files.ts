import { homedir } from 'node:os'
import { join } from 'node:path'
import { isRecord, recordOf } from '../../base/schema/record.ts'
import type { Environment } from '../../platform/config/environment.ts'
import type { AGENTS } from '../command-line/agent-commands.ts'
import { UsageError } from '../usage-error.ts'

// What the file of each coding agent has to say, so that the agent asks the gateway and `gatehouse token` gives it its key.

export type Agent = (typeof AGENTS)[number]

/** `models` are the names of those that the person may use; undefined if they are not known. */
export type Gateway = { url: string; models: readonly string[] | undefined }

export type AgentFile = {
  /** Below the folder of the user. */
  path: readonly string[]
  /** The variable of the agent that names another folder in place of the first one. */
  variable?: string
  /** The file with our part in it; the rest stays. `before` is empty if there is none. */
  merge(before: string, gateway: Gateway): string
}

type AgentFiles = {
  files: readonly AgentFile[]
  /** The file of the agent has a list of models. */
  needsModels?: boolean
  /** Variables with another key, which the agent would use instead of the sign-in. */
  otherKeys?: readonly string[]
  /** How to start the agent, if it cannot run a program for its key. */
  note?: string
  /** What a company deploys to its machines: where, and what. */
  deployed(url: string): { where: string; content: string }
}

/** Gemini CLI names no session by itself, so each start is one. The shell writes the time and the number of its process. */
const GEMINI_SESSION = 'GEMINI_CLI_CUSTOM_HEADERS="x-session-id: $(date +%s)-$$"'
const START_OF_GEMINI = `GEMINI_API_KEY="$(gatehouse token)" ${GEMINI_SESSION} gemini`

const OTHER_KEYS_OF_CLAUDE = ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY'] as const

export const AGENT_FILES: Readonly<Record<Agent, AgentFiles>> = {
  claude: {
    files: [{ path: ['.claude', 'settings.json'], variable: 'CLAUDE_CONFIG_DIR', merge: withClaude }],
    otherKeys: OTHER_KEYS_OF_CLAUDE,
    deployed: (url) => ({
      where:
        '/etc/claude-code/managed-settings.json, on macOS /Library/Application Support/ClaudeCode/managed-settings.json, on Windows ' +
        'C:\\Program Files\\ClaudeCode\\managed-settings.json. People then sign in with /login, without this command.',
      content: jsonText({ forceLoginMethod: 'gateway', forceLoginGatewayUrl: `${url}/v3/claude` }),
    }),
  },
  codex: {
    files: [{ path: ['.codex', 'config.toml'], variable: 'CODEX_HOME', merge: withCodex }],
    deployed: (url) => ({
      where: '/etc/codex/config.toml, as defaults, or /etc/codex/managed_config.toml, which people cannot change.',
      content: withCodex('', { url }),
    }),
  },
  gemini: {
    files: [
      { path: ['.gemini', '.env'], merge: withGemini },
      { path: ['.gemini', 'settings.json'], merge: withKeyOfGemini },
    ],
    note: `Gemini CLI cannot run a program to get its key. Start it like this: ${START_OF_GEMINI}`,
    deployed: (url) => ({
      where: 'the environment of people, for example /etc/profile.d/gatehouse.sh.',
      content: `export GOOGLE_GEMINI_BASE_URL="${url}/v3"\nalias gemini='${START_OF_GEMINI}'\n`,
    }),
  },
  opencode: {
    files: [{ path: ['.config', 'opencode', 'opencode.json'], variable: 'XDG_CONFIG_HOME', merge: withOpencode }],
    needsModels: true,
    note: 'opencode cannot run a program to get its key. Start it like this: GATEHOUSE_TOKEN="$(gatehouse token)" opencode',
    deployed: (url) => ({
      where: 'the same file in the folders of people, or the file that OPENCODE_CONFIG names.',
      content: withOpencode('', { url, models: undefined }),
    }),
  },
}

/** Where the file is for the user of this environment. */
export function pathIn(environment: Environment, { path, variable }: AgentFile): string {
  const folder = variable && environment[variable]
  return folder ? join(folder, ...path.slice(1)) : join(environment.HOME || homedir(), ...path)
}

function withClaude(before: string, { url }: Gateway): string {
  const settings = jsonIn(before)
  const env: Record<string, unknown> = { ...recordOf(settings.env), ANTHROPIC_BASE_URL: `${url}/v3/claude` }
  for (const name of OTHER_KEYS_OF_CLAUDE) delete env[name]
  return jsonText({ ...settings, apiKeyHelper: 'gatehouse token', env })
}

/** opencode offers only models that stand in its file. Those that the person has described stay as they are. */
function withOpencode(before: string, { url, models = [] }: Gateway): string {
  const settings = jsonIn(before)
  const gatehouse = {
    npm: '@ai-sdk/openai-compatible',
    name: 'Gatehouse',
    options: { baseURL: `${url}/v3`, apiKey: '{env:GATEHOUSE_TOKEN}' },
    ...recordOf(recordOf(settings.provider).gatehouse),
  }
  const options = { ...recordOf(gatehouse.options), baseURL: `${url}/v3`, apiKey: '{env:GATEHOUSE_TOKEN}' }
  const named = Object.fromEntries(models.map((id) => [id, { name: id }]))
  const known = { ...named, ...recordOf(recordOf(gatehouse).models) }
  const ours = { ...gatehouse, options, models: known }
  const provider = { ...recordOf(settings.provider), gatehouse: ours }
  return jsonText({ $schema: 'https://opencode.ai/config.json', ...settings, provider })
}

/** The line of our variable; others stay. */
function withGemini(before: string, { url }: Gateway): string {
  const others = before
    .split('\n')
    .filter((line) => line !== '' && !/^\s*(export\s+)?GOOGLE_GEMINI_BASE_URL\s*=/.test(line))
  return `${[...others, `GOOGLE_GEMINI_BASE_URL=${url}/v3`].join('\n')}\n`
}

/** Without it, Gemini CLI asks how to sign in, and refuses to run without a terminal. */
function withKeyOfGemini(before: string): string {
  const settings = jsonIn(before)
  const security = recordOf(settings.security)
  const auth = { ...recordOf(security.auth), selectedType: 'gemini-api-key' }
  return jsonText({ ...settings, security: { ...security, auth } })
}

const BEGIN = '# gatehouse configure: begin'
const END = '# gatehouse configure: end'

/** TOML is not parsed: a line at the top chooses the provider, and our tables stand at the end, between two comments. */
function withCodex(before: string, { url }: Pick<Gateway, 'url'>): string {
  const ours = new RegExp(`\\n?${BEGIN}\\n[^]*?${END}\\n?`, 'g')
  const rest = before.replaceAll(ours, '').trim()
  if (rest.split('\n').some((line) => /^\[ ?model_providers\."?gatehouse"?[.\]]/.test(line.trim())))
    throw new NotPlain('config.toml has a provider `gatehouse` that this command did not write. Remove it first.')
  const tableAt = `\n${rest}`.indexOf('\n[')
  const [top, tables] = tableAt < 0 ? [rest, ''] : [rest.slice(0, tableAt), rest.slice(tableAt)]
  const others = top.split('\n').filter((line) => !/^\s*model_provider\s*=/.test(line))
  const provider = `${BEGIN}
[model_providers.gatehouse]
name = "Gatehouse"
base_url = ${JSON.stringify(`${url}/v3`)}
wire_api = "responses"

[model_providers.gatehouse.auth]
command = "gatehouse"
args = ["token"]
timeout_ms = 20000
refresh_interval_ms = 300000
${END}`
  const parts = ['model_provider = "gatehouse"', others.join('\n').trim(), tables.trim(), provider]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** A file of an agent that this command does not rewrite. */
export class NotPlain extends UsageError {}

/** A file with comments, or with a mistake, is not rewritten. */
function jsonIn(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Said below.
  }
  throw new NotPlain(
    'The file of the agent is not plain JSON, so this command does not change it. --print shows what to add.',
  )
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
