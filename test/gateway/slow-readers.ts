import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request } from 'node:http'
import { endlessStream } from '../fakes/endless-stream.ts'
import { ASK } from './chat-client.ts'
import { API_KEY, type GatewayUnderTest } from './gateway-under-test.ts'
import type { GatewayWithFakes } from './gateway-with-fakes.ts'
import { MB } from '../../src/base/units/units.ts'

/** What the kernel may buffer on the two connections of a stream, and the little that the gateway holds. */
const MAX_BYTES_PER_STREAM = 24 * MB

/** Opens endless streams and does not read them, calls `stalled` when the provider has to wait for all of them, and leaves. */
export async function holdBack(setup: GatewayWithFakes, count: number, stalled = async () => {}): Promise<void> {
  const { openai, gateway } = setup
  await setup.reset()
  const endless = endlessStream()
  openai.always(endless.behaviour)
  const readers = await Promise.all(Array.from({ length: count }, () => openUnread(gateway)))
  const written = await endless.stalled()
  await stalled()
  for (const reader of readers) reader.destroy()
  for (const { closed } of openai.requests) assert.equal(await closed, true)
  assert.ok(written < count * MAX_BYTES_PER_STREAM, `${written} bytes were taken from the provider`)
}

/** A stream whose body is not read until the test does. */
export function openUnread(gateway: Pick<GatewayUnderTest, 'url'>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` }
    const options = { method: 'POST', headers, agent: new Agent() }
    const asking = request(`${gateway.url}/v3/chat/completions`, options, (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`the gateway answered ${response.statusCode}`))
    })
    asking.on('error', reject).end(JSON.stringify({ ...ASK, stream: true }))
  })
}
