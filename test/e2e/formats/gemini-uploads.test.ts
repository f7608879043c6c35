import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { status } from '../../fakes/behaviours.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type Fields, geminiGateway, GOOGLE, OPENAI } from './gemini-gateway.ts'

// Requests of the Gemini format and of others whose body cannot pass unchanged: they name a file that was uploaded to the gateway,
// hooks change them, or they want several answers.

const { google, openai, gateway, post } = await geminiGateway()
const TEXT = 'Hello, file'
const BASE64 = Buffer.from(TEXT).toString('base64')
const ONLY_GOOGLES = {
  safetySettings: [],
  generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW', temperature: 1 },
}
const PROMPTED = { pre_hooks: [{ action: 'system_prompt', params: { text: 'Sir!' } }] }
const droppedBy = (reply: Response) => reply.headers.get('x-gatehouse-dropped-fields')
const lastOf = ({ requests }: typeof google) => requests.at(-1)!

describe('a body that cannot pass unchanged', () => {
  let id: string
  let named: object[]
  before(async () => {
    const form = new FormData()
    form.set('file', new Blob([TEXT]), 'a.txt')
    const init = { method: 'POST', headers: { authorization: `Bearer ${API_KEY}` }, body: form }
    const uploaded = (await (await fetch(`${gateway.url}/v3/upload`, init)).json()) as { file_id: string }
    id = uploaded.file_id
    named = [
      { role: 'user', parts: [{ text: 'Read' }, { fileData: { fileUri: `files/${id}`, mimeType: 'text/plain' } }] },
    ]
  })

  const plain = [{ role: 'user', parts: [{ text: 'Read' }] }]
  const cases: [string, () => object][] = [
    ['it names an upload', () => ({ contents: named })],
    ['hooks change it', () => ({ contents: plain, ...PROMPTED })],
  ]
  for (const [reason, body] of cases) {
    test(`Google gets its own fields and tools if ${reason}`, async () => {
      const tools = [{ codeExecution: {} }]
      const reply = await post(`${GOOGLE}:generateContent`, { ...body(), ...ONLY_GOOGLES, tools })
      assert.deepEqual([reply.status, droppedBy(reply)], [200, null], await reply.text())
      const { safetySettings, generationConfig, tools: sent } = lastOf(google).body as Record<string, Fields>
      assert.deepEqual([safetySettings, sent], [[], tools])
      assert.deepEqual(generationConfig, ONLY_GOOGLES.generationConfig)
    })

    test(`others get notes of what is lost, and tools of Google are refused, if ${reason}`, async () => {
      const reply = await post(`${OPENAI}:generateContent`, { ...body(), ...ONLY_GOOGLES })
      assert.deepEqual([reply.status, droppedBy(reply)], [200, 'safetySettings, generationConfig.mediaResolution'])
      const asked = openai.requests.length
      const refused = await post(`${OPENAI}:generateContent`, { ...body(), tools: [{ urlContext: {} }] })
      assert.equal(refused.status, 422)
      assert.match(await refused.text(), /tools\.urlContext/)
      assert.equal(openai.requests.length, asked)
    })
  }

  test('tools of Google are refused also where several answers are several requests', async () => {
    const generationConfig = { candidateCount: 2 }
    const body = { contents: plain, generationConfig, tools: [{ urlContext: {} }] }
    assert.equal((await post('sandbox/echo:generateContent', body)).status, 422)
    const lost = await post('sandbox/echo:generateContent', { contents: plain, generationConfig, safetySettings: [] })
    assert.deepEqual([lost.status, droppedBy(lost)], [200, 'safetySettings'])
  })

  test('a fallback of another maker does not get a request with tools of Google', async () => {
    google.always(status(500, {}))
    const body = { contents: named, tools: [{ codeExecution: {} }], fallbacks: [OPENAI] }
    assert.equal((await post(`${GOOGLE}:generateContent`, body)).status, 502)
    assert.equal(openai.requests.length, 0)
  })

  test('a counter gets the bytes of an upload, not its address', async () => {
    google.always(status(200, { totalTokens: 42 }))
    for (const fileUri of [`files/${id}`, `${gateway.url}/v3/v1beta/files/${id}`, id]) {
      const contents = [{ parts: [{ fileData: { fileUri, mimeType: 'text/plain' } }] }]
      const reply = await post(`${GOOGLE}:countTokens`, { contents })
      assert.deepEqual(await reply.json(), { totalTokens: 42 })
      assert.ok(lastOf(google).text.includes(BASE64))
      assert.ok(!lastOf(google).text.includes(id))
    }
    openai.always(status(200, { input_tokens: 7 }))
    const count = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
      const reply = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return [reply.status, await reply.json()]
    }
    const blocks = (file_id: string) => [{ type: 'document', source: { type: 'file', file_id } }]
    const asMessages = (content: object[]) => ({ model: OPENAI, messages: [{ role: 'user', content }] })
    const result = { type: 'tool_result', tool_use_id: 'a', content: blocks(id) }
    const path = '/v3/v1/messages/count_tokens'
    assert.deepEqual(await count(path, asMessages(blocks(id))), [200, { input_tokens: 7 }])
    assert.ok(lastOf(openai).text.includes(BASE64))
    assert.deepEqual(await count(path, asMessages([result])), [200, { input_tokens: 7 }])
    const input = [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }]
    const [answered] = await count('/v3/responses/input_tokens', { model: OPENAI, input, instructions: 'Sir!' })
    assert.equal(answered, 200)
    assert.ok(lastOf(openai).text.includes(BASE64))
    const asked = openai.requests.length + google.requests.length
    const [unknown] = await count(path, asMessages(blocks('3f0d3c6e-0000-4000-8000-000000000000')))
    assert.equal(unknown, 404)
    // Files in the operator's account are refused as in a chat.
    const [foreign] = await count(path, asMessages(blocks('file_011CNha8iCJcU1wXNR6q4V8w')))
    assert.equal(foreign, 422)
    const ofGoogle = [
      { parts: [{ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } }] },
    ]
    assert.equal((await post(`${GOOGLE}:countTokens`, { contents: ofGoogle })).status, 422)
    assert.equal(openai.requests.length + google.requests.length, asked)
  })
})
