import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { answer, failure } from '../../fakes/behaviours.ts'
import { type Postgres, startPostgres } from '../../fakes/postgres.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import {
  gatehouse,
  type GatewayProcess,
  lineWith,
  runHere,
  startChild,
  startFirst,
  temporaryFolder,
} from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'

// Two machines on one PostgreSQL database: two real processes, each with a data folder of its own.

const NEW_KEY = 'a new encryption key of thirty-two characters or more'.replaceAll(' ', '-')
const LOOK_AGAIN_MS = 100

type Targets = {
  process: string
  circuits: { model: string; process: string; open_owners: number; for_everyone: string }[]
  observed: { model: string; samples: number }[]
}

const postgres = await startPostgres()

describe('two machines on one database', { skip: 'skip' in postgres ? postgres.skip : false }, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let provider: FakeProvider
  let one: GatewayProcess
  let two: GatewayProcess
  let key: string
  before(async () => {
    folder = await temporaryFolder()
    provider = await startFakeProvider()
    one = await startFirst(settings('one'))
    key = (await readFile(join(folder.path, 'one', 'encryption-key'), 'utf8')).trim()
  })
  after(async () => {
    for (const process of [one, two]) process?.child.kill('SIGKILL')
    await provider.close()
    await folder.remove()
    if ('stop' in postgres) await postgres.stop()
  })

  test('a machine without the encryption key, or with another, is refused in one sentence', async () => {
    for (const wrong of [undefined, { GATEHOUSE_ENCRYPTION_KEY: NEW_KEY }]) {
      const { code, stderr, stdout } = await gatehouse(['serve'], settings('two', wrong))
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(
        stderr,
        /^gatehouse: GATEHOUSE_ENCRYPTION_KEY: the database was set up with another encryption key[^\n]*\n$/,
      )
    }
    assert.ok(!existsSync(join(folder.path, 'two', 'encryption-key')))
  })

  test('a machine with a blob folder of its own is refused, and told what to configure', async () => {
    const { code, stderr } = await gatehouse(['serve'], settings('two', { GATEHOUSE_ENCRYPTION_KEY: key }))
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^gatehouse: This process keeps files in a local folder [^\n]*BLOB_URL[^\n]*shared folder[^\n]*\n$/,
    )
  })

  test('with the key and a shared folder it starts, and what one signs or stores the other knows', async () => {
    await shareBlobs('three')
    two = await startFirst(settings('three', { GATEHOUSE_ENCRYPTION_KEY: key }))
    assert.equal(await publicKeyOf(two), await publicKeyOf(one))
    const { file_id: id } = await taskClient(one.url).store('shared bytes', 'shared.txt')
    const image = { model: 'sandbox/image', prompt: 'a gate', response_format: 'url' }
    const { body } = await taskClient(one.url).post<{ data: { url: string }[] }>('/v3/images/generations', image)
    const link = new URL(body.data[0]!.url)
    const [{ status }, stored] = await Promise.all([
      fetch(two.url + link.pathname + link.search),
      taskClient(two.url).get(`/v3/upload/${id}`),
    ])
    assert.deepEqual([status, stored.status], [200, 200])
  })

  test('a webhook key that is replaced is in use by both, without a restart', async () => {
    const before = await publicKeyOf(one)
    const { stdout, code, stderr } = await runHere(['webhook-key', 'rotate'], settings('one'))
    assert.equal(code, 0, stderr)
    assert.notEqual(stdout, before)
    for (const process of [one, two]) await until(async () => (await publicKeyOf(process)) === stdout)
  })

  test('a circuit that opened on one machine is open on the other, for the same owner only', async () => {
    provider.always(failure(500))
    while ((await chat(one)) !== 503);
    const { process } = await targetsOf(one)
    await until(async () => (await targetsOf(two)).circuits.length > 0)
    const [circuit] = (await targetsOf(two)).circuits
    assert.deepEqual(
      [circuit!.model, circuit!.process, circuit!.open_owners, circuit!.for_everyone],
      ['openai/gpt-4o', process, 1, 'closed'],
    )
    const asked = provider.requests.length
    assert.equal(await chat(two), 503)
    assert.equal(provider.requests.length, asked)
    provider.always(answer())
    const { key: other } = await adminClient(two.adminUrl).issue({ owner: 'another' })
    assert.equal(await chat(two, other), 200)
  })

  test('operators see where the configurations of the machines differ', async () => {
    await until(async () => (await configOf(one)).processes.length === 2)
    const { differences } = await configOf(one)
    const names = differences.map(({ name }) => name)
    assert.ok(names.includes('dataDir') && names.includes('encryptionKeys'), names.join())
    assert.ok(!names.includes('databaseUrl') && !names.includes('store.linkSecret'), names.join())
    assert.ok(!JSON.stringify(differences).includes(key))
  })

  test('what one machine has observed counts on the other', async () => {
    const { key: third } = await adminClient(one.adminUrl).issue({ owner: 'third' })
    for (let time = 0; time < 20; time++) assert.equal(await chat(one, third), 200)
    await until(async () => ((await targetsOf(two)).observed[0]?.samples ?? 0) >= 20)
  })

  test('a machine with a webhook key of its own is noticed', async () => {
    const file = join(folder.path, 'own-key.pem')
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
    await shareBlobs('four')
    const env = { ...settings('four'), GATEHOUSE_ENCRYPTION_KEY: key, WEBHOOK_PRIVATE_KEY_FILE: file }
    const other = await startGateway({ env, dataDir: join(folder.path, 'four') })
    await until(async () => other.logs().includes('another process signs webhooks with a different key'))
    await lineWith(one.child, one.output, 'another process signs webhooks with a different key')
    await other.close()
  })

  test('after both were killed, a machine with another folder starts, and warns how many blobs are missing', async () => {
    for (const process of [one, two]) process.child.kill('SIGKILL')
    await Promise.all([one.ended, two.ended])
    const { child, output } = startChild(settings('five', { GATEHOUSE_ENCRYPTION_KEY: key }))
    after(() => child.kill('SIGKILL'))
    const line = await lineWith(child, output, 'stored files are missing')
    const { missing, stored } = JSON.parse(line)
    assert.deepEqual([missing, stored], [2, 2])
    await lineWith(child, output, '"listening"')
    child.kill('SIGKILL')
  })

  test('NEW,OLD changes the encryption key, and then the old one is refused', async () => {
    const before = await printedKey({ GATEHOUSE_ENCRYPTION_KEY: key })
    assert.deepEqual(await printedKey({ GATEHOUSE_ENCRYPTION_KEY: `${NEW_KEY}, ${key}` }), before)
    assert.deepEqual(await printedKey({ GATEHOUSE_ENCRYPTION_KEY: NEW_KEY }), before)
    const { code, stderr } = await runHere(['webhook-key'], settings('one', { GATEHOUSE_ENCRYPTION_KEY: key }))
    assert.deepEqual([code, /another encryption key/.test(stderr)], [1, true])
  })

  async function printedKey(env: Record<string, string>) {
    const { code, stdout } = await runHere(['webhook-key'], settings('one', env))
    return { code, stdout }
  }

  function settings(machine: string, more: Record<string, string> = {}) {
    return {
      DATA_DIR: join(folder.path, machine),
      DATABASE_URL: (postgres as Postgres).url,
      GATEHOUSE_API_KEY: API_KEY,
      GATEHOUSE_ADMIN_KEY: ADMIN_KEY,
      OPENAI_API_KEY: 'sk-x',
      OPENAI_BASE_URL: provider.url,
      ...more,
      PORT: '0',
      ADMIN_PORT: '0',
    }
  }

  /** As if the folder of the first machine were mounted there too. */
  async function shareBlobs(machine: string): Promise<void> {
    await mkdir(join(folder.path, machine), { mode: 0o700 })
    await symlink(join(folder.path, 'one', 'blobs'), join(folder.path, machine, 'blobs'))
  }
})

async function publicKeyOf({ url }: { url: string }): Promise<string> {
  return (await taskClient(url).get('/v3/webhooks/public-key')).text
}

async function targetsOf({ adminUrl }: { adminUrl: string }): Promise<Targets> {
  return (await adminClient(adminUrl).get<Targets>('/admin/targets')).body
}

type ConfigReport = { processes: string[]; differences: { name: string }[] }

async function configOf({ adminUrl }: { adminUrl: string }): Promise<ConfigReport> {
  return (await adminClient(adminUrl).get<ConfigReport>('/admin/config')).body
}

async function chat({ url }: { url: string }, key = API_KEY): Promise<number> {
  const body = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'x' }] }
  return (await taskClient(url, key).post('/v3/chat/completions', body)).status
}

/** The limit of the test ends this if it never happens. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(LOOK_AGAIN_MS)
}
