import { KB, MB } from '../../base/units/units.ts'
import { isRecord, recordOf, textOf } from '../../base/schema/record.ts'
import type { Batch } from '../../contract/batches.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { readText } from '../../platform/net/read-text.ts'
import { openUpstream } from '../../platform/net/upstream.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { GATEWAY_OWNER, type WireRequest, type WireResponse } from '../../translation/wire/wire.ts'
import { printable } from '../output/printable.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

// The API of a gateway, as the client of a batch asks it.

const TIMEOUTS = { headersMs: 120_000, idleMs: 60_000 }
const MAX_ANSWER_BYTES = MB
const MAX_REFUSAL_BYTES = 64 * KB

type Ask = Partial<Pick<WireRequest, 'method' | 'body' | 'headers' | 'source'>>

export type BatchApi = {
  batch(id: string): Promise<Batch>
  /** An answer that is JSON. */
  json<Answer>(path: string, ask?: Ask): Promise<Answer>
  /** An answer of any length. */
  open(path: string, ask?: Ask): Promise<WireResponse>
}

/** Opens the API for a command, and closes it when the command ends. */
export async function withApi<Result>(
  terminal: Terminal,
  url: string | undefined,
  work: (api: BatchApi) => Promise<Result>,
): Promise<Result> {
  const { gatehouseApiKey, host, port } = loadConfig(terminal.environment)
  if (!gatehouseApiKey) throw new UsageError('Set GATEHOUSE_API_KEY to a key of the gateway.')
  const base = addressOf(url ?? terminal.environment?.GATEHOUSE_URL ?? `http://${reachable(host)}:${port}`)
  const authorization = `Bearer ${gatehouseApiKey}`
  const upstream = openUpstream()
  try {
    return await work({ batch: (id) => json(`/v3/batches/${encodeURIComponent(id)}`), json, open })
  } finally {
    await upstream.close()
  }

  async function open(path: string, { method = 'GET', body = null, headers, source }: Ask = {}): Promise<WireResponse> {
    const request = {
      method,
      url: base + path,
      headers: { ...headers, authorization },
      body,
      ...(source && { source }),
    }
    const options = { signal: new AbortController().signal, timeouts: TIMEOUTS, owner: GATEWAY_OWNER }
    const reply = await upstream.send(request, options).catch((error: Error) => {
      if (error instanceof UsageError) throw error
      throw new UsageError(
        `The gateway at ${base} cannot be reached: ${error.message}. Start it, or name its address with --url.`,
      )
    })
    if (reply.status >= 200 && reply.status < 300) return reply
    throw new UsageError(
      `The gateway refused: ${reasonIn(await readText(reply.body, MAX_REFUSAL_BYTES), reply.status)}`,
    )
  }

  async function json<Answer>(path: string, ask?: Ask): Promise<Answer> {
    const text = await readText((await open(path, ask)).body, MAX_ANSWER_BYTES)
    const answer = tryParse(text)
    if (isRecord(answer)) return answer as Answer
    throw new UsageError(`The server at ${base} is not a gateway: it answered with something other than a JSON object.`)
  }
}

function reasonIn(text: string, status: number): string {
  const body = tryParse(text)
  const message = isRecord(body) ? textOf(recordOf(body.error).message) : ''
  return message === '' ? `status ${status}` : printable(message)
}

/** Without `/v3` at its end, which clients of OpenAI write. */
function addressOf(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('--url: should be an address that begins with https:// or http://')
  return `${url.origin}${url.pathname.replace(/\/(v3\/?)?$/, '')}`
}

/** A process that listens everywhere is asked on this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
