import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { McpServer } from '../../platform/config/mcp/mcp-server.ts'
import { WireFailure } from '../../translation/wire/wire.ts'
import { ServerTools } from './server-tools.ts'

const SERVER: McpServer = {
  name: 'tickets',
  url: 'https://mcp.test/mcp',
  auth: undefined,
  allow: null,
  deny: [],
  appliesTo: [],
  pricePerCall: 0,
  timeoutMs: 60_000,
  ownedBy: 'file',
}

test('a list that takes too long is a failure of the server, and the next one is asked for anew', async () => {
  let asked = 0
  const client = {
    request: async () => {
      asked++
      if (asked === 1) throw new DOMException('The operation was aborted due to timeout', 'TimeoutError')
      return { tools: [] }
    },
  }
  const tools = new ServerTools(client, () => 0)
  const { signal } = new AbortController()
  const late = (error: unknown) =>
    error instanceof WireFailure && /tickets did not list its tools in time/.test(error.message)
  await assert.rejects(tools.of(SERVER, signal), late)
  assert.deepEqual(await tools.of(SERVER, signal), [])
})
