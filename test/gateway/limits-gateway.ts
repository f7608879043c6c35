import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Overrides } from '../../src/server/gateway.ts'
import { noonClock } from '../fakes/noon-clock.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import type { StoreKind } from '../fakes/stores.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

export type LimitsGateway = {
  readonly gateway: GatewayUnderTest
  /**
   * Answers for `fake/…`. `fake/priced` costs 1 and 2 USD per million tokens, `fake/unpriced` has no price; the tokens of
   * `fake/gpt-4o` can be counted.
   */
  fake: FakeProvider
  /** The limits of the config file become these. */
  limit(sections: {
    budgets?: object[]
    rateLimits?: object[]
    guardrails?: object[]
    timeouts?: object
    aliases?: object
    /** Beside those that the gateway began with. */
    providers?: object
  }): Promise<void>
  post(path: string, body: object, headers?: Record<string, string>): Promise<Response>
  chat(body?: object, headers?: Record<string, string>): Promise<Response>
  admin(method: string, path: string, body?: object): Promise<Response>
  /** Another gateway takes the place of this one, with the same store. */
  restart(meanwhile: () => void | Promise<void>): Promise<void>
  /** For commands on the same installation. */
  settings: Record<string, string>
  folder: string
  close(): Promise<void>
}

const MODELS = [
  { id: 'priced', price: { input: 1, output: 2 }, output: 100_000 },
  { id: 'other', price: { input: 1, output: 2 }, output: 100_000 },
  { id: 'gpt-4o', price: { input: 1, output: 2 }, output: 100_000 },
  { id: 'unpriced', output: 100_000 },
  { id: 'endless', price: { input: 1, output: 2 } },
]
const auth = { scheme: 'bearer', env: 'FAKE_API_KEY' }

/** Providers without an address are at the fake. */
type Config = { providers?: Record<string, object>; [section: string]: unknown }

type Options = { moves?: string[]; config?: Config; newStore?: StoreKind['newStore'] }

/** A gateway whose limits a test can change, with a fake provider. No window of a limit ends by itself. */
export async function startLimitsGateway(
  overrides: Overrides = {},
  env: Record<string, string> = {},
  { moves = [], config: { providers: more = {}, ...config } = {}, newStore }: Options = {},
): Promise<LimitsGateway> {
  const fake = await startFakeProvider({ everyPath: true })
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-limits-'))
  const file = join(folder, 'gatehouse.config.json')
  /** Chats only, and gives one answer at a time. */
  const chatting = { dialect: 'openai', baseUrl: fake.url, auth, choices: 'one', models: MODELS }
  const providers = {
    fake: { dialect: 'openai', baseUrl: fake.url, auth, completions: true, models: MODELS },
    chatting,
    ...Object.fromEntries(Object.entries(more).map(([name, row]) => [name, { baseUrl: fake.url, ...row }])),
  }
  await writeFile(file, JSON.stringify({ providers, ...config }))
  const moved = Object.fromEntries(moves.map((name) => [`${name}_BASE_URL`, fake.url]))
  const settings = { GATEHOUSE_CONFIG: file, FAKE_API_KEY: 'plain.words.as.a.key', ...moved, ...env }
  const dataDir = join(folder, 'data')
  const start = () =>
    startGateway({
      env: settings,
      overrides: { now: noonClock(), ...overrides },
      dataDir,
      ...(newStore && { newStore }),
    })
  let gateway = await start()
  const post: LimitsGateway['post'] = (path, body, headers = {}) => {
    const sent = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers }
    return fetch(`${gateway.url}${path}`, { method: 'POST', headers: sent, body: JSON.stringify(body) })
  }
  return {
    get gateway() {
      return gateway
    },
    fake,
    restart: async (meanwhile) => {
      await gateway.close()
      await meanwhile()
      gateway = await start()
    },
    settings: { ...settings, DATA_DIR: dataDir },
    folder,
    limit: async ({ providers: changed, ...sections }) => {
      await writeFile(file, JSON.stringify({ providers: { ...providers, ...changed }, ...config, ...sections }))
      await gateway.gateway.services.operations.reloadConfig()
    },
    post,
    chat: (body = {}, headers = {}) => {
      const messages = [{ role: 'user', content: 'hi' }]
      return post('/v3/chat/completions', { model: 'fake/priced', messages, max_tokens: 1_000, ...body }, headers)
    },
    admin: (method, path, body) => {
      const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
      return fetch(`${gateway.adminUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    },
    close: async () => {
      await fake.close()
      await gateway.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** The members of the error of a refused call. */
export async function errorIn(response: Response, status: number): Promise<Record<string, unknown>> {
  const body = (await response.json()) as { error: Record<string, unknown> }
  assert.equal(response.status, status, JSON.stringify(body))
  return body.error
}
