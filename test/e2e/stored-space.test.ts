import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { storeKinds } from '../fakes/stores.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

// What an owner can make the gateway keep: bytes of everything that is stored count together.

const MB = 1024 * 1024

for (const { name, skip, newStore } of await storeKinds())
  describe(`what an owner stores, on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    before(async () => {
      gateway = await startGateway({ newStore, env: { UPLOAD_QUOTA_MB: '2' } })
    })
    after(() => gateway.close())

    test('responses in the background and inputs of jobs count with everything else', async () => {
      const input = 'x'.repeat(0.6 * MB)
      const statuses: number[] = []
      for (let count = 0; count < 6; count++)
        statuses.push(await post('/v3/responses', { model: 'sandbox/echo', input, background: true }))
      assert.equal(statuses[0], 200)
      assert.equal(statuses.at(-1), 413, String(statuses))
      const text = 'x'.repeat(0.6 * MB)
      assert.equal(await post('/v3/universal-ai/async', { model: 'text/moderation/sandbox', input: { text } }), 413)
      assert.equal(
        await post('/v3/universal-ai/async', { model: 'text/moderation/sandbox', input: { text: 'x' } }),
        202,
      )
    })

    async function post(path: string, body: object): Promise<number> {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
      const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      await answer.text()
      return answer.status
    }
  })
