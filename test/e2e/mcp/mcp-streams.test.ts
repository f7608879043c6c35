import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { OfferedTool, ToolKit } from '../../../src/endpoints/mcp/offered-tool.ts'
import { textResult } from '../../../src/translation/mcp/tools.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { mcpClient } from './mcp-client.ts'

// A tool that takes long: the client hears of its progress, and ends it by leaving.

let gateway: GatewayUnderTest
let slow = Promise.withResolvers<void>()
let began = Promise.withResolvers<ToolKit>()

const SLOW: OfferedTool = {
  tool: { name: 'slow', inputSchema: { type: 'object' } },
  endpoints: [],
  run: async (_args, kit) => {
    began.resolve(kit)
    await slow.promise
    return { result: textResult('done') }
  },
}

before(async () => {
  gateway = await startGateway({ overrides: { heartbeatMs: 20, moreTools: [SLOW] } })
})
after(() => gateway.close())

for (const era of ['modern', 'legacy'] as const)
  test(`a long tool tells its progress to a client of the ${era} era, and its result comes last`, async () => {
    slow = Promise.withResolvers()
    const client = await mcpClient(gateway.url, era)
    const steps: number[] = []
    const heard = Promise.withResolvers<void>()
    const onprogress = ({ progress }: { progress: number }) => {
      steps.push(progress)
      if (steps.length === 3) heard.resolve()
    }
    const called = client.callTool({ name: 'slow', arguments: {} }, { onprogress })
    await heard.promise
    slow.resolve()
    assert.deepEqual((await called).content, [{ type: 'text', text: 'done' }])
    assert.deepEqual(steps.slice(0, 3), [1, 2, 3])
    await client.close()
  })

test('a client that leaves ends the tool, and a client that takes no events waits for JSON', async () => {
  began = Promise.withResolvers()
  slow = Promise.withResolvers()
  const leaving = new AbortController()
  const ask = (accept: string, signal: AbortSignal | null = null) =>
    fetch(`${gateway.url}/v3/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', accept },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } }),
      signal,
    })
  const streamed = await ask('application/json, text/event-stream', leaving.signal)
  assert.match(streamed.headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.equal(streamed.headers.get('x-accel-buffering'), 'no')
  const { value } = await streamed.body!.getReader().read()
  assert.equal(new TextDecoder().decode(value).slice(0, 1), ':', 'without a token, a comment keeps the stream open')
  const { signal } = await began.promise
  const ended = new Promise((aborted) => signal.addEventListener('abort', aborted))
  leaving.abort()
  await ended
  const whole = ask('application/json')
  slow.resolve()
  assert.deepEqual(((await (await whole).json()) as { result: object }).result, {
    content: [{ type: 'text', text: 'done' }],
  })
})
