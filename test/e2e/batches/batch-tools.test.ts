import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenAI } from 'openai'
import { failure } from '../../fakes/behaviours.ts'
import { toolCaller } from '../../fakes/tool-caller.ts'
import { batchClient, chatLine } from '../../gateway/batch-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'

test('a line of a batch that has called a tool is not asked again when its model is at its limit then', async (t) => {
  const setup = await startGatewayWithTools({ overrides: { batchTiming: { pollMs: 20 } } })
  t.after(setup.close)
  const play = toolCaller([{ calls: [['tickets__count', {}]] }, { text: 'There are 42.' }])
  let begun = 0
  setup.model.always((request, response) => {
    const { messages } = request.body as { messages: unknown[] }
    if (messages.length === 1) begun++
    const behaviour = messages.length > 1 && begun === 1 ? failure(429) : play
    return behaviour(request, response)
  })
  const batches = batchClient(new OpenAI({ apiKey: API_KEY, baseURL: `${setup.gateway.url}/v3`, maxRetries: 0 }))
  const line = chatLine('one', 'How many?', 'fake/priced')
  const body = { ...(line.body as object), tools: [{ type: 'mcp', server_label: 'tickets' }] }
  const { request_counts, error_file_id } = await batches.run([{ ...line, body }])
  assert.deepEqual(request_counts, { total: 1, completed: 0, failed: 1 })
  const [answer] = await batches.lines(error_file_id!)
  assert.equal(answer!.response?.status_code, 429)
  assert.deepEqual(setup.server.calls(), ['count({})'])
})
