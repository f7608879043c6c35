import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Overrides } from '../../src/server/gateway.ts'
import { type ChatClient, chatClient } from '../gateway/chat-client.ts'
import { ADMIN_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'

const POLL_MS = 5

type GatewayOptions = {
  /** The content of the config file. */
  config: object
  env?: Record<string, string>
  overrides?: Overrides
}

export type OpenGateway = {
  gateway: GatewayUnderTest
  chat: ChatClient
  /** One metric, summed over its labels; 0 if it does not exist yet. */
  metric(name: string): number
  usage(): Promise<LedgerLine[]>
  /** Resolves when every call has ended, its ledger line included. */
  idle(): Promise<void>
  close(): Promise<void>
}

type LedgerLine = {
  group: string
  requests: number
  failed_requests: number
  prompt_tokens: number
  completion_tokens: number
  cost: number
}

/** The real gateway with a config file that the test defines. */
export async function openGateway({ config, env, overrides }: GatewayOptions): Promise<OpenGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-config-'))
  const file = join(folder, 'gatehouse.config.json')
  await writeFile(file, JSON.stringify(config))
  const gateway = await startGateway({ env: { ...env, GATEHOUSE_CONFIG: file }, ...(overrides && { overrides }) })
  return {
    gateway,
    chat: chatClient(gateway.url),
    metric: (name) => metricOf(gateway, name),
    usage: () => usageOf(gateway),
    idle: async () => {
      while (metricOf(gateway, 'gatehouse_in_flight') > 0) await setTimeout(POLL_MS)
    },
    close: async () => {
      await gateway.close()
      await rm(folder, { recursive: true })
    },
  }
}

function metricOf({ gateway }: GatewayUnderTest, name: string): number {
  const lines = gateway.services.calls.metrics.write().matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))
  return Array.from(lines, ([, value]) => Number(value)).reduce((sum, value) => sum + value, 0)
}

async function usageOf({ adminUrl }: GatewayUnderTest): Promise<LedgerLine[]> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}` }
  const response = await fetch(`${adminUrl}/admin/usage?group_by=model`, { headers })
  return ((await response.json()) as { items: LedgerLine[] }).items
}
