import { homedir } from 'node:os'
import { join } from 'node:path'
import { recordOf } from '../../base/schema/record.ts'
import type { Environment } from '../../platform/config/environment.ts'
import type { AGENTS } from '../command-line/agent-commands.ts'
import { jsonIn, jsonText, membersTakenOut, NotPlain, type Versions } from './agent-json.ts'

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
  /** The file as it is now, without our part. Empty if there was none and nothing is left. */
  takeOut(versions: Versions): string
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
const MEMBERS_OF_CLAUDE = [
  ['apiKeyHelper'],
  ...['ANTHROPIC_BASE_URL', ...OTHER_KEYS_OF_CLAUDE].map((name) => ['env', name]),
]

export const AGENT_FILES: Readonly<Record<Agent, AgentFiles>> = {
  claude: {
    files: [
      {
        path: ['.claude', 'settings.json'],
        variable: 'CLAUDE_CONFIG_DIR',
        merge: withClaude,
        takeOut: (versions) => membersTakenOut(MEMBERS_OF_CLAUDE, versions),
      },
    ],
    otherKeys: OTHER_KEYS_OF_CLAUDE,
    deployed: (url) => ({
      where:
        '/etc/claude-code/managed-settings.json, on macOS /Library/Application Support/ClaudeCode/managed-settings.json, on Windows ' +
        'C:\\Program Files\\ClaudeCode\\managed-settings.json. People then sign in with /login, without this command.',
      content: jsonText({ forceLoginMethod: 'gateway', forceLoginGatewayUrl: `${url}/v3/claude` }),
    }),
  },
  codex: {
    files: [{ path: ['.codex', 'config.toml'], variable: 'CODEX_HOME', merge: withCodex, takeOut: withoutCodex }],
    deployed: (url) => ({
      where: '/etc/codex/config.toml, as defaults, or /etc/codex/managed_config.toml, which people cannot change.',
      content: withCodex('', { url }),
    }),
  },
  gemini: {
    files: [
      { path: ['.gemini', '.env'], merge: withGemini, takeOut: withoutGemini },
      {
        path: ['.gemini', 'settings.json'],
        merge: withKeyOfGemini,
        takeOut: (versions) => membersTakenOut([['security', 'auth', 'selectedType']], versions),
      },
    ],
    note: `Gemini CLI cannot run a program to get its key. Start it like this: ${START_OF_GEMINI}`,
    deployed: (url) => ({
      where: 'the environment of people, for example /etc/profile.d/gatehouse.sh.',
      content: `export GOOGLE_GEMINI_BASE_URL="${url}/v3"\nalias gemini='${START_OF_GEMINI}'\n`,
    }),
  },
  opencode: {
    files: [
      {
        path: ['.config', 'opencode', 'opencode.json'],
        variable: 'XDG_CONFIG_HOME',
        merge: withOpencode,
        takeOut: (versions) => membersTakenOut([['$schema'], ['provider', 'gatehouse']], versions),
      },
    ],
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
  const others = before.split('\n').filter((line) => line !== '' && !OURS_OF_GEMINI.test(line))
  return `${[...others, `GOOGLE_GEMINI_BASE_URL=${url}/v3`].join('\n')}\n`
}

const OURS_OF_GEMINI = /^\s*(export\s+)?GOOGLE_GEMINI_BASE_URL\s*=/

function withoutGemini({ before, written, now }: Versions): string {
  const [earlier, ours] = [before, written].map((text) => text.split('\n').filter((line) => OURS_OF_GEMINI.test(line)))
  const isOurs = (line: string) => ours!.includes(line)
  return now
    .split('\n')
    .flatMap((line) => (isOurs(line) ? earlier! : [line]))
    .join('\n')
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
const OURS_OF_CODEX = new RegExp(`\\n?${BEGIN}\\n[^]*?${END}\\n?`, 'g')
const CHOOSES_US = 'model_provider = "gatehouse"'
const CHOOSES_PROVIDER = /^\s*model_provider\s*=/

/** TOML is not parsed: a line at the top chooses the provider, and our tables stand at the end, between two comments. */
function withCodex(before: string, { url }: Pick<Gateway, 'url'>): string {
  const rest = before.replaceAll(OURS_OF_CODEX, '').trim()
  if (rest.split('\n').some((line) => /^\[ ?model_providers\."?gatehouse"?[.\]]/.test(line.trim())))
    throw new NotPlain('config.toml has a provider `gatehouse` that this command did not write. Remove it first.')
  const [top, tables] = topAndTables(rest)
  const others = top.split('\n').filter((line) => !CHOOSES_PROVIDER.test(line))
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
  const parts = [CHOOSES_US, others.join('\n').trim(), tables.trim(), provider]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** Codex writes into its file itself, for example which folders are trusted. */
function withoutCodex({ before, now }: Versions): string {
  const earlier = topAndTables(before)[0]
    .split('\n')
    .filter((line) => CHOOSES_PROVIDER.test(line))
  const [top, tables] = topAndTables(now.replaceAll(OURS_OF_CODEX, ''))
  const others = top.split('\n').flatMap((line) => (line === CHOOSES_US ? earlier : [line]))
  const rest = `${others.join('\n')}${tables}`.trim()
  return rest === '' ? '' : `${rest}\n`
}

function topAndTables(text: string): [string, string] {
  const tableAt = `\n${text}`.indexOf('\n[')
  return tableAt < 0 ? [text, ''] : [text.slice(0, tableAt), text.slice(tableAt)]
}
