import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { AzureOpenAI, toFile } from 'openai'
import { adminClient } from '../gateway/admin-client.ts'
import { collect } from '../gateway/collect.ts'
import { openGateway } from '../rehearse/open-gateway.ts'

// The class for Azure in the official `openai` package: the key is in `api-key`, the model is a deployment in the path, and every
// address has an `api-version`. The key is of the sandbox, which answers every endpoint.

const alias = (model: string) => ({ targets: [{ model }] })
const { gateway, close } = await openGateway({
  config: {
    aliases: { 'our-chat': alias('openai/gpt-4o-mini'), 'our-vectors': alias('openai/text-embedding-3-small') },
  },
  env: { OPENAI_API_KEY: 'sk-a' },
})
after(close)
const { key } = await adminClient(gateway.adminUrl).issue({ kind: 'sandbox' })
const messages = [{ role: 'user' as const, content: 'Hello' }]
const CHAT = 'openai/gpt-4o-mini'
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

function azure(options: { endpoint?: string; baseURL?: string; deployment?: string } = { endpoint: gateway.url }) {
  return new AzureOpenAI({ apiKey: key, apiVersion: '2024-10-21', maxRetries: 0, ...options })
}

describe('AzureOpenAI', () => {
  for (const base of [
    { endpoint: gateway.url },
    { endpoint: `${gateway.url}/v3` },
    { baseURL: `${gateway.url}/v3` },
    { baseURL: `${gateway.url}/openai/v1` },
  ])
    for (const model of [CHAT, 'gpt-4o-mini', 'our-chat'])
      test(`${model} at ${JSON.stringify(base).replace(gateway.url, '')}`, async () => {
        const { chat, responses } = azure(base)
        assert.equal((await chat.completions.create({ model, messages })).model, CHAT)
        const chunks = await collect(await chat.completions.create({ model, messages, stream: true }))
        assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), 'Hello')
        assert.equal((await responses.create({ model, input: 'Hello' })).output_text, 'Hello')
      })

  test('embeddings, images and audio', async () => {
    const { embeddings, images, audio, completions } = azure()
    assert.equal((await embeddings.create({ model: 'our-vectors', input: 'Hello' })).data.length, 1)
    assert.equal((await completions.create({ model: 'our-chat', prompt: 'Hello' })).choices.length, 1)
    assert.equal((await images.generate({ model: 'gpt-image-2', prompt: 'A door' })).data?.length, 1)
    const image = await toFile(PIXEL, 'a.png', { type: 'image/png' })
    assert.equal((await images.edit({ model: 'gpt-image-2', prompt: 'A door', image })).data?.length, 1)
    const speech = await audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hello' })
    assert.ok((await speech.arrayBuffer()).byteLength > 0)
    for (const create of [audio.transcriptions, audio.translations]) {
      const file = await toFile(Buffer.alloc(4_000), 'a.wav', { type: 'audio/wav' })
      assert.ok('text' in (await create.create({ model: 'whisper-1', file })))
    }
  })

  test('a deployment of the client counts, and not the model in the body', async () => {
    const client = azure({ endpoint: gateway.url, deployment: 'our-chat' })
    assert.equal((await client.chat.completions.create({ model: 'anything', messages })).model, CHAT)
  })

  test('the list of models', async () => {
    const ids = (await collect(azure().models.list())).map(({ id }) => id)
    assert.ok(ids.includes('our-chat'))
  })

  test('an unknown deployment and a wrong key are errors of the SDK', async () => {
    await assert.rejects(azure().chat.completions.create({ model: 'none', messages }), { status: 404 })
    const wrong = new AzureOpenAI({ apiKey: 'x', apiVersion: '1', endpoint: gateway.url, maxRetries: 0 })
    await assert.rejects(wrong.chat.completions.create({ model: 'our-chat', messages }), { status: 401 })
  })
})

describe('without an SDK', () => {
  for (const [path, body] of Object.entries({
    '/openai/deployments/our-chat/chat/completions?api-version=2024-10-21': { messages },
    '/openai/deployments/openai/gpt-4o-mini/chat/completions?api-version=2024-10-21': { messages },
    '/openai/deployments/our-vectors/embeddings?api-version=2024-10-21': { input: 'Hello' },
    '/openai/deployments/gpt-image-2/images/generations?api-version=2024-10-21': { prompt: 'A door' },
    '/openai/deployments/gpt-image-2/images/edits?api-version=2024-10-21': {
      prompt: 'A door',
      images: [{ image_url: `data:image/png;base64,${PIXEL.toString('base64')}` }],
    },
    '/openai/deployments/tts-1/audio/speech?api-version=2024-10-21': { input: 'Hello', voice: 'alloy' },
  }))
    test(`the body needs no model: ${path}`, async () => {
      const headers = { 'api-key': key, 'content-type': 'application/json' }
      const response = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      assert.equal(response.status, 200, await response.text())
    })

  test('a form needs no model either', async () => {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(4_000)], { type: 'audio/wav' }), 'a.wav')
    const url = `${gateway.url}/openai/deployments/whisper-1/audio/transcriptions?api-version=2024-06-01`
    const response = await fetch(url, { method: 'POST', headers: { 'api-key': key }, body: form })
    assert.equal(response.status, 200, await response.text())
  })
})

test('the key may be in the header of any client', async () => {
  const names = ['x-api-key', 'api-key', 'x-goog-api-key', 'x-litellm-api-key', 'x-portkey-api-key', 'x-bf-vk']
  const status = async (headers: Record<string, string>) => (await fetch(`${gateway.url}/v3/key`, { headers })).status
  for (const name of names) {
    assert.equal(await status({ [name]: key }), 200, name)
    assert.equal(await status({ [name]: 'x' }), 401, name)
    assert.equal(await status({ [name]: '' }), 401, name)
  }
  assert.equal(await status({ 'x-litellm-api-key': `Bearer ${key}` }), 200)
  // Clients of other gateways have the key of a provider there.
  for (const name of names.slice(3))
    assert.equal(await status({ [name]: key, authorization: 'Bearer sk-provider' }), 200, name)
  assert.equal(await status({ 'x-bf-vk': 'x', authorization: `Bearer ${key}` }), 401)
})
