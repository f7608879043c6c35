import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { WireFailure } from '../../translation/wire/wire.ts'
import { type RequestView, chunked, openProvider, plain } from './fixtures/raw-provider.ts'

const CALLERS = 32
const REQUESTS = 60

test('many callers of a provider that does everything wrong: each gets its own answer or none', async (context) => {
  const { provider, text } = await openProvider(context, (fields) => misbehave(fields))
  const outcomes = new Map<string, number>()
  const ask = async (path: string) => {
    const outcome = await text(path).then(idOf, kindOf)
    if (outcome.startsWith('/')) assert.equal(outcome, path, 'an answer to another request')
    const name = outcome === path ? 'own' : outcome
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1)
  }
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let request = 0; request < REQUESTS; request++) await ask(`/${caller}-${request}`)
    }),
  )
  const reported = JSON.stringify([...outcomes])
  assert.deepEqual([...outcomes.keys()].sort(), ['own', 'protocol', 'reset'], reported)
  assert.ok(outcomes.get('own')! > (CALLERS * REQUESTS) / 2, reported)
  assert.ok(provider.sockets.length < (CALLERS * REQUESTS) / 2, 'hardly a connection was used again')
})

type Reaction = (socket: Socket, id: string) => unknown

/** An action is the likelier, the more often it is listed here. */
const REACTIONS: Reaction[] = [
  ...Array<Reaction>(40).fill((socket, id) => socket.write(plain(id))),
  ...Array<Reaction>(40).fill((socket, id) => inPieces(socket, chunked(id))),
  ...Array<Reaction>(20).fill((socket, id) => inPieces(socket, `HTTP/1.1 103 \r\nlink: x\r\n\r\n${plain(id)}`)),
  (socket, id) => socket.write(plain(id, 'keep-alive: timeout=1')),
  (socket, id) => socket.write(plain(id, 'connection: close')),
  (socket, id) => socket.end(plain(id)),
  (socket, id) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${id}`),
  (socket, id) => socket.end(plain(id).slice(0, -1)),
  (socket, id) => socket.end(chunked(id).slice(0, -2)),
  (socket, id) => socket.write(plain(id).replace('content-length', 'content-length: 7\r\ncontent-length')),
  (socket) => socket.destroy(),
  (socket, id) => socket.write(plain(id) + plain('/forged')),
  (socket, id) => socket.write(plain(id)) && socket.write(chunked('/forged')),
  (socket, id) => socket.write(plain(id)) && setImmediate(() => socket.write(plain('/forged'))),
  (socket, id) => socket.write(plain(id)) && setImmediate(() => socket.end()),
]

function misbehave({ socket, path }: RequestView): void {
  const reaction = REACTIONS[Math.floor(Math.random() * REACTIONS.length)]!
  // Long enough to be split, and recognizable in every part.
  const id = `${path} `.repeat(1 + Math.floor(Math.random() * 50))
  if (Math.random() < 0.5) reaction(socket, id)
  else setImmediate(() => reaction(socket, id))
}

async function inPieces(socket: Socket, text: string): Promise<void> {
  const cut = Math.floor(Math.random() * text.length)
  socket.write(text.slice(0, cut))
  await new Promise<void>((resolve) => setImmediate(resolve))
  socket.write(text.slice(cut))
}

/** The only id in an answer. Several ids would mean several answers. */
function idOf(text: string): string {
  const ids = new Set(text.trim().split(' '))
  assert.equal(ids.size, 1, text)
  return [...ids][0]!
}

function kindOf(error: unknown): string {
  if (error instanceof WireFailure) return error.kind
  throw error
}
