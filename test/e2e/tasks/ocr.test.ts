import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { pdfSaying } from '../../../src/translation/engines/fixtures/pdf-saying.ts'
import { failure, status } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

type Page = { index: number; markdown: string; images: unknown[]; dimensions: object | null }
type Reply = {
  pages: Page[]
  model: string
  provider: string
  cost: number | null
  document_annotation: string | null
  usage_info: { pages_processed: number; doc_size_bytes: number | null }
  error?: { message: string; code: string }
  detail?: { loc: unknown[] }[]
}

const TWO_PAGES = dataUrl('application/pdf', pdfSaying(['First page'], ['Second page']))
const PNG = dataUrl('image/png', Buffer.from('89504e470d0a1a0a', 'hex'))
const BY_MISTRAL = {
  pages: [
    {
      index: 1,
      markdown: '# Two',
      images: [{ id: 'img-0', top_left_x: 1, image_base64: 'AA==' }],
      dimensions: { dpi: 200, height: 20, width: 10 },
      tables: [{ id: 'tbl-0', content: '| a |' }],
    },
  ],
  model: 'mistral-ocr-2512',
  document_annotation: '{"kind":"letter"}',
  usage_info: { pages_processed: 1, doc_size_bytes: 30_211 },
}
const BY_API4AI = {
  results: [
    {
      status: { code: 'ok', message: 'Success' },
      entities: [{ kind: 'objects', objects: [{ box: [0, 0, 1, 1], entities: [{ kind: 'text', text: 'All' }] }] }],
    },
  ],
}

