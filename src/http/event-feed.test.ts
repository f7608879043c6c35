import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, before, test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { EventFeed } from './event-feed.ts'
import type { HttpServices } from './route.ts'

const BIG = 'x'.repeat(20_000)
const SENT = 2_000
const KEPT = 500

let feed: EventFeed
const server = createServer((request, raw: ServerResponse) => {
  const reply = { raw, hijack: () => reply } as unknown as FastifyReply
  const services = { edge: { heartbeatMs: 60_000 }, health: { draining: false } } as unknown as HttpServices
  feed = new EventFeed({ id: 'r', headers: request.headers } as FastifyRequest, reply, services)
})
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
after(() => server.close())

test('a client that does not read costs a bounded number of events, and learns how many it has missed', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  for (let at = 0; at < SENT; at++) feed.send('request', { at, BIG })
  const pieces = [first]
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece)
    if (Buffer.concat(pieces.slice(-2)).includes(`"at":${SENT - 1},`)) feed.end()
    if (piece.toString().endsWith('0\r\n\r\n')) socket.destroy()
  })
  socket.resume()
  await once(socket, 'close')
  const text = Buffer.concat(pieces).toString()
  const [, count] = /event: dropped\ndata: \{"count":(\d+)\}/.exec(text) ?? []
  const received = [...text.matchAll(/^data: \{"at":(\d+)/gm)].map(([, at]) => Number(at))
  assert.equal(received.length + Number(count), SENT)
  assert.equal(received.at(-1), SENT - 1)
  assert.ok(received.length >= KEPT && received.length < SENT, `${received.length} were sent`)
})
