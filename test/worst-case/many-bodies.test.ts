import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { GROWTH } from '../fakes/cpu.ts'
import { sample } from '../soak/sample.ts'
import { assertTurnsShort } from './drive.ts'
import { VALUES_OF_EVERY_SHAPE } from './json-shapes.ts'
import { type ProbedGateway, startProbedGateway } from './probed-gateway.ts'
import { MB } from '../../src/base/units/units.ts'

// Many large bodies at once: between two of them, and between the steps of one, the event loop serves everything else.

const BODIES = sample(GROWTH, 24)
const BYTES = sample(0.5, 8) * MB
const HEAP_MB = sample(256, 768)
const SHAPES = [
  'escaped quotes',
  'distinct keys',
  ...(process.env.GATEHOUSE_SOAK ? ['many texts', 'nested objects'] : []),
]

let gateway: ProbedGateway
let provider: FakeProvider
before(async () => {
  provider = await startFakeProvider()
  gateway = await startProbedGateway(HEAP_MB, { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url })
})
after(async () => {
  await gateway.close()
  await provider.close()
})

for (const { name, text } of VALUES_OF_EVERY_SHAPE.filter((shape) => SHAPES.includes(shape.name))) {
  test(`${BODIES} bodies at once (${name}): no turn of the loop takes longer than one of them needs`, async () => {
    const body = Buffer.from(
      `{"model":"openai/gpt-4o","messages":[{"role":"user","content":"Hi"}],"more":${text(BYTES)}}`,
    )
    await assertTurnsShort(gateway, { measured: body, count: BODIES }, async (count) => {
      const statuses = await Promise.all(Array.from({ length: count }, () => send(body)))
      assert.ok(
        statuses.every((status) => status === 200 || status === 503),
        String(statuses),
      )
      assert.ok(statuses.includes(200))
      provider.reset()
    })
  })
}

test('all of it in the memory that is documented', () => gateway.assertBounded({ requests: BODIES }))

async function send(body: Buffer): Promise<number> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: new Uint8Array(body) }
  const response = await fetch(`${gateway.url}/v3/chat/completions`, init)
  await response.arrayBuffer()
  return response.status
}
