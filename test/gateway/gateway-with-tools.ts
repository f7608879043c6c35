import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Overrides } from '../../src/server/gateway.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { type FakeMcpServer, type McpEra, startMcpServer } from '../fakes/mcp-server.ts'
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

export type GatewayWithTools = {
  gateway: GatewayUnderTest
  /** Answers for `fake/priced` (1 and 2 USD per million tokens), which has functions and no search. */
  model: FakeProvider
  /** The server `tickets`, whose calls cost 0.01 USD. */
  server: FakeMcpServer
  close(): Promise<void>
}

type Options = {
  era?: McpEra
  config?: object
  /** What is different about the server. */
  tickets?: object
  env?: Record<string, string>
  overrides?: Overrides
}

/** A gateway with a model and an MCP server behind it. */
export async function startGatewayWithTools({
  era = 'both',
  config,
  tickets,
  env,
  overrides = {},
}: Options = {}): Promise<GatewayWithTools> {
  const [model, server] = [await startFakeProvider(), await startMcpServer(era)]
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-tools-'))
  const file = join(folder, 'gatehouse.config.json')
  const models = [{ id: 'priced', price: { input: 1, output: 2 } }]
  const entry = { url: server.url, credentialEnv: 'TICKETS_KEY', pricePerCall: 0.01, ...tickets }
  await writeFile(
    file,
    JSON.stringify({
      providers: { fake: { dialect: 'openai', baseUrl: model.url, models } },
      mcp: { servers: { tickets: entry } },
      ...config,
    }),
  )
  const gateway = await startGateway({
    overrides,
    env: { GATEHOUSE_CONFIG: file, ALLOW_NETWORKS: '127.0.0.0/8', TICKETS_KEY: 'secret-of-the-operator', ...env },
  })
  return {
    gateway,
    model,
    server,
    close: async () => {
      await Promise.all([model.close(), server.close()])
      await gateway.close()
      await rm(folder, { recursive: true })
    },
  }
}
