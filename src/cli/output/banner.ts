import type { Config } from '../../platform/config/config.ts'
import { summarizeProviders } from '../../platform/config/provider-summary.ts'
import type { MadeKeys } from '../first-start.ts'
import type { Paint } from './paint.ts'
import { printable } from './printable.ts'

/** Where the listeners are, and what a start made. A process that only runs jobs has no API. */
export type Greeting = {
  config: Config
  version: string
  base?: string | undefined
  admin: string
  made: MadeKeys
  /** The token of the link for the first owner, as long as there is no person. */
  setupToken?: string | undefined
}

const LABEL_CHARS = 11
const MAX_LISTED = 12
const NO_PROVIDER = 'none yet. sandbox/echo needs no account; for a real model set OPENAI_API_KEY, ANTHROPIC_API_KEY, …'

/** What a person sees at every start. */
export function banner(greeting: Greeting, paint: Paint): string {
  const lines = rowsOf(greeting).flatMap(([label, text]) => {
    const style = label === 'Missing' ? 'yellow' : 'dim'
    return text === undefined ? [] : [`  ${paint(style, label.padEnd(LABEL_CHARS))}${printable(text)}`]
  })
  const title = `  ${paint('bold', `Gatehouse ${greeting.version}`)}`
  return `\n${[title, '', ...lines].join('\n')}\n${keysText(greeting)}\n`
}

function rowsOf({ config, base, admin }: Greeting): [label: string, text: string | undefined][] {
  const { publicUrl: api = base, adminUrl = admin } = config
  const { configured, missing } = summarizeProviders(config)
  return [
    ['API', api && `${api}/v3`],
    ['Docs', api && `${api}/docs`],
    ['Console', `${adminUrl}/`],
    ['Admin API', `${adminUrl}/admin`],
    ['Listening', api === base ? undefined : base],
    ['Store', storeOf(config)],
    ['Providers', configured.length > 0 ? listOf(configured) : NO_PROVIDER],
    ['Missing', missing.length > 0 ? missingText(missing) : undefined],
  ]
}

/** The keys that this start made: they are shown only here. Empty if there are none. */
export function keysText({ config, base, admin, made, setupToken }: Omit<Greeting, 'version'>): string {
  const { publicUrl: api = base, adminUrl = admin } = config
  const lines: string[] = []
  if (made.client) lines.push(`  API key (shown only once):    ${made.client}`)
  if (made.admin) lines.push(`  Admin key (shown only once):  ${made.admin}   for ${adminUrl}/admin`)
  if (setupToken)
    lines.push('', '  Create the first owner (once, within an hour):', `    ${adminUrl}/setup#${setupToken}`)
  if (made.client && api) lines.push('', '  Try it:', '', curl(api, made.client))
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`
}

/** Never the whole address: it has a password. */
function storeOf({ databaseUrl, dataDir }: Config): string {
  if (!databaseUrl) return `SQLite in ${dataDir}`
  const { host, pathname } = new URL(databaseUrl)
  return `PostgreSQL at ${host}${pathname}`
}

function missingText(missing: { provider: string; variable: string }[]): string {
  return listOf(missing.map(({ provider, variable }) => `${variable} (${provider})`))
}

function listOf(items: string[]): string {
  const more = items.length - MAX_LISTED
  return `${items.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function curl(base: string, key: string): string {
  const body = '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello, gatehouse!"}]}'
  const headers = `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`
  return `curl ${base}/v3/chat/completions ${headers} -d '${body}'`
}
