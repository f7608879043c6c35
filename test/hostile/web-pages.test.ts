import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertLoopLinear, GROWTH } from '../fakes/cpu.ts'
import { toolCaller } from '../fakes/tool-caller.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../gateway/gateway-with-tools.ts'

// Pages that the gateway reads for a model never block the event loop: its CPU time grows at most as the page does.

const BYTES = 4_900_000

const PAGES: Record<string, string> = {
  elements: '<a>',
  titles: '<title></title>',
  'named characters': '&#1;',
  lines: 'a\n',
}

describe('a page of nothing but', () => {
  let setup: GatewayWithTools
  let site: Server
  let address: string
  before(async () => {
    site = createServer(({ url }, response) => {
      const [, bytes, piece] = url!.split('/').map(decodeURIComponent) as [string, string, string]
      response.setHeader('content-type', 'text/html').end(piece.repeat(Number(bytes) / piece.length))
    }).listen(0, '127.0.0.1')
    await once(site, 'listening')
    address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    setup = await startGatewayWithTools({ config: { search: { engine: 'tavily' } } })
  })
  after(async () => {
    await setup.close()
    site.closeAllConnections()
    site.close()
  })

  for (const [what, piece] of Object.entries(PAGES))
    test(what, () =>
      assertLoopLinear(what, (bytes) => read(`${address}/${bytes}/${encodeURIComponent(piece)}`), BYTES / GROWTH),
    )

  async function read(url: string): Promise<void> {
    setup.model.reset()
    setup.model.always(toolCaller([{ calls: [['gatehouse_web_fetch', { url }]] }, { text: 'Read.' }]))
    const reply = await fetch(`${setup.gateway.url}/v3/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'fake/priced',
        max_tokens: 100,
        messages: [{ role: 'user', content: `What is at ${url}?` }],
        tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }],
      }),
    })
    assert.equal(reply.status, 200, await reply.text())
    assert.equal(setup.model.requests.length, 2)
  }
})
