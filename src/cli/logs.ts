import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../platform/config/config.ts'
import type { RequestLine, RequestList } from '../contract/admin/requests.ts'
import { readText } from '../platform/net/read-text.ts'
import { openUpstream } from '../platform/net/upstream.ts'
import { GATEWAY_OWNER, type Send } from '../translation/wire/wire.ts'
import type { Input } from './command-line/command-table.ts'
import { paintFor } from './output/paint.ts'
import { prettyRequest } from './output/pretty-request.ts'
import { printable } from './output/printable.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { MB } from '../base/units/units.ts'

const TIMEOUTS = { headersMs: 60_000, idleMs: 60_000 }
const TOTAL_MS = 120_000
const MAX_BYTES = 64 * MB
const MAX_LINES = 1_000
const LOOK_MS = 1_000
/** A line may reach the ledger a little after a line with a later time, so the last seconds are read again. */
const OVERLAP_MS = 10_000

type Admin = { url: string; key: string; send: Send }
type Ask = (more: Record<string, string>) => Promise<RequestList>

/** Prints the latest calls, oldest first, and then those that come. `looks` is for tests: how often it looks again. */
export async function logs({ values }: Input<'logs'>, terminal: Terminal, looks = Infinity): Promise<number> {
  const upstream = openUpstream()
  try {
    const ask = askerOf(adminOf(values.url, terminal, upstream.send), (values.filter ?? []).map(pairOf))
    const show = (line: RequestLine) => terminal.print(`${values.json ? JSON.stringify(line) : prettyLine(line)}\n`)
    const latest = await latestLines(ask, readLines(values.lines))
    for (const line of latest) show(line)
    if (values.follow) await follow(ask, latest, show, looks)
    return 0
  } finally {
    await upstream.close()
  }
}

/** A page may be short although there are more calls. */
async function latestLines(ask: Ask, count: number): Promise<RequestLine[]> {
  const found: RequestLine[] = []
  for (let cursor: string | null | undefined; cursor !== null && found.length < count; ) {
    const page = await ask({ limit: String(count), ...(cursor && { cursor }) })
    found.push(...page.items)
    cursor = page.next_cursor
  }
  return found.slice(0, count).reverse()
}

async function follow(ask: Ask, shown: RequestLine[], show: (line: RequestLine) => void, looks: number): Promise<void> {
  let newest = Math.max(0, ...shown.map(({ at }) => Date.parse(at)))
  // Lines before the first one that was wanted are not new, though they are in the seconds that are read again.
  const before = (await latest()).filter(({ at }) => Date.parse(at) <= newest)
  const seen = new Map([...before, ...shown].map(({ id, at }) => [id, Date.parse(at)]))
  for (let look = 0; look < looks; look++) {
    if (look > 0) await sleep(LOOK_MS)
    for (const line of await latest()) {
      if (seen.has(line.id)) continue
      show(line)
      seen.set(line.id, Date.parse(line.at))
      newest = Math.max(newest, Date.parse(line.at))
    }
    for (const [id, at] of seen) if (at < newest - 2 * OVERLAP_MS) seen.delete(id)
  }

  async function latest(): Promise<RequestLine[]> {
    const from: Record<string, string> = newest === 0 ? {} : { from: String(newest - OVERLAP_MS) }
    return (await ask({ limit: String(MAX_LINES), ...from })).items.reverse()
  }
}

/** `2026-11-16T20:00:00.000Z research chat  fast → openai/gpt-4o-mini  200  412 ms  9 → 12 tokens  $0.0000086  req_…` */
function prettyLine({ at, project, id, upstream_ids, code, requested_model, ...line }: RequestLine): string {
  const requested = requested_model === line.model ? undefined : requested_model
  const fields = { ...line, requested_model: requested, ...(code !== null && { code }) }
  const request = prettyRequest(fields, paintFor(process.stdout))
  const ids = [id, ...upstream_ids].map(printable).join(' ')
  return `${at} ${printable(project)} ${request}  ${ids}`
}

function askerOf({ url, key, send }: Admin, filters: readonly [string, string][]): Ask {
  return async (more) => {
    const query = new URLSearchParams([...filters, ...Object.entries(more)])
    const headers = { authorization: `Bearer ${key}` }
    const request = { method: 'GET' as const, url: `${url}/admin/requests?${query}`, headers, body: null }
    const signal = AbortSignal.timeout(TOTAL_MS)
    const reply = await send(request, { signal, timeouts: TIMEOUTS, owner: GATEWAY_OWNER }).catch((error) => {
      const advice = 'Start it, or name its admin listener with --url.'
      throw new UsageError(`The gateway at ${url} cannot be reached: ${error.message}. ${advice}`)
    })
    const body = JSON.parse(await readText(reply.body, MAX_BYTES)) as RequestList & { error?: { message: string } }
    if (reply.status === 200) return body
    throw new UsageError(`The gateway refused: ${body.error?.message ?? reply.status}`)
  }
}

function adminOf(url: string | undefined, { environment }: Terminal, send: Send): Admin {
  const { adminHost, adminPort, gatehouseAdminKey: key } = loadConfig(environment)
  if (!key) throw new UsageError('Set GATEHOUSE_ADMIN_KEY to an admin key of the gateway.')
  const host = adminHost === '0.0.0.0' ? '127.0.0.1' : adminHost.includes(':') ? `[${adminHost}]` : adminHost
  return { url: withoutSlash(url ?? `http://${host}:${adminPort}`), key, send }
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url
}

function pairOf(filter: string): [string, string] {
  const split = filter.indexOf('=')
  if (split > 0) return [filter.slice(0, split), filter.slice(split + 1)]
  throw new UsageError(`--filter must be NAME=VALUE, such as project=research, and not ${filter}.`)
}

function readLines(text = '100'): number {
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= MAX_LINES) return Number(text)
  throw new UsageError(`--lines must be a number from 1 to ${MAX_LINES}.`)
}
