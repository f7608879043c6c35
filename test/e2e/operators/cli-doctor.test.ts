import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { checkClock, compareClocks } from '../../../src/cli/doctor/check-clock.ts'
import { checkSchema } from '../../../src/cli/doctor/check-database.ts'
import { freePort } from '../../../src/platform/net/free-port.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { migrate } from '../../../src/platform/store/migrations.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { runHere, temporaryFolder } from '../../gateway/gateway-process.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

const FREE = { PORT: '0', ADMIN_PORT: '0' }

describe('gatehouse doctor', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder.remove())

  test('a new installation is fine, and nothing is created', async () => {
    const { code, stdout } = await examine('new', FREE)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^ok +disk +\S+\/new will be created, \d+ MB free$/m)
    assert.match(stdout, /^ok +database +The first start creates the embedded database/m)
    assert.match(stdout, /^warning +providers +No provider has a credential\.\n +Set the key of a provider/m)
    assert.match(stdout, /\n\d ok, 1 warning, 0 failed\n$/)
    assert.match((await examine('new', FREE)).stdout, /will be created/)
  })

  test('a wrong config is the only finding that counts, and says what to do', async () => {
    const file = join(folder.path, 'wrong.yaml')
    await writeFile(file, 'prot: canary\n')
    const { code, stdout } = await examine('config', { GATEHOUSE_CONFIG: file })
    assert.equal(code, 1)
    assert.match(
      stdout,
      /^failed +config +prot: no such setting\. Did you mean port\? \(in \S+wrong\.yaml\)\n +Correct it first/m,
    )
    assert.doesNotMatch(stdout, /canary|database/)
  })

  test('what only a start reads is checked too: networks and the certificate', async () => {
    const rows: [Record<string, string>, RegExp][] = [
      [{ TRUSTED_PROXIES: '10.0.0.0/8,garbage' }, /^failed +config +TRUSTED_PROXIES: "garbage" is not a network/m],
      [{ ALLOW_NETWORKS: '10.0.0.1/8' }, /^failed +config +ALLOW_NETWORKS: "10.0.0.1\/8" is an address inside/m],
      [{ TLS_CERT_FILE: '/no/cert', TLS_KEY_FILE: '/no/key' }, /^failed +config +TLS_CERT_FILE: .* cannot be read/m],
    ]
    for (const [variables, words] of rows) {
      const { code, stdout } = await examine('networks', { ...FREE, ...variables })
      assert.equal(code, 1)
      assert.match(stdout, words)
    }
  })

  test('variables that nothing reads are named with the one that was meant', async () => {
    const typos = {
      OPENAI_APIKEY: 'canary',
      GATEHOUSE_ADMINKEY: 'canary',
      GATEHOUSE_ZEBRA: 'canary',
      OTHER: 'x',
      http_proxy: '',
    }
    const { code, stdout } = await examine('variables', { ...FREE, ...typos })
    assert.equal(code, 0)
    assert.match(stdout, /OPENAI_APIKEY is set, but nothing reads it\.\n +Did you mean OPENAI_API_KEY\?/)
    assert.match(stdout, /GATEHOUSE_ADMINKEY is set, but nothing reads it\.\n +Did you mean GATEHOUSE_ADMIN_KEY\?/)
    assert.match(stdout, /GATEHOUSE_ZEBRA is set, but nothing reads it\.\n +docs\/settings\.md/)
    assert.doesNotMatch(stdout, /canary|OTHER|http_proxy/)
  })

  test('a target or a fallback of an alias that no provider serves is named with what was meant', async () => {
    const file = join(folder.path, 'aliases.yaml')
    const fine = 'fine: { targets: [{ model: sandbox/echo }], fallbacks: [openai/brand-new, other] }'
    const typos = 'other: { targets: [{ model: opnai/gpt-4o-mini }], fallbacks: [sandbox/ecko] }'
    await writeFile(file, `aliases:\n  ${fine}\n  ${typos}\n`)
    const { code, stdout } = await examine('aliases', { ...FREE, GATEHOUSE_CONFIG: file })
    const named = [
      ...stdout.matchAll(/^warning +aliases +The alias (\S+) names a model that does not exist\.\n +(.*?\?)/gm),
    ]
    assert.deepEqual([code, named.map(([, alias]) => alias)], [0, ['other', 'other']])
    assert.match(named[0]![2]!, /^There is no model 'opnai\/gpt-4o-mini'\. Did you mean openai\/gpt-4o-mini/)
    assert.match(named[1]![2]!, /^There is no model 'sandbox\/ecko'\. Did you mean sandbox\/echo/)
  })

  test('a schema that is older, newer, or in a damaged file', async () => {
    const data = join(folder.path, 'schema')
    await mkdir(data, { mode: 0o755 })
    const db = await openDatabase({ dataDir: data })
    await migrate(db)
    const { state, text, advice } = checkSchema(db, { present: 3, known: 5 })
    assert.deepEqual([state, text], ['warning', 'SQLite has schema 3, this version uses 5.'])
    assert.match(advice!, /^The next start updates it/)
    assert.match((await examine('schema', FREE)).stdout, /^ok +database +SQLite, schema 1$/m)
    assert.match(
      (await examine('schema', FREE)).stdout,
      /^warning +disk +Other users may look into .*\n +Run: chmod 700 /m,
    )
    await db.query('INSERT INTO schema_migrations (number, applied_at) VALUES (9000, 0)')
    const newer = await examine('schema', FREE)
    assert.deepEqual([newer.code, /^failed +database +SQLite has schema 9000/m.test(newer.stdout)], [1, true])
    await db.close()
    await mkdir(join(folder.path, 'damaged'))
    await writeFile(join(folder.path, 'damaged', 'gatehouse.db'), 'no database at all'.repeat(100))
    const damaged = await examine('damaged', FREE)
    assert.match(damaged.stdout, /^failed +database +.*is damaged .*restore it from a backup/m)
    assert.equal(new DatabaseSync(join(data, 'gatehouse.db')).close(), undefined)
  })

  test('PostgreSQL: reachable with its clock, wrong user, wrong name, no server', async (t) => {
    const { skip, emptyStore } = (await storeKinds()).find(({ name }) => name === 'PostgreSQL')!
    if (skip) return t.skip(skip)
    const store = await emptyStore()
    t.after(store.remove)
    const url = new URL(store.databaseUrl!)
    const fine = await examine('postgres', { ...FREE, DATABASE_URL: url.href })
    assert.match(fine.stdout, /^ok +database +PostgreSQL is empty; the first start sets it up$/m)
    assert.match(fine.stdout, /^ok +clock +The clock of the database differs by \d\.\d s\.$/m)
    const db = await store.open()
    await db.query(`DROP ROLE IF EXISTS guest_of_the_tests`)
    await db.query(`CREATE ROLE guest_of_the_tests LOGIN`)
    await db.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC')
    await db.close()
    url.username = 'guest_of_the_tests'
    const guest = await runHere(['migrate'], { DATA_DIR: join(folder.path, 'guest'), DATABASE_URL: url.href })
    assert.equal(guest.code, 1)
    assert.match(
      guest.stderr,
      /^gatehouse: The user in DATABASE_URL has not the rights .* \(42501\)\. Let it own the database, or run: GRANT/,
    )
    url.username = 'stranger'
    url.password = 'canary'
    const stranger = await examine('postgres', { ...FREE, DATABASE_URL: url.href })
    assert.equal(stranger.code, 1)
    assert.match(stranger.stdout, /refuses the credentials in DATABASE_URL \(28\w+\)\. Check the user and the password/)
    assert.doesNotMatch(stranger.stdout, /canary/)
    url.username = new URL(store.databaseUrl!).username
    url.pathname = 'nothing'
    assert.match(
      (await examine('postgres', { ...FREE, DATABASE_URL: url.href })).stdout,
      /does not exist \(3D000\)\. Create it/,
    )
    const gone = await examine('postgres', { ...FREE, DATABASE_URL: 'postgres://user:canary@127.0.0.1:1/x' })
    assert.match(
      gone.stdout,
      /not reachable \(ECONNREFUSED\)\. Check the host.*\n +Check DATABASE_URL \(postgres:\/\/\*\*\*@127\.0\.0\.1:1\/x\)/,
    )
    assert.doesNotMatch(gone.stdout, /canary/)
  })

  test('a port is free, a gateway runs there, or another program does', async (t) => {
    const gateway = await startGateway()
    t.after(() => gateway.close())
    const look = async () => (await examine('ports', { PORT: new URL(gateway.url).port, ADMIN_PORT: '0' })).stdout
    let running = await look()
    // A gateway on a busy machine may be too slow for the doctor, but not every time.
    for (let tries = 1; tries < 5 && !running.includes('a gateway runs'); tries++) running = await look()
    assert.match(running, /^ok +port +a gateway runs at 127\.0\.0\.1:\d+$/m)
    const other = createServer((_, response) => response.end('hello'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    t.after(() => other.close())
    const { port } = other.address() as { port: number }
    const taken = await examine('ports', { PORT: '0', ADMIN_PORT: String(port) })
    assert.equal(taken.code, 1)
    assert.match(taken.stdout, /is used by another program\.\n +Set ADMIN_HOST and ADMIN_PORT to/)
  })

  test('providers are called on request: accepted, refused, unreachable', async (t) => {
    const server = createServer(({ headers, url }, response) => {
      const isKnown = headers.authorization === 'Bearer sk-right'
      if (url?.startsWith('/late')) response.setHeader('date', new Date(Date.now() - HOUR_MS).toUTCString())
      response.writeHead(url?.startsWith('/none') ? 404 : isKnown ? 200 : 401).end('{"data":[]}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const base = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    const closed = `http://127.0.0.1:${await freePort('127.0.0.1', 0)}`
    const environment = {
      OPENAI_API_KEY: 'sk-right,sk-canary',
      OPENAI_BASE_URL: `${base}/v1`,
      MISTRAL_API_KEY: 'sk-right',
      MISTRAL_BASE_URL: `${base}/late`,
      GROQ_API_KEY: 'sk-canary',
      GROQ_BASE_URL: `${base}/none`,
      DEEPSEEK_API_KEY: 'sk-canary',
      DEEPSEEK_BASE_URL: closed,
      XAI_API_KEY: 'sk-canary',
      XAI_BASE_URL: 'https://no-such-name.invalid/v1',
      TOGETHER_API_KEY: 'sk-canary',
      TOGETHER_BASE_URL: base.replace('http:', 'https:'),
      OLLAMA_BASE_URL: closed,
    }
    const quiet = await examine('providers', { ...FREE, ...environment })
    assert.equal(quiet.code, 0)
    assert.match(quiet.stdout, /^ok +providers +configured: .*openai.*\. Add --providers to call them\.$/m)
    const { code, stdout } = await examine('providers', { ...FREE, ...environment }, '--providers')
    assert.equal(code, 1)
    for (const words of [
      /^ok +provider +openai at http:\S+\/v1 answers and accepts the credential \(credential 1 of 2\)$/m,
      /^failed +provider +openai at \S+ refuses the credential \(credential 2 of 2\) \(401\)\.\n +Check OPENAI_API_KEY:/m,
      /^ok +provider +mistral at \S+ answers and accepts the credential$/m,
      /^failed +clock +The clock of mistral differs by 3\d{3}\.\d s\.\n +Synchronize/m,
      /^ok +provider +groq at \S+ answers \(404\); that does not check the credential$/m,
      /^failed +provider +deepseek at http:\/\/127\.0\.0\.1:\d+ cannot be reached: .* \(ECONNREFUSED\)\.\n +Check that the server runs, and its port\. Its address is set with DEEPSEEK_BASE_URL\./m,
      /^failed +provider +xai at https:\/\/no-such-name\.invalid\/v1 cannot be reached: .*\n +Check the name/m,
      /^failed +provider +together at https:\S+ cannot be reached: .*\n +Check the address \(https or http\)/m,
      /^failed +provider +ollama at http:\S+ cannot be reached/m,
    ])
      assert.match(stdout, words)
    assert.doesNotMatch(stdout, /canary|sk-right|vllm/)
  })

  function examine(data: string, environment: Record<string, string>, ...flags: string[]) {
    return runHere(['doctor', ...flags], { DATA_DIR: join(folder.path, data), ...environment })
  }
})

test('a clock that is off is a warning, and one that is far off a failure', () => {
  assert.equal(checkClock(Date.UTC(1999, 0)).state, 'failed')
  assert.equal(checkClock(Date.UTC(2030, 0)).state, 'ok')
  const states = [0, 4_000, -30_000, 90_000].map(
    (difference) => compareClocks('x', 1_000_000 + difference, 1_000_000).state,
  )
  assert.deepEqual(states, ['ok', 'ok', 'warning', 'failed'])
})
