import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach } from 'node:test'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { type ChatClient, chatClient } from './chat-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

type GatewayWithRows = {
  gateway: GatewayUnderTest
  /** Answers for every row, and for `openai/…`. */
  provider: FakeProvider
  chat: ChatClient
  /** The text of the answer to a request in any format. */
  post(path: string, body: object): Promise<string>
}

const DIALECTS = ['openai', 'anthropic', 'gemini', 'cohere', 'bedrock']

/** One gateway for a test file whose config file has these providers, by name, and these other settings. The fake is reset before each test. */
export async function gatewayWithRows(rows: Record<string, object>, settings: object = {}): Promise<GatewayWithRows> {
  const provider = await startFakeProvider({ everyPath: true })
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-config-'))
  const file = join(folder, 'gatehouse.config.json')
  const placed = Object.entries(rows).map(([name, row]) => [name, { baseUrl: provider.url, ...row }])
  await writeFile(file, JSON.stringify({ ...settings, providers: Object.fromEntries(placed) }))
  const env = { GATEHOUSE_CONFIG: file, OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'sk-fake-0123456789' }
  const gateway = await startGateway({ env })
  beforeEach(() => provider.reset())
  after(async () => {
    await provider.close()
    await gateway.close()
    await rm(folder, { recursive: true })
  })
  return { gateway, provider, chat: chatClient(gateway.url), post: (path, body) => post(gateway.url + path, body) }
}

/** A row `my-<dialect>` for each dialect. */
export function rowPerDialect(more: object = {}): Record<string, object> {
  return Object.fromEntries(DIALECTS.map((dialect) => [`my-${dialect}`, { dialect, ...more }]))
}

async function post(url: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` }
  return await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text()
}
