import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminClient } from '../../gateway/admin-client.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { someOf } from '../../soak/sample.ts'

// The end of a name (`model:cost@eu`) narrows what is asked. It never leads a key to a model that the key may not use otherwise.

const host = (usd: number) => ({
  dialect: 'openai',
  auth: { scheme: 'bearer', env: 'FAKE_API_KEY' },
  models: [{ id: 'shared', price: { input: usd, output: usd } }],
})
const config = {
  providers: { near: host(4), far: host(1) },
  regions: { near: ['eu'], far: ['us'] },
  aliases: {
    quick: { targets: [{ model: 'far/shared' }, { model: 'near/shared' }] },
    'w-*': { targets: [{ model: 'far/*' }] },
  },
}
const NAMES = ['shared', 'far/shared', 'near/shared', 'quick', 'w-shared']
const SUFFIXES = [
  '@eu',
  '@us',
  ':cost',
  ':exact',
  ':cost@us',
  '@us:cost',
  '@eu:speed',
  '@mars',
  '@EU',
  '@eu@us',
  ':cost:cost',
  '@',
  ':',
]
const IN_EU = ['@eu', '@eu:speed']
const IN_US = ['@us', ':cost@us', '@us:cost']
/** What each key may reach: its options, and the hosts that may answer. */
const KEYS: [options: object, hosts: string[]][] = [
  [{}, ['near', 'far']],
  [{ region: 'eu' }, ['near']],
  [{ region: 'us' }, ['far']],
  [{ scopes: ['model:far/*'] }, ['far']],
  [{ scopes: ['model:near/shared'] }, ['near']],
  [{ scopes: ['model:near/shared'], region: 'us' }, []],
  [{ scopes: ['model:shared@us'] }, []],
  [{ policy: { models: ['near/*'] } }, ['near']],
]

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway({}, {}, { config })
})
after(() => scene.close())

test('a suffix never leads to a model that the key may not use, or into another region', async () => {
  let turn = 0
  for (const [options, hosts] of KEYS) {
    const { key } = await adminClient(scene.gateway.adminUrl).issue(options)
    const reached = new Set<string>()
    for (const name of NAMES) {
      // The bare name, and some of the ends.
      for (const suffix of ['', ...someOf(SUFFIXES, turn++, 4)]) {
        const model = name + suffix
        for (const body of [{ model }, { model: '@service', router_candidates: [model] }]) {
          const response = await scene.chat(body, { authorization: `Bearer ${key}` })
          const { provider, error } = (await response.json()) as { provider?: string; error?: { code: string } }
          const about = `${JSON.stringify(options)} ${JSON.stringify(body)} ${provider ?? error?.code}`
          if (!response.ok)
            assert.ok([400, 403, 404, 422, 451].includes(response.status), `${about} ${response.status}`)
          else assert.ok(hosts.includes(provider!), about)
          if (response.ok && IN_EU.includes(suffix)) assert.equal(provider, 'near', about)
          if (response.ok && IN_US.includes(suffix)) assert.equal(provider, 'far', about)
          if (response.ok) reached.add(provider!)
        }
      }
    }
    assert.deepEqual([...reached].sort(), hosts.toSorted(), `${JSON.stringify(options)} reaches what it may`)
  }
})
