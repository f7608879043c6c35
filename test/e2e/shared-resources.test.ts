import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { errorIn, type LimitsGateway, startLimitsGateway } from './limits-gateway.ts'

// What a provider keeps in the operator's account belongs to no caller, so no caller can name it.

let scene: LimitsGateway
before(async () => {
  const providers = { openai: { responses: true } }
  scene = await startLimitsGateway(
    {},
    { OPENAI_API_KEY: 'sk-fake-0123456789' },
    { moves: ['OPENAI'], config: { providers } },
  )
})
after(() => scene.close())

const TOOLS: [member: string, tool: object][] = [
  ['tools.0.vector_store_ids', { type: 'file_search', vector_store_ids: ['vs_1'] }],
  ['tools.0.container', { type: 'code_interpreter', container: 'cntr_1' }],
  ['tools.0.container.file_ids', { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }],
  [
    'tools.0.environment.container_id',
    { type: 'shell', environment: { type: 'container_reference', container_id: 'c' } },
  ],
]

test('a vector store, a container or a file of the account is refused, whole, streamed and in extra_body', async () => {
  for (const [param, tool] of TOOLS)
    for (const [path, body] of requestsWith(tool)) {
      const refused = await scene.post(path, { model: 'openai/gpt-4o-mini', ...body })
      const error = await errorIn(refused, 422)
      assert.deepEqual([error.code, error.param], ['validation_error', param], JSON.stringify(body))
    }
  assert.deepEqual(scene.fake.requests, [])
})

function requestsWith(tool: object): [path: string, body: object][] {
  const input = 'Hello!'
  const messages = [{ role: 'user', content: input }]
  return [
    ['/v3/responses', { input, tools: [tool] }],
    ['/v3/responses', { input, tools: [tool], stream: true }],
    ['/v3/chat/completions', { messages, extra_body: { tools: [tool] } }],
  ]
}

test('a container that is made for the call is not', async () => {
  scene.fake.reset()
  const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
  await scene.post('/v3/responses', { model: 'openai/gpt-4o-mini', input: 'Hello!', tools })
  assert.deepEqual((scene.fake.requests[0]!.body as { tools: object[] }).tools, tools)
})
