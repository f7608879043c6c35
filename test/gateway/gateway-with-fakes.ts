import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Overrides } from '../../src/server/gateway.ts'
import { answer } from '../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { type ChatClient, chatClient } from './chat-client.ts'
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts'
import { freePort } from '../../src/platform/net/free-port.ts'

export const OPENAI_KEY = 'sk-test-0123456789abcdefghij'
export const FAKE_KEY = 'plain.words.as.a.key'
const POLL_MS = 10
const CALM_SECONDS = 0.1
const FIRST_PULSE_MS = 500
const EVENT_LOOP_DELAY = 'gatehouse_event_loop_delay_seconds'

export type GatewayWithFakes = {
  gateway: GatewayUnderTest
  chat: ChatClient
  /** Answers for `openai/…`. */
  openai: FakeProvider
  /** Answers for `fake/…`; the catalog knows `fake/priced` (1 and 2 USD per million tokens). `gone/…` refuses connections. */
  fake: FakeProvider
  /** Resets the fakes, and waits until the gateway is no longer late. */
  reset(): Promise<void>
  /** Resolves when the gateway has ended every call, its ledger line included. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** The gateway with two fake providers and one that cannot be reached. */
export async function startGatewayWithFakes(
  overrides: Overrides = {},
  settings: Record<string, string> = {},
): Promise<GatewayWithFakes> {
  const [openai, fake] = [await startFakeProvider(), await startFakeProvider()]
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-config-'))
  const file = join(folder, 'gatehouse.config.json')
  await writeFile(file, JSON.stringify({ providers: await providers(fake) }))
  const env = {
    GATEHOUSE_CONFIG: file,
    OPENAI_BASE_URL: openai.url,
    OPENAI_API_KEY: OPENAI_KEY,
    FAKE_API_KEY: FAKE_KEY,
    ...settings,
  }
  const gateway = await startGateway({ env, overrides })
  await firstPulse(gateway)
  return {
    gateway,
    chat: chatClient(gateway.url),
    openai,
    fake,
    reset: () => {
      for (const provider of [openai, fake]) forget(provider)
      return calm(gateway)
    },
    idle: () => idle(gateway),
    close: async () => {
      await Promise.all([openai.close(), fake.close()])
      await gateway.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** One gateway for a test file, which is reset before each test. */
export async function gatewayForAll(overrides: Overrides = {}): Promise<GatewayWithFakes> {
  const gateway = await startGatewayWithFakes(overrides)
  after(() => gateway.close())
  beforeEach(() => gateway.reset())
  return gateway
}

async function providers(fake: FakeProvider): Promise<object> {
  const auth = { scheme: 'bearer', env: 'FAKE_API_KEY' }
  const models = [{ id: 'priced', price: { input: 1, output: 2 } }]
  return {
    fake: { dialect: 'openai', baseUrl: fake.url, auth, models },
    gone: { dialect: 'openai', baseUrl: `http://127.0.0.1:${await closedPort()}/v1` },
    keyless: { dialect: 'openai', baseUrl: fake.url, auth: { scheme: 'bearer', env: 'KEYLESS_API_KEY' } },
  }
}

function forget(provider: FakeProvider): void {
  provider.requests.length = 0
  provider.always(answer())
}

/** The first lateness measurement includes the start. Before that, a low value means nothing. */
async function firstPulse(gateway: GatewayUnderTest): Promise<void> {
  const until = performance.now() + FIRST_PULSE_MS
  while (gaugeOf(gateway, EVENT_LOOP_DELAY) === 0 && performance.now() < until) await setTimeout(POLL_MS)
}

/** A busy machine makes the gateway shed load, which is right, but not what these tests are about. */
async function calm(gateway: GatewayUnderTest): Promise<void> {
  while (gaugeOf(gateway, EVENT_LOOP_DELAY) > CALM_SECONDS) await setTimeout(POLL_MS)
}

export async function idle(gateway: GatewayUnderTest): Promise<void> {
  while (gaugeOf(gateway, 'gatehouse_in_flight') > 0) await setTimeout(POLL_MS)
}

function gaugeOf({ gateway }: GatewayUnderTest, name: string): number {
  const line = new RegExp(`^${name} (\\S+)$`, 'm').exec(gateway.services.calls.metrics.write())
  if (!line) throw new Error(`the metrics do not have ${name}`)
  return Number(line[1])
}

/** A port without a listener. */
export function closedPort(): Promise<number> {
  return freePort('127.0.0.1', 0)
}
