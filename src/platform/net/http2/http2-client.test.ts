import assert from 'node:assert/strict'
import { createServer, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openFakeProxy } from '../fixtures/fake-proxy.ts'
import { toProxy } from '../proxy/proxy.ts'
import { Http2Client } from './http2-client.ts'

const ASKED = { path: '/x', headers: { 'x-a': 'b' }, body: Buffer.from('hello') }

async function serve(t: TestContext, answer: Parameters<Http2Server['on']>[1]): Promise<string> {
  const server = createServer()
  server.on('stream', answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('through a proxy, a request goes in a tunnel', async (t) => {
  const origin = await serve(t, (stream) => {
    stream.respond({ ':status': 200 })
    stream.end('answer')
  })
  const proxy = await openFakeProxy(t)
  proxy.targetPort = Number(new URL(origin).port)
  const client = new Http2Client(origin, { chooseProxy: () => toProxy('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`) })
  t.after(() => client.close())
  const { status, body } = await client.request(ASKED, AbortSignal.timeout(30_000))
  assert.deepEqual([status, body.toString()], [200, 'answer'])
  assert.deepEqual(proxy.tunnels, [new URL(origin).host])
})

test('an answer that is too long is refused and not collected', async (t) => {
  const origin = await serve(t, (stream) => {
    stream.on('error', () => undefined)
    stream.respond({ ':status': 200 })
    stream.end('x'.repeat(100_000))
  })
  const client = new Http2Client(origin)
  t.after(() => client.close())
  await assert.rejects(client.request(ASKED, AbortSignal.timeout(30_000)))
})
