import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { withEnoughTime } from '../../test/fakes/enough-time.ts'
import { ClientGone } from '../calls/client-gone.ts'
import type { OpenReply } from './open-reply.ts'
import { drained } from './drained.ts'
import { MB } from '../base/units/units.ts'

const STUCK_MS = 500
/**
 * The kernel asks for more only when a third of its buffer is free, which can be megabytes, so the reader must not be too
 * slow.
 */
const PACE_MS = 5
/** How many times longer the whole transfer takes than a client may accept nothing. */
const TIMES = 3
/** More than the kernel buffers between two sockets. */
const MUCH = Buffer.alloc(48 * MB, 'x')

const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => {
  server.closeAllConnections()
  server.close()
})

test('a client that accepts nothing is considered gone', async () => {
  const { socket, open, controller } = await fullReply()
  await assert.rejects(drained(open, STUCK_MS), { name: 'AbortError' })
  assert.ok(controller.signal.reason instanceof ClientGone)
  socket.destroy()
})

test('a slow client is waited for, however long it takes', async () => {
  await withEnoughTime(STUCK_MS, async (stuckMs) => {
    const { socket, open, controller } = await fullReply()
    const done = drained(open, stuckMs)
    // On a machine that is too slow for this limit it fails before the test awaits it.
    done.catch(() => {})
    for (let looks = 0; looks < (TIMES * stuckMs) / PACE_MS && !controller.signal.aborted; looks++) {
      await sleep(PACE_MS)
      socket.read()
    }
    socket.resume()
    await done
    assert.equal(controller.signal.aborted, false)
    assert.deepEqual([open.reply.raw.listenerCount('timeout'), open.reply.raw.socket?.timeout], [0, 0])
    socket.destroy()
  })
})

test('a client that leaves ends the wait', async () => {
  const { socket, open, controller } = await fullReply()
  const waiting = drained(open, STUCK_MS)
  socket.destroy()
  controller.abort(new ClientGone())
  await assert.rejects(waiting, { name: 'AbortError' })
})

/** An answer that does not fit into the buffers to a client that does not read. */
async function fullReply(): Promise<{ socket: Socket; open: OpenReply; controller: AbortController }> {
  const pending = once(server, 'request') as Promise<[unknown, ServerResponse]>
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, raw] = await pending
  const controller = new AbortController()
  assert.equal(raw.write(MUCH), false)
  const open = { reply: { raw }, call: { signal: controller.signal }, controller } as unknown as OpenReply
  return { socket, open, controller }
}
