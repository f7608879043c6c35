import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { test } from 'node:test'
import { ConnectProbe } from './connect-probe.ts'

const BELIEVED_MS = 5_000

test('a place that listens is there, and is sent nothing; the same place that closed is not', async () => {
  let [connections, bytes, now] = [0, 0, 0]
  const server = createServer((socket) => {
    connections++
    socket.on('data', ({ length }) => (bytes += length)).on('error', () => {})
  })
  const address = await listening(server)
  const probe = new ConnectProbe(() => now)
  assert.equal(await probe.canConnect(address), true)
  assert.deepEqual([connections, bytes], [1, 0])
  await closed(server)
  assert.equal(await probe.canConnect(address), true, 'what was seen is believed for a while')
  now += BELIEVED_MS
  assert.equal(await probe.canConnect(address), false)
})

test('many concurrent probes make one connection', async () => {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {}).resume()
  })
  const address = await listening(server)
  const probe = new ConnectProbe(() => 0)
  await Promise.all(Array.from({ length: 50 }, () => probe.canConnect(address)))
  assert.equal(connections, 1)
  await closed(server)
})

test('a place that speaks no TLS cannot be connected to securely', async () => {
  const server = createServer(
    (socket) =>
      void socket
        .on('error', () => {})
        .resume()
        .end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  )
  const address = await listening(server)
  assert.equal(await new ConnectProbe(() => 0).canConnect(address.replace('http:', 'https:')), false)
  await closed(server)
})

test('what cannot be looked at counts as being there', async () => {
  const probe = new ConnectProbe(() => 0)
  for (const address of ['sandbox:', 'local:', '']) assert.equal(await probe.canConnect(address), true, address)
})

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

async function closed(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}
