import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { insertManyLines } from '../../fakes/many-lines.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'

// People who open exports and do not read them: each holds memory until it is given up.

/** Far more than what the buffers of two sockets take. */
const LINES = 30_000
const EXPORT = '/admin/requests?format=jsonl'
const EACH = 4
const ALL = 20
const POLL_MS = 10

let gateway: GatewayUnderTest
let admin: Client
let jumpMs = 0
const sockets: Socket[] = []
before(async () => {
  gateway = await startGateway({ overrides: { monotonic: () => performance.now() + jumpMs } })
  admin = operator(gateway)
  const { db, now } = gateway.gateway.services.calls
  await insertManyLines(db, LINES, now() - 60_000)
})
after(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway.close()
})

test('a person has four exports at a time, of all lists together; others have their own', async () => {
  const ada = await account('ada')
  const open = await openExports(ada, EACH)
  for (const path of [EXPORT, '/admin/keys?format=csv', '/admin/usage?format=csv', '/admin/audit?format=jsonl']) {
    const { status, body } = await ada.client('GET', path)
    assert.deepEqual(
      [status, body.error.code, body.error.message.slice(0, 26)],
      [429, 'rate_limited', 'You already have 4 exports'],
    )
  }
  assert.equal((await ada.client('GET', '/admin/keys')).status, 200, 'pages are no exports')
  assert.equal((await admin('GET', '/admin/keys?format=csv')).status, 200)
  const { items } = (await admin('GET', '/admin/audit?action=requests.export&limit=100')).body
  assert.equal(items.length, EACH, 'a refused export is not in the audit log')
  open.pop()!.destroy()
  await untilAccepted(ada.client)
  leave(open)
})

test('an export that its client does not read for a minute is ended, in the middle, and gives its place back', async () => {
  const bob = await account('bob')
  const [socket] = await openExports(bob, 1)
  const { openExports: exports } = gateway.gateway.services.operations
  const { items } = (await admin('GET', '/admin/audit?action=requests.export&limit=1')).body
  const others = Array.from({ length: EACH - 1 }, () => exports.open(items[0].actor, () => assert.fail('it is read')))
  const status = async () => (await bob.client('GET', '/admin/keys?format=csv')).status
  exports.endIdle()
  assert.equal(await status(), 429)
  // What fits into the buffers of the sockets is taken first.
  do {
    jumpMs += 60_000
    exports.endIdle()
  } while ((await status()) === 429)
  const text = await readRest(socket!)
  assert.ok(text.length > 100_000 && !text.endsWith('0\r\n\r\n'), text.slice(-40))
  for (const { leave: end } of others) end()
})

for (const path of [EXPORT, '/admin/keys?format=csv', '/admin/requests/live'])
  test(`a client that has gone before ${path} begins holds no place`, async () => {
    const eve = await account(`eve ${path}`)
    for (let time = 0; time < EACH; time++) await askAndGo(eve, path)
    const socket = connectToAdmin()
    socket.write(requestText(eve, path))
    const [first] = (await once(socket, 'data')) as [Buffer]
    assert.match(first.toString(), /^HTTP\/1\.1 200 /)
    socket.destroy()
  })

test('all people together have twenty exports in a process', async () => {
  const { openExports: exports } = gateway.gateway.services.operations
  const others = Array.from({ length: ALL - 1 }, (_, at) => exports.open(`user:${at}`, () => assert.fail('it is read')))
  const open = await openExports(await account('the last one'), 1)
  const { status, body } = await admin('GET', '/admin/keys?format=csv')
  assert.deepEqual([status, body.error.code], [503, 'overloaded'])
  leave(open)
  await untilAccepted(admin)
  for (const { leave: end } of others) end()
})

type Account = { client: Client; token: string }

async function account(name: string): Promise<Account> {
  const { body } = await admin('POST', '/admin/users', { kind: 'service', name, role: 'owner' })
  const { token } = (await admin('POST', `/admin/users/${body.id}/tokens`, { name: 'test' })).body
  return { token, client: clientOf(gateway, { authorization: `Bearer ${token}` }) }
}

/** Exports whose readers take the first bytes and no more. */
async function openExports({ token }: Pick<Account, 'token'>, count: number): Promise<Socket[]> {
  const opened: Socket[] = []
  for (let at = 0; at < count; at++) {
    const socket = connectToAdmin()
    socket.write(requestText({ token }, EXPORT))
    const [first] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    assert.match(first.toString(), /^HTTP\/1\.1 200 /)
    opened.push(socket)
  }
  return opened
}

function connectToAdmin(): Socket {
  const { hostname, port } = new URL(gateway.adminUrl)
  const socket = connect(Number(port), hostname)
  sockets.push(socket.on('error', () => undefined))
  return socket
}

function requestText({ token }: Pick<Account, 'token'>, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`
}

/** Asks, and closes the connection while the gateway waits for its store. */
async function askAndGo(asker: Pick<Account, 'token'>, path: string): Promise<void> {
  const store = holdStore()
  const socket = connectToAdmin()
  const [connection] = (await once(gateway.gateway.admin.server, 'connection')) as [Socket]
  socket.write(requestText(asker, path))
  await store.asked
  socket.destroy()
  await once(connection, 'close')
  store.release()
}

/** Every query to the store waits until it is released. */
function holdStore() {
  const { db } = gateway.gateway.services.calls
  const query = db.query
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  db.query = async (sql, values) => {
    asked.resolve()
    await released.promise
    return await query(sql, values)
  }
  const release = () => {
    db.query = query
    released.resolve()
  }
  return { asked: asked.promise, release }
}

async function readRest(socket: Socket): Promise<string> {
  const pieces: Buffer[] = []
  socket.on('data', (piece: Buffer) => pieces.push(piece))
  socket.resume()
  await once(socket, 'close')
  return Buffer.concat(pieces).toString('latin1')
}

/** The gateway notices a little later that a client has gone. */
async function untilAccepted(client: Client): Promise<void> {
  while ((await client('GET', '/admin/keys?format=csv')).status !== 200) await sleep(POLL_MS)
}

function leave(open: readonly Socket[]): void {
  for (const socket of open) socket.destroy()
}
