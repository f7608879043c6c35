import { setTimeout } from 'node:timers/promises'
import type { Overrides } from '../../src/server/gateway.ts'
import { type FakeMcpServer, startMcpServer } from '../fakes/mcp-server.ts'
import { type LimitsGateway, startLimitsGateway } from './limits-gateway.ts'
import { SPENDING_PROVIDERS } from './spending-routes.ts'

// A gateway in which every route that spends can reach what it pays for.

type SpendingGateway = {
  scene: LimitsGateway
  /** The MCP server `tickets`, whose calls cost 0.01 USD. */
  tickets: FakeMcpServer
  /** Paths of requests to providers, and calls of tools, since the last `forget()`. */
  asked(): string[]
  forget(): void
  close(): Promise<void>
}

type Options = { providers?: readonly string[]; config?: object; overrides?: Overrides }

export async function startSpendingGateway({
  providers = SPENDING_PROVIDERS,
  config = {},
  overrides = {},
}: Options = {}): Promise<SpendingGateway> {
  const tickets = await startMcpServer()
  const keys = providers.map((name) => [`${name}_API_KEY`, 'sk-fake-0123456789'])
  const env = { ...Object.fromEntries(keys), ALLOW_NETWORKS: '127.0.0.0/8' }
  const mcp = { servers: { tickets: { url: tickets.url, pricePerCall: 0.01 } } }
  const scene = await startLimitsGateway(overrides, env, {
    moves: [...providers],
    config: { providers: { openai: { responses: true } }, mcp, ...config },
  })
  return {
    scene,
    tickets,
    asked: () => [...scene.fake.requests.map(({ path }) => path), ...tickets.calls()],
    forget: () => {
      scene.fake.reset()
      tickets.seen.length = 0
    },
    close: async () => {
      await tickets.close()
      await scene.close()
    },
  }
}

const POLL_MS = 10
const RUNNING =
  /"(?:processing_)?status":\s*"(?:queued|processing|running|in_progress|validating|finalizing)"|"done":false/
const PAUSED = /"paused_?reason":\s*"/i

/**
 * What became of a job or a batch that was accepted: itself, once it has ended or waits for a budget, and the answers to the lines of a
 * batch. `get` asks as the caller who has submitted it.
 */
export async function endOf(submitted: Response, get: (path: string) => Promise<Response>): Promise<string> {
  const path = placeOf((await submitted.json()) as Accepted)
  for (;;) {
    const text = await (await get(path)).text()
    if (PAUSED.test(text)) return text
    if (!RUNNING.test(text)) return text + (await answersOf(JSON.parse(text) as Ended, get))
    await setTimeout(POLL_MS)
  }
}

type Accepted = { public_id?: string; id?: string; name?: string }

function placeOf({ public_id, id, name }: Accepted): string {
  if (name?.startsWith('batches/')) return `/v3/v1beta/${name}`
  if (id?.startsWith('batch_')) return `/v3/batches/${id}`
  if (id?.startsWith('msgbatch_')) return `/v3/v1/messages/batches/${id}`
  if (id?.startsWith('resp_')) return `/v3/responses/${id}`
  return `/v3/universal-ai/async/${public_id ?? id}`
}

type Ended = { output_file_id?: string | null; error_file_id?: string | null; results_url?: string | null }

/** Clients of Google find the answers in the batch. */
async function answersOf(
  { output_file_id, error_file_id, results_url }: Ended,
  get: (path: string) => Promise<Response>,
): Promise<string> {
  const files = [output_file_id, error_file_id].filter((id) => id != null).map((id) => `/v3/files/${id}/content`)
  const places = results_url == null ? files : [new URL(results_url).pathname]
  const texts = await Promise.all(places.map(async (place) => (await get(place)).text()))
  return texts.join('\n')
}
