import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { ProviderState } from '../../../src/contract/admin/providers.ts'
import { Circuits } from '../../../src/calls/attempts/circuits.ts'
import { failure } from '../../fakes/behaviours.ts'
import { withEnoughTime } from '../../fakes/enough-time.ts'
import { LONG_MS } from '../../gateway/limited-send.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { type GatewayWithFakes, startGatewayWithFakes } from '../../gateway/gateway-with-fakes.ts'
import { type Client, operator } from '../../gateway/people-under-test.ts'

// What the gateway says about a provider is what it knows: nobody reads "ready" about a server that is not there.

describe('states of providers', () => {
  let fakes: GatewayWithFakes
  let admin: Client
  let server: Server
  let clock = 1_000_000
  let asked: string[] = []
  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.url!)
      if (request.url!.startsWith('/silent')) return
      if (request.url!.startsWith('/locked')) return response.writeHead(401).end('{}')
      response.setHeader('content-type', 'application/json')
      response.end('{"data":[{"id":"tiny"},{"id":"small"}]}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    fakes = await startGatewayWithFakes(
      { monotonic: () => clock, circuits: new Circuits(() => clock) },
      {
        OLLAMA_BASE_URL: `${url}/ollama/v1`,
        SGLANG_BASE_URL: `${url}/locked/v1`,
        LMSTUDIO_BASE_URL: `${url}/silent/v1`,
        VLLM_BASE_URL: `http://127.0.0.1:${await closedPort()}/v1`,
      },
    )
    admin = operator(fakes.gateway)
    const { providers } = fakes.gateway.gateway.services.calls.config
    Object.assign(providers.llamacpp!, { baseUrl: `${fakes.gateway.url}/v1` })
  })
  after(async () => {
    await fakes.close()
    server.closeAllConnections()
    server.close()
  })

  test('a local server that does not answer is not reachable, and the reason is told without its address', async () => {
    await withEnoughTime(200, async (localModelsMs) => {
      Object.assign(fakes.gateway.gateway.services.calls, { localModelsMs })
      clock += 20_000
      const of = await states()
      assert.deepEqual([of.ollama.state, of.ollama.models, of.ollama.unreachable_because], ['ready', 2, null])
      assert.equal(of.sglang.state, 'ready', 'a server that refuses is there')
      assert.equal(of.vllm.state, 'not_reachable')
      assert.equal(of.vllm.unreachable_because, 'the server refused the connection')
      assert.equal(of.lmstudio.state, 'not_reachable')
      assert.equal(of.llamacpp.unreachable_because, 'this is the address of the gateway itself')
      assert.deepEqual([of.ollama.local, of.openai.local, of.ollama.address_set], [true, false, true])
    })
    Object.assign(fakes.gateway.gateway.services.calls, { localModelsMs: LONG_MS })
  })

  test('only addresses of the configuration are asked, and not more often than every ten seconds', async () => {
    clock += 20_000
    asked = []
    Object.assign(fakes.gateway.gateway.services.calls.config.providers.lmstudio!, { baseUrl: 'http://127.0.0.1:1/v1' })
    await Promise.all([
      states(),
      states(),
      admin('GET', '/admin/models?provider=ollama'),
      admin('GET', '/admin/overview'),
    ])
    await states()
    assert.deepEqual(asked.filter((url) => url.endsWith('/models')).sort(), ['/locked/v1/models', '/ollama/v1/models'])
    const { body } = await admin('GET', '/admin/providers?base_url=http://127.0.0.1:9/')
    assert.ok(!JSON.stringify(body).includes('127.0.0.1:9/'))
  })

  test('a provider with a key is ready once it has answered, and fails when its circuit opens', async () => {
    assert.equal((await states()).openai.state, 'untested')
    fakes.openai.next(failure(401, { message: 'no such key' }))
    assert.notEqual((await ask()).status, 200)
    assert.equal((await states()).openai.state, 'untested', 'a key that is refused makes nothing ready')
    assert.equal((await ask()).status, 200)
    assert.equal((await states()).openai.state, 'ready')
    fakes.openai.always(failure(503))
    for (let call = 0; call < 6; call++) await ask('openai/gpt-4o')
    const { openai } = await states()
    assert.equal(openai.state, 'failing')
    assert.equal(openai.credentials[0]!.set_aside[0]!.model, 'openai/gpt-4o')
    assert.equal((await states()).deepseek.state, 'not_set_up')
  })

  test('what is inside of the gateway has no address, and popular providers come first', async () => {
    const { body } = await admin('GET', '/admin/providers')
    const items = body.items as ProviderState[]
    const sandbox = items.find(({ id }) => id === 'sandbox')!
    assert.deepEqual([sandbox.base_url, sandbox.state], [null, 'ready'])
    const others = items.filter(({ configured }) => !configured)
    assert.deepEqual(
      others.slice(0, 2).map(({ id }) => id),
      ['anthropic', 'google'],
    )
    const ranks = others.map(({ popularity }) => popularity ?? Number.POSITIVE_INFINITY)
    assert.deepEqual(
      ranks,
      ranks.toSorted((one, other) => one - other),
    )
  })

  function ask(model = 'openai/gpt-4o-mini') {
    return fakes.chat.whole({ model, ...HELLO })
  }

  async function states(): Promise<Record<string, ProviderState> & Record<Known, ProviderState>> {
    const { status, body } = await admin('GET', '/admin/providers')
    assert.equal(status, 200)
    return Object.fromEntries(body.items.map((item: ProviderState) => [item.id, item])) as Record<Known, ProviderState>
  }
})

type Known = 'openai' | 'deepseek' | 'ollama' | 'vllm' | 'sglang' | 'lmstudio' | 'llamacpp'

/** A port that nothing listens at. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