describe('POST /v3/ocr', () => {
  let gateway: GatewayUnderTest
  let fake: FakeProvider
  let client: TaskClient
  before(async () => {
    fake = await startFakeProvider({ everyPath: true })
    const rows = ['MISTRAL', 'API4AI'].flatMap((name) => [
      [`${name}_BASE_URL`, fake.url],
      [`${name}_API_KEY`, 'key-0123456789'],
    ])
    gateway = await startGateway({ env: Object.fromEntries(rows) })
    client = taskClient(gateway.url)
  })
  beforeEach(() => fake.reset())
  after(async () => {
    await gateway.close()
    await fake.close()
  })

  test('Mistral gets every field, and its answer is passed on with the cost', async () => {
    const document_annotation_format = { type: 'json_schema', json_schema: { name: 'a', schema: {} } }
    const asked = {
      pages: [1],
      include_image_base64: true,
      image_limit: 3,
      document_annotation_format,
      table_format: 'html',
    }
    for (const model of ['mistral', 'mistral/mistral-ocr-latest', 'mistral-ocr-latest', 'ocr/ocr/mistral']) {
      fake.next(status(200, BY_MISTRAL))
      const { code, headers, body } = await ocr({ model, document: { type: 'image_url', image_url: PNG }, ...asked })
      assert.equal(code, 200, JSON.stringify(body))
      assert.deepEqual(body.pages, BY_MISTRAL.pages)
      const { document_annotation, usage_info, provider, cost } = body
      assert.deepEqual(
        [document_annotation, usage_info, provider],
        [BY_MISTRAL.document_annotation, BY_MISTRAL.usage_info, 'mistral'],
      )
      assert.equal(cost, 0.004)
      assert.equal(headers.get('x-gatehouse-cost'), '0.004')
      const sent = fake.requests.at(-1)!.body as Record<string, unknown>
      assert.deepEqual(sent, { ...asked, model: 'mistral-ocr-latest', document: { type: 'image_url', image_url: PNG } })
    }
  })

  test('the engine of the gateway reads page by page, without a network and a price', async () => {
    for (const [pages, texts] of [
      [undefined, ['First page', 'Second page']],
      [[1], ['Second page']],
      ['0-1', ['First page', 'Second page']],
    ] as const) {
      const { code, body } = await ocr({
        model: 'local',
        document: { type: 'document_url', document_url: TWO_PAGES },
        pages,
      })
      assert.equal(code, 200, JSON.stringify(body))
      assert.deepEqual(
        body.pages.map(({ markdown }) => markdown),
        texts,
      )
      assert.deepEqual(
        [body.model, body.provider, body.cost, body.usage_info.pages_processed],
        ['local', 'local', 0, 2],
      )
    }
    assert.equal(fake.requests.length, 0)
  })

  test('an upload is read like a URL', async () => {
    const { file_id } = await client.store(pdfSaying(['Uploaded']), 'a.pdf')
    const { body } = await ocr({ model: 'local', document: { type: 'file', file_id } })
    assert.deepEqual(body.pages, [{ index: 0, markdown: 'Uploaded', images: [], dimensions: null }])
  })

  test('the task tells the pages apart, too', async () => {
    const { file_id } = await client.store(pdfSaying(['One'], ['Two']), 'a.pdf')
    const { body } = await client.run({ model: 'ocr/ocr/local', input: { file: file_id } })
    assert.deepEqual((body.output as { pages: object[] }).pages, [{ text: 'One' }, { text: 'Two' }])
  })

  test('a provider without pages gives one, and says so; fields that it does not have are named', async () => {
    fake.next(status(200, BY_API4AI))
    const document = { type: 'image_url', image_url: { url: PNG } }
    const { headers, body } = await ocr({
      model: 'api4ai',
      document,
      pages: '0',
      include_image_base64: true,
      image_limit: 0,
    })
    assert.deepEqual(body.pages, [{ index: 0, markdown: 'All', images: [], dimensions: null }])
    assert.equal(headers.get('x-gatehouse-dropped-fields'), 'include_image_base64, image_limit, pages')
  })

  test('a question about the document is refused where no provider answers it, and asked of the one that does', async () => {
    const document = { type: 'document_url', document_url: TWO_PAGES }
    const question = { document_annotation_format: { type: 'json_object' } }
    const refused = await ocr({ model: 'local', document, ...question })
    assert.deepEqual([refused.code, refused.body.detail?.[0]?.loc], [422, ['body', 'document_annotation_format']])
    fake.next(status(200, BY_MISTRAL))
    const { code, body } = await ocr({ model: 'local', document, fallbacks: ['mistral'], ...question })
    assert.deepEqual([code, body.provider], [200, 'mistral'])
  })

  test('a fallback gets only the fields of its own format', async () => {
    fake.next(failure(500))
    const document = { type: 'document_url', document_url: TWO_PAGES }
    const { code, body } = await ocr({ model: 'mistral', document, fallbacks: ['local'], image_limit: 2 })
    assert.deepEqual([code, body.provider, body.pages.length], [200, 'local', 2])
  })

  test('what is wrong is refused before anything is read', async () => {
    const document = { type: 'document_url', document_url: TWO_PAGES }
    for (const [body, code] of [
      [{ model: 'local', document: { type: 'document_url' } }, 422],
      [{ model: 'local', document: { type: 'image_url', document_url: TWO_PAGES } }, 422],
      [{ model: 'local', document, pages: '3-1' }, 422],
      [{ model: 'local', document, pages: 'all' }, 422],
      [{ model: 'local', document: { type: 'document_url', document_url: 'x' } }, 422],
      [{ model: 'local', document: { type: 'file', file_id: '00000000-0000-4000-8000-000000000000' } }, 404],
      [{ model: 'nosuch', document }, 404],
    ] as const)
      assert.equal((await ocr(body)).code, code, JSON.stringify(body))
    assert.equal(fake.requests.length, 0)
  })

  test('a document that cannot be read is named where the request has it', async () => {
    const wrong = { document_url: 'x', image_url: 'https://10.0.0.9/page.png' }
    for (const [type, reference] of Object.entries(wrong)) {
      const { code, body } = await ocr({ model: 'local', document: { type, [type]: reference } })
      assert.deepEqual([code, body.detail?.[0]?.loc], [422, ['body', 'document', type]], JSON.stringify(body))
    }
  })

  test('a failure is an error with a status', async () => {
    fake.always(failure(401, { message: 'Who?' }))
    const { code, body } = await ocr({ model: 'mistral', document: { type: 'image_url', image_url: PNG } })
    assert.deepEqual([code, body.error?.code], [502, 'upstream_auth'])
  })

  test('the list has what can read', async () => {
    const { body } = await client.get<{ data: { id: string }[] }>('/v3/ocr/models')
    for (const id of ['local', 'mistral', 'mistral/mistral-ocr-2512', 'sandbox', 'api4ai'])
      assert.ok(
        body.data.some((row) => row.id === id),
        id,
      )
  })

  async function ocr(body: object): Promise<{ code: number; headers: Headers; body: Reply }> {
    const response = await fetch(`${gateway.url}/v1/ocr`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { code: response.status, headers: response.headers, body: (await response.json()) as Reply }
  }
})

function dataUrl(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}
