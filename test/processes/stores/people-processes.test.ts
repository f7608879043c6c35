import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newKey } from '../../../src/tenants/jwt/fixtures/fake-issuer.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { type JwtIssuerServer, startJwtIssuer } from '../../fakes/jwt-issuer.ts'
import { withSharedKey } from '../../fakes/signing-key.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { type GatewayProcess, runHere, startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, cookieIn, operator, PASSWORD } from '../../gateway/people-under-test.ts'

// People with two real processes on one store, of which the second has two workers for the API. What one of them ends, the
// other refuses: sessions and roles at once, keys within seconds.

const LINK = /http:\/\/127\.0\.0\.1:\d+\/setup#([\w-]{43})$/gm
const HANGS_MS = 60_000
/** `req_`, and twelve characters for the process. */
const ID_OF_PROCESS = 16
const KEY = newKey('ES256')

for (const { name, skip, newStore } of await storeKinds())
  describe(`people of two processes on ${name}`, { skip }, () => {
    let one: GatewayProcess
    let two: GatewayProcess
    let env: Record<string, string> & { DATA_DIR: string }
    let owner: Client
    let issuer: JwtIssuerServer
    const links: string[] = []
    const closing = new AsyncDisposableStack()

    before(async () => {
      const store = await newStore()
      const folder = await temporaryFolder()
      closing.defer(() => store.remove())
      closing.defer(() => folder.remove())
      env = { ...withSharedKey(), DATA_DIR: folder.data, GATEHOUSE_ADMIN_KEY: ADMIN_KEY, GATEHOUSE_API_KEY: API_KEY }
      if (store.databaseUrl) env.DATABASE_URL = store.databaseUrl
      issuer = await startJwtIssuer([KEY])
      closing.defer(() => issuer.close())
      env.GATEHOUSE_CONFIG = join(folder.path, 'config.json')
      const jwt = [{ issuer: issuer.url, audience: 'gatehouse', project: 'research' }]
      await writeFile(env.GATEHOUSE_CONFIG, JSON.stringify({ auth: { jwt } }))
      one = await started()
      two = await started({ WORKERS: '2' })
    })
    after(() => closing.disposeAsync())

    test('every start without an owner prints a link of its own, once, with its token behind the # and in no log line', () => {
      for (const { output, adminUrl } of [one, two]) {
        const found = [...output().matchAll(LINK)]
        assert.equal(found.length, 1, output())
        assert.ok(found[0]![0].startsWith(`${adminUrl}/setup#`))
        links.push(found[0]![1]!)
      }
      assert.notEqual(links[0], links[1])
      for (const token of links) assert.ok(!logLines().includes(token))
    })

    test('the link works at the other process, once, and a start with an owner prints none', async () => {
      const setup = (at: GatewayProcess, token: string) =>
        clientOf(at)('POST', '/admin/setup', { token, email: 'owner@example.com', name: 'Olga', password: PASSWORD })
      const done = await setup(two, links[0]!)
      assert.equal(done.status, 201)
      assert.equal((await setup(one, links[0]!)).status, 409)
      assert.equal((await setup(one, links[1]!)).status, 409, 'the other link has no use any more')
      owner = clientOf(one, { cookie: cookieIn(done) })
      const third = await started()
      assert.deepEqual([...third.output().matchAll(LINK)], [])
      await third.stop()
      for (const token of links) assert.ok(!logLines().includes(token), 'nor is it in the line of a request')
    })

    test('the passwords of an owner and of an invited person are stored with the full cost of a hash', async () => {
      await person('dora@example.com')
      const db = await openDatabase({ dataDir: env.DATA_DIR, databaseUrl: env.DATABASE_URL })
      const stored = await db.query<{ password: string }>('SELECT password FROM users')
      await db.close()
      assert.equal(stored.length, 2)
      for (const { password } of stored) assert.match(password, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    })

    test('a session that one process ended, and one of a user whom it disabled, are refused by the other', async () => {
      const ann = await person('ann@example.com')
      const [here, there] = [await ann.signIn(one), await ann.signIn(two)]
      const { body } = await there('GET', '/admin/sessions')
      const other = body.items.find(({ current }: { current: boolean }) => !current)
      assert.equal((await there('DELETE', `/admin/sessions/${other.id}`)).status, 204)
      assert.equal((await here('GET', '/admin/me')).status, 401)
      assert.equal((await owner('PATCH', `/admin/users/${ann.id}`, { disabled: true })).status, 200)
      assert.equal((await there('GET', '/admin/me')).status, 401)
    })

    test('a role that one process changed or took is another one in the other, for sessions, tokens and keys', async () => {
      const robot = await account({ role: 'manager', project: 'research' })
      assert.equal((await robot.there('POST', '/admin/keys', { name: 'k', project: 'research' })).status, 201)
      const made = await robot.there('POST', '/admin/keys', { name: 'own', project: 'research', user: robot.id })
      assert.deepEqual(await modelsAt(two, made.body.key), [200, 200])
      const [member] = (await owner('GET', `/admin/members?user=${robot.id}`)).body.items
      assert.equal((await owner('PATCH', `/admin/members/${member.id}`, { role: 'auditor' })).status, 200)
      assert.equal((await robot.there('POST', '/admin/keys', { name: 'k', project: 'research' })).status, 403)
      assert.equal((await owner('DELETE', `/admin/members/${member.id}`)).status, 204)
      assert.equal((await robot.there('GET', '/admin/usage')).status, 403)
      await until(async () => (await modelsAt(two, made.body.key)).every((status) => status === 401))
    })

    test('tokens and keys of an account that one process disabled are refused by the other', async () => {
      const robot = await account({ role: 'member', project: 'research' })
      const { body } = await robot.there('POST', '/admin/keys', { name: 'k', project: 'research' })
      assert.deepEqual(await modelsAt(two, body.key), [200, 200])
      assert.equal((await owner('PATCH', `/admin/users/${robot.id}`, { disabled: true })).status, 200)
      assert.equal((await robot.there('GET', '/admin/me')).status, 401)
      await until(async () => (await modelsAt(two, body.key)).every((status) => status === 401))
    })

    test('a token of a service account that one process revoked is refused by the other, and its other tokens are not', async () => {
      const robot = await account({ role: 'member', project: 'research' })
      const { body: second } = await owner('POST', `/admin/users/${robot.id}/tokens`, { name: 'second' })
      const there = clientOf(two, { authorization: `Bearer ${second.token}` })
      assert.equal((await there('GET', '/admin/me')).status, 200)
      assert.equal((await owner('DELETE', `/admin/users/${robot.id}/tokens/${second.id}`)).status, 204)
      assert.equal((await there('GET', '/admin/me')).status, 401)
      assert.equal((await robot.there('GET', '/admin/me')).status, 200)
    })

    test('a person whom one process has signed out everywhere has to sign in again in the other', async () => {
      const bob = await person('bob@example.com')
      const there = await bob.signIn(two)
      assert.equal((await owner('DELETE', `/admin/users/${bob.id}/sessions`)).status, 204)
      assert.equal((await there('GET', '/admin/me')).status, 401)
      assert.equal((await (await bob.signIn(two))('GET', '/admin/me')).status, 200)
    })

    test('a token of an issuer is refused by all workers while its user is disabled', async () => {
      await account({ role: 'member', project: 'research' })
      const cleo = await person('cleo@example.com')
      const db = await openDatabase({ dataDir: env.DATA_DIR, databaseUrl: env.DATABASE_URL })
      const sql = "UPDATE users SET issuer = $1, subject = 'cleo', updated_at = now_ms() WHERE id = $2 RETURNING id"
      await db.query(sql, [issuer.url, cleo.id])
      await db.close()
      const token = issuer.token({ sub: 'cleo' })
      const allAnswer = async (wanted: number) => (await modelsAt(two, token)).every((status) => status === wanted)
      await until(() => allAnswer(200))
      assert.equal((await owner('PATCH', `/admin/users/${cleo.id}`, { disabled: true })).status, 200)
      await until(() => allAnswer(401))
      assert.equal((await owner('PATCH', `/admin/users/${cleo.id}`, { disabled: false })).status, 200)
      await until(() => allAnswer(200))
    })

    test('both write into one chain of the audit log at the same time, and it verifies', async () => {
      const writers = [operator(one), operator(two)]
      const created = await Promise.all(
        Array.from({ length: 24 }, (_, index) =>
          writers[index % 2]!('POST', '/admin/users', { name: `robot ${index}` }),
        ),
      )
      const ids = created.map(({ body }) => `user:${body.id}`)
      const { stderr, code } = await runHere(['audit', 'verify'], env)
      assert.match(`${code} ${stderr}`, /^0 \d+ rows, \d+ checkpoints, no fault/)
      const lines = await exported()
      assert.deepEqual(
        lines.map(({ seq }) => seq),
        lines.map((_, index) => index + 1),
        'no row is missing',
      )
      const noted = new Set(lines.map(({ object }) => object))
      assert.deepEqual(
        ids.filter((id) => !noted.has(id)),
        [],
      )
    })

    async function started(more: Record<string, string> = {}): Promise<GatewayProcess> {
      const started = await startProcess({ ...env, ...more })
      closing.defer(async () => void (await started.stop()))
      return started
    }

    function logLines(): string {
      const lines = `${one.output()}\n${two.output()}`.split('\n')
      return lines.filter((line) => line.startsWith('{')).join('\n')
    }

    async function person(email: string) {
      const { body } = await owner('POST', '/admin/invitations', { email, role: 'member' })
      const answer = { token: body.token, name: email, password: PASSWORD }
      const accepted = await clientOf(one)('POST', '/admin/invitations/accept', answer)
      const signIn = async (at: GatewayProcess) =>
        clientOf(at, { cookie: cookieIn(await clientOf(at)('POST', '/admin/sessions', { email, password: PASSWORD })) })
      return { id: accepted.body.id as string, signIn }
    }

    /** Made at one process; its client asks the other one. */
    async function account(role: object) {
      await operator(one)('POST', '/admin/keys', { name: 'first', owner: 'research' })
      const { body } = await owner('POST', '/admin/users', { name: 'robot', ...role })
      const { token } = (await owner('POST', `/admin/users/${body.id}/tokens`, { name: 't' })).body
      return { id: body.id as string, there: clientOf(two, { authorization: `Bearer ${token}` }) }
    }

    async function exported(): Promise<{ seq: number; object: string }[]> {
      const { body } = await operator(one)('GET', '/admin/audit?format=jsonl')
      return String(body)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    }
  })

/** What each of the two workers answers. Every request has a connection of its own, and its id begins with that of its process. */
async function modelsAt({ url }: GatewayProcess, key: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  const statuses = new Map<string, number>()
  await until(async () => {
    const answer = await fetch(`${url}/v3/models`, { headers })
    await answer.body?.cancel()
    statuses.set(answer.headers.get('x-request-id')!.slice(0, ID_OF_PROCESS), answer.status)
    return statuses.size === 2
  })
  return [...statuses.values()]
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + HANGS_MS
  while (!(await isTrue())) {
    assert.ok(performance.now() < end, 'it took too long')
    await sleep(50)
  }
}
