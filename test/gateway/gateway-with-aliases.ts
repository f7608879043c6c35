import { after, beforeEach } from 'node:test'
import { answer } from '../fakes/behaviours.ts'
import { startFakeProvider } from '../fakes/provider.ts'
import { openGateway } from '../rehearse/open-gateway.ts'
import { adminClient } from './admin-client.ts'
import { HELLO } from './chat-client.ts'
import { API_KEY } from './gateway-under-test.ts'

const MODELS = ['one', 'two', 'alpha', 'beta', 'gpt-4o-mini'].map((id) => ({ id }))
const auth = { scheme: 'bearer', env: 'FAKE_API_KEY' }

/** A gateway with aliases of every kind, for the tests of one file. */
export async function gatewayWithAliases() {
  const [openai, fake] = [await startFakeProvider({ everyPath: true }), await startFakeProvider({ everyPath: true })]
  const { gateway, chat, close } = await openGateway({
    config: {
      providers: {
        fake: { dialect: 'openai', baseUrl: fake.url, auth, models: MODELS },
        strict: { dialect: 'openai', baseUrl: fake.url, auth, models: [{ id: 'known-model' }], strict: true },
        named: { dialect: 'openai', baseUrl: fake.url, auth },
        keyless: {
          dialect: 'openai',
          baseUrl: fake.url,
          auth: { scheme: 'bearer', env: 'NO_SUCH_KEY' },
          models: [{ id: 'gpt-4o-mini-2031-02-28' }, { id: 'gpt-99' }],
        },
        listed: { dialect: 'openai', baseUrl: fake.url, auth },
        europe: { dialect: 'openai', baseUrl: fake.url, auth, regions: ['global', 'eu'] },
      },
      credentials: {
        amazon: [{ name: 'ours', env: 'UNSET_AWS' }],
        listed: [
          { name: 'a', env: 'UNSET_A' },
          { name: 'b', env: 'UNSET_B' },
        ],
        named: [
          { name: 'first', env: 'FAKE_API_KEY' },
          { name: 'second', env: 'SECOND_KEY' },
        ],
      },
      aliases: {
        fast: { targets: [{ model: 'fake/one' }], fallbacks: ['second'], timeouts: { totalMs: 77_000 } },
        second: { targets: [{ model: 'openai/gpt-4o' }], defaults: { temperature: 0, top_p: 0.5 } },
        'gpt-4o': { targets: [{ model: 'gpt-4o' }], defaults: { seed: 7 } },
        weighted: { targets: [{ model: 'fake/one', weight: 3 }, { model: 'fake/two' }] },
        'team-*': { targets: [{ model: 'fake/*' }] },
        'team-a*': { targets: [{ model: 'openai/a*' }] },
        '*-eu': { targets: [{ model: 'europe/*' }] },
        secret: { targets: [{ model: 'fake/one' }], hidden: true },
        partly: { targets: [{ model: 'keyless/x' }, { model: 'europe/y' }, { model: 'openai/dall-e-3' }] },
        vectors: { targets: [{ model: 'openai/text-embedding-3-small' }], defaults: { dimensions: 3 } },
        pair: {
          targets: [
            { model: 'openai/text-embedding-3-small' },
            { model: 'azure/text-embedding-3-small', baseUrl: openai.url },
          ],
        },
        voice: { targets: [{ model: 'openai/tts-1' }] },
        judge: { targets: [{ model: 'openai/omni-moderation-latest' }] },
        bound: { targets: [{ model: 'named/a', credential: 'second' }] },
        drawer: {
          targets: [{ model: 'openai/gpt-image-2' }, { model: 'keyless/x' }],
          fallbacks: ['fake/drawn'],
          defaults: { quality: 'low' },
          hidden: true,
        },
        unset: { targets: [{ model: 'amazon/amazon.nova-lite-v1:0', region: 'eu-west-1' }], hidden: true },
        picture: { targets: [{ model: 'sandbox/image' }] },
        'openai/gpt-5': { targets: [{ model: 'fake/two' }] },
        deployed: {
          targets: [{ model: 'azure/gpt-4o', baseUrl: fake.url, deployment: 'our-own', apiVersion: '2024-10-21' }],
        },
        elsewhere: { targets: [{ model: 'openai/gpt-4o', baseUrl: `${fake.url}/other?code=hidden-code` }] },
      },
    },
    env: {
      OPENAI_BASE_URL: openai.url,
      OPENAI_API_KEY: 'sk-x',
      FAKE_API_KEY: 'fake-key',
      SECOND_KEY: 'second-key',
      AZURE_API_KEY: 'azure-key',
    },
  })
  after(async () => {
    await Promise.all([openai.close(), fake.close()])
    await close()
  })
  beforeEach(() => {
    for (const provider of [openai, fake]) {
      provider.reset()
      provider.always(answer())
    }
  })
  return { gateway, openai, fake, chat, admin: adminClient(gateway.adminUrl), whole, post, get }

  function whole(model: string, key: string) {
    return chat.whole({ model, ...HELLO }, { headers: { authorization: `Bearer ${key}` } })
  }

  async function post(path: string, body: object, key = API_KEY) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, text: await response.text() }
  }

  async function get(path: string, key = API_KEY): Promise<unknown> {
    return (await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })).json()
  }
}
