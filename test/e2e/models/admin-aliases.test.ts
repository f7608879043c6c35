import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AliasBody, AliasList } from '../../../src/contract/admin/aliases.ts'
import { insertAlias } from '../../../src/platform/store/installation/aliases.ts'
import { answer } from '../../fakes/behaviours.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { runHere } from '../../gateway/gateway-process.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'

type Explained = { resolved: { how: string }[]; targets: { model: string; credential?: string }[] }

const LOOK_AGAIN_MS = 200
const TARGETS = [{ model: 'fake/one' }]

for (const kind of await storeKinds()) {
  // Two gateways on one store, as two machines would be.
  describe(`aliases of the admin API on ${kind.name}`, { skip: kind.skip }, async () => {
    if (kind.skip) return
    const fake = await startFakeProvider()
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-aliases-'))
    const file = join(folder, 'gatehouse.config.json')
    await writeFile(file, JSON.stringify(configAt(fake.url)))
    const store = await kind.newStore()
    const env = {
      GATEHOUSE_CONFIG: file,
      FAKE_API_KEY: 'k',
      OPENAI_API_KEY: 'sk-x',
      LOG_LEVEL: 'info',
      GATEHOUSE_ENCRYPTION_KEY: 'an encryption key of thirty-two characters'.replaceAll(' ', '-'),
      ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
    }
    const dataDir = join(folder, 'data')
    const here = await startGateway({ env, dataDir })
    const there = await startGateway({ env, dataDir })
    const admin = adminClient(here.adminUrl)
    after(async () => {
      const ends = await Promise.allSettled([here.close(), there.close(), fake.close()])
      await store.remove()
      await rm(folder, { recursive: true })
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    })
    beforeEach(() => {
      fake.reset()
      fake.always(answer())
    })

    test('one in the store that is not valid any more names itself and the field in the error', async () => {
      const { db, refreshAliases } = here.gateway.services.tenants
      const wrong: [string, object, RegExp][] = [
        [
          'odd-default',
          { targets: TARGETS, defaults: { temperature: 'hot' } },
          /'odd-default' is not valid: defaults\.temperature: /,
        ],
        ['odd-shape', { targets: 'fake/one' }, /'odd-shape' is not valid: targets: /],
      ]
      for (const [name, settings, message] of wrong) {
        await insertAlias(db, name, JSON.stringify(settings), 1_000)
        await refreshAliases()
        const refused = await chatClient(here.url).whole({ model: name, ...HELLO })
        const { code, message: said } = refused.failure.error
        assert.deepEqual([refused.status, code, message.test(said)], [424, 'alias_not_valid', true], said)
        assert.equal((await admin.delete(`/admin/aliases/${name}`)).status, 204)
      }
      assert.equal(fake.requests.length, 0)
    })

    test('the command `explain` knows the aliases, credentials and catalog of the store', async () => {
      const targets = [{ model: 'mistral/mistral-small-latest', credential: 'of-the-store' }]
      const secret = 'a-secret-of-the-store'
      const stored = await admin.post<{ id: string }>('/admin/credentials', {
        provider: 'mistral',
        name: 'of-the-store',
        secret,
      })
      assert.equal(stored.status, 201, stored.text)
      assert.equal((await admin.post('/admin/aliases', { name: 'for-the-command', targets })).status, 201)
      const body = join(folder, 'body.json')
      await writeFile(body, JSON.stringify({ model: 'for-the-command', ...HELLO }))
      const environment = { ...env, DATA_DIR: dataDir }
      const { code, stdout, stderr } = await runHere(['explain', body], environment)
      assert.equal(code, 0, stderr)
      const { resolved, targets: explained } = JSON.parse(stdout) as Explained
      assert.deepEqual([resolved[0]?.how, explained[0]?.model], ['alias', 'mistral/mistral-small-latest'])
      assert.deepEqual([explained[0]?.credential, stdout.includes(secret)], ['of-the-store', false])
      const elsewhere = join(folder, 'no-store-yet')
      const without = await runHere(['explain', body], { ...environment, DATABASE_URL: '', DATA_DIR: elsewhere })
      assert.deepEqual([without.code === 0, existsSync(elsewhere)], [false, false], without.stdout)
      await admin.delete('/admin/aliases/for-the-command')
      await admin.delete(`/admin/credentials/${stored.body.id}`)
    })

    test('one that is made here works here at once and there soon, and so does every change', async () => {
      const made = await admin.post<AliasBody>('/admin/aliases', {
        name: 'team/fast',
        targets: [{ model: 'fake/one', weight: 2 }],
        timeouts: { total_ms: 60_000 },
        defaults: { temperature: 0 },
      })
      assert.equal(made.status, 201, made.text)
      assert.equal(made.body.owned_by, 'api')
      assert.equal(await answering(here.url, 'team/fast'), 'fake/one')
      await until(async () => (await answering(there.url, 'team/fast')) === 'fake/one')
      const changed = await admin.patch<AliasBody>('/admin/aliases/team%2Ffast', {
        targets: [{ model: 'fake/two' }],
        timeouts: null,
      })
      assert.deepEqual(
        [changed.status, changed.body.timeouts, changed.body.defaults],
        [200, undefined, { temperature: 0 }],
      )
      assert.equal(await answering(here.url, 'team/fast'), 'fake/two')
      assert.equal((await admin.delete('/admin/aliases/team/fast')).status, 204)
      assert.equal(await answering(here.url, 'team/fast'), 404)
      await until(async () => (await answering(there.url, 'team/fast')) === 404)
    })

    test('a reload of the file keeps them, and a restart has them from its first request', async () => {
      await admin.post('/admin/aliases', { name: 'kept', targets: TARGETS })
      assert.equal((await admin.post('/admin/config/reload', {})).status, 200)
      assert.equal(await answering(here.url, 'kept'), 'fake/one')
      const restarted = await startGateway({ env, dataDir })
      assert.equal(await answering(restarted.url, 'kept'), 'fake/one')
      await restarted.close()
    })

    test('those of the file are listed and cannot be changed; unknown and taken names are refused', async () => {
      const { body } = await admin.get<AliasList>('/admin/aliases?limit=1')
      assert.equal(body.items.length, 1)
      const rest = await admin.get<AliasList>(`/admin/aliases?cursor=${body.next_cursor}`)
      const names = [...body.items, ...rest.body.items].map(({ name, owned_by }) => `${name} ${owned_by}`)
      assert.deepEqual(names, ['kept api', 'of-file file'])
      const taken = { name: 'of-file', targets: TARGETS }
      const refusals = [
        await admin.post<Refusal>('/admin/aliases', taken),
        await admin.patch<Refusal>('/admin/aliases/of-file', { hidden: true }),
        await admin.delete('/admin/aliases/of-file'),
        await admin.post<Refusal>('/admin/aliases', { ...taken, name: 'kept' }),
      ]
      assert.deepEqual(
        refusals.map(({ status }) => status),
        [409, 409, 409, 409],
      )
      assert.match(refusals[0]!.body.error.message, /in the config file/)
      assert.equal((await admin.delete('/admin/aliases/unknown')).status, 404)
      assert.equal((await admin.patch('/admin/aliases/unknown', {})).status, 404)
      assert.equal((await admin.get('/admin/aliases/unknown')).status, 404)
    })

    test('what could not work is refused with its place, and no credential goes to a host of the caller’s choice', async () => {
      for (const [body, place] of [
        [{ name: 'x', targets: [] }, 'targets'],
        [{ name: '@x', targets: TARGETS }, ''],
        [{ name: 'x', targets: TARGETS, fallbacks: ['x'] }, 'fallbacks'],
        [{ name: 'x', targets: TARGETS, retries: 6 }, 'retries'],
        [{ name: 'x', targets: [{ model: 'openai/a', base_url: 'https://evil.example/v1' }] }, 'targets'],
        [{ name: 'x', targets: [{ model: 'fake/a', base_url: 'http://u:p@127.0.0.1/v1' }] }, 'targets'],
        [{ name: 'x', targets: TARGETS, wat: 1 }, 'wat'],
        [{ name: 'x', targets: [{ model: 'fake/a', credential: 'unknown' }] }, 'targets'],
      ] as const) {
        const { status, body: refusal } = await admin.post<Refusal>('/admin/aliases', body)
        assert.deepEqual([status, refusal.detail[0]!.loc[1] ?? ''], [422, place], JSON.stringify(body))
      }
      const own = [{ model: 'open/a', base_url: fake.url }]
      assert.equal((await admin.post('/admin/aliases', { name: 'no-credential', targets: own })).status, 201)
      assert.equal(await answering(here.url, 'no-credential'), 'open/a')
      // The provider gets a credential later: from then on, nothing is sent to that host.
      const { providers, ...rest } = configAt(fake.url)
      const open = { ...providers.open, auth: { scheme: 'bearer', env: 'FAKE_API_KEY' } }
      await writeFile(file, JSON.stringify({ providers: { ...providers, open }, ...rest }))
      assert.equal((await admin.post('/admin/config/reload', {})).status, 200)
      fake.requests.length = 0
      assert.deepEqual([await answering(here.url, 'no-credential'), fake.requests.length], [404, 0])
      assert.equal((await admin.delete('/admin/aliases/no-credential')).status, 204)
    })
  })
}

function configAt(baseUrl: string) {
  const auth = { scheme: 'bearer', env: 'FAKE_API_KEY' }
  return {
    providers: {
      fake: { dialect: 'openai', baseUrl, auth },
      open: { dialect: 'openai', baseUrl: 'http://127.0.0.1:1/v1' },
    },
    aliases: { 'of-file': { targets: TARGETS } },
  }
}

/** The model that answers, or the status of the error. */
async function answering(url: string, model: string): Promise<string | number> {
  const { status, completion } = await chatClient(url).whole({ model, ...HELLO })
  return status === 200 ? completion.model : status
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(LOOK_AGAIN_MS)
}
