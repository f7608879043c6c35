import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { ClientGone } from '../core/call.ts'
import { collectBody } from './collect-body.ts'

test('a body of exactly the limit is taken, a byte more is refused, and so is a length that says so', async () => {
  const pieces = () => Readable.from([Buffer.from('abc'), Buffer.from(''), Buffer.from('de')])
  assert.equal(String(await collected(pieces(), { limit: 5 })), 'abcde')
  await assert.rejects(collected(pieces(), { limit: 4 }), { code: 'too_large' })
  await assert.rejects(collected(pieces(), { limit: 5, told: 6 }), { code: 'too_large' })
  assert.equal((await collected(Readable.from([]), { limit: 0 })).length, 0)
})

test('who is told once is not told again', async () => {
  const payload = Readable.from([Buffer.from('abc'), Buffer.from('d'), Buffer.from('e')])
  const told: unknown[] = []
  collectBody(payload, { limit: 2 }, (error) => told.push(error))
  await once(payload.resume(), 'end')
  assert.equal(told.length, 1)
})

test('a sender that leaves in the middle is gone, and no accident', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const server = createServer((request) => {
    collected(request, { limit: 100 }).catch(resolve)
    request.once('data', () => socket.destroy())
  })
  const socket = connect(await listen(server), '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc')
  assert.ok((await promise) instanceof ClientGone)
  server.close()
})

test('a body in chunks of one byte takes no memory but its own', async () => {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const server = createServer((request) => collected(request, { limit: 1e6 }).then(resolve))
  const socket = connect(await listen(server), '127.0.0.1')
  const before = process.memoryUsage()
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
  socket.end(Buffer.concat([Buffer.alloc(6 * BYTES, '1\r\na\r\n'), Buffer.from('0\r\n\r\n')]))
  assert.equal(String(await promise), 'a'.repeat(BYTES))
  const grown = process.memoryUsage().heapUsed - before.heapUsed
  // A Buffer for each would be 240 bytes for each of them, which is 72 MB.
  assert.ok(grown < 40 * 1024 * 1024, `${grown} bytes`)
  socket.destroy()
  server.closeAllConnections()
  server.close()
})

const BYTES = 300_000

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function collected(payload: Readable, limits: { limit: number; told?: number }): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    collectBody(payload, limits, (error, body) => (error ? reject(error) : resolve(body!))),
  )
}
