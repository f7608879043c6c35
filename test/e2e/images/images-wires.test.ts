import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, test } from 'node:test'
import { ImageResponse } from '../../../src/contract/images.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import { type Recorded, recordings } from '../../../src/translation/dialects/image-wires/fixtures/image-calls.ts'
import { IMAGE_WIRES } from '../../../src/translation/dialects/image-wires/index.ts'
import { PROVIDERS } from '../../../src/platform/providers/providers.ts'
import { json, PNG_IMAGE, startFakeImages } from '../../fakes/images.ts'
import { startGateway, API_KEY } from '../../gateway/gateway-under-test.ts'
import { image } from './images-gateway.ts'

// Every image format through the whole gateway: the fake answers with recordings of each provider. OpenAI's format has test
// files of its own; for Vertex the fake is also Google's token endpoint.

const HOSTS: Record<string, string> = {
  bfl: 'bfl',
  bytedance: 'volcengine',
  deepinfra: 'deepinfra',
  fal: 'fal',
  fireworks: 'fireworks',
  'gemini-image': 'google',
  ideogram: 'ideogram',
  leonardo: 'leonardo',
  minimax: 'minimax',
  recraft: 'recraft',
  replicate: 'replicate',
  stability: 'stability',
  together: 'together',
  xai: 'xai',
  'nova-canvas': 'amazon',
  'bedrock-stability': 'amazon',
  imagen: 'vertex',
}
/** Two of these consist of other formats. */
const ELSEWHERE = ['openai', 'vertex', 'bedrock']

/** Their other models are tools that only edit images. */
const WITH_TOOLS = ['recraft', 'stability']
const IMAGE = { image_url: `data:image/png;base64,${PNG_IMAGE.toString('base64')}` }

const TOKEN_PATH = '/v1/token'

const fake = await startFakeImages()
const gateway = await startGateway({
  env: {
    ...Object.assign({}, ...Object.values(HOSTS).map(settingsOf)),
    AWS_SECRET_ACCESS_KEY: 'x',
    GOOGLE_APPLICATION_CREDENTIALS: serviceAccount(),
    GOOGLE_CLOUD_PROJECT: 'a-project',
    ALLOW_NETWORKS: '127.0.0.0/8',
  },
})
after(async () => {
  await gateway.close()
  await fake.close()
})

test('every wire has a host here, or is tested elsewhere', () => {
  assert.deepEqual([...Object.keys(HOSTS), ...ELSEWHERE].toSorted(), Object.keys(IMAGE_WIRES).toSorted())
})

for (const { wire, model, answers } of recordings().filter(({ wire }) => Object.hasOwn(HOSTS, wire))) {
  const drawn = answers.filter(({ reply }) => reply !== undefined)
  test(`${wire}: ${drawn.length} recorded answers through the gateway`, async () => {
    assert.ok(drawn.length > 0)
    for (const recorded of drawn) await assertServed(wire, recorded.model ?? model, recorded)
  })
}

test('Imagen is called with the token of the service account', () => {
  const requests = fake.requests.filter(({ path }) => path.includes('/models/imagen'))
  assert.ok(requests.length > 0)
  assert.deepEqual([...new Set(requests.map(({ headers }) => headers.authorization))], ['Bearer token-of-the-fake'])
  const statements = fake.requests.filter(({ path }) => path === TOKEN_PATH).map(({ bytes }) => String(bytes))
  assert.equal(statements.length, 1)
  assert.match(statements[0]!, /grant-type%3Ajwt-bearer&assertion=ey/)
})

async function assertServed(wire: string, model: string, recorded: Recorded): Promise<void> {
  fake.always((seen, response) => {
    if (seen.path === TOKEN_PATH) return json({ access_token: 'token-of-the-fake', expires_in: 3_600 })(seen, response)
    const type = recorded.mediaType ?? 'application/json'
    response.writeHead(200, { ...recorded.headers, 'content-type': type }).end(contentOf(recorded))
  })
  const isEdit = WITH_TOOLS.includes(wire) && recorded.model !== undefined
  const response = await fetch(`${gateway.url}/v3/images/${isEdit ? 'edits' : 'generations'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: `${HOSTS[wire]}/${model}`, prompt: 'a fox', ...(isEdit && { images: [IMAGE] }) }),
  })
  const text = await response.text()
  assert.equal(response.status, 200, `${recorded.name}: ${text}`)
  const body = JSON.parse(text)
  assert.deepEqual(validator(ImageResponse).issues(body, []), [])
  assert.equal(body.provider, HOSTS[wire])
  const { data } = JSON.parse(atFake(JSON.stringify(recorded.reply))) as { data: object[] }
  assert.deepEqual(body.data, data.map(image), recorded.name)
}

function contentOf({ bytes, body }: Recorded): Buffer {
  return bytes === undefined ? Buffer.from(atFake(JSON.stringify(body))) : Buffer.from(bytes, 'base64')
}

/** Nothing may be fetched from anywhere else. */
function atFake(text: string): string {
  return text.replaceAll(/https:\/\/[^"]+/g, fake.imageUrl)
}

function settingsOf(id: string): Record<string, string> {
  const { auth, baseUrlEnv } = PROVIDERS[id]!
  const variable = baseUrlEnv ?? `${auth.env!.replace(/_(API_KEY|TOKEN|KEY)$/, '')}_BASE_URL`
  return { [auth.env!]: 'key', [variable]: fake.url }
}

function serviceAccount(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  return JSON.stringify({ client_email: 'robot@a-project.test', private_key, token_uri: `${fake.url}/token` })
}
