import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { GROWTH } from '../fakes/cpu.ts'
import { type FormPart, formOf } from '../gateway/form.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { exchange } from '../gateway/raw-http.ts'
import { type TaskClient, taskClient } from '../gateway/task-client.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { sample } from '../soak/sample.ts'
import { type Answer, assertUnblocked, assertWorkUnblocked } from './drive.ts'
import { HOSTILE_FILES, type HostileFile } from './hostile-files.ts'
import { ENGINES_MB, type ProbedGateway, startProbedGateway } from './probed-gateway.ts'
import { MB } from '../../src/base/units/units.ts'

// Uploads of every form, and all their readers: the gateway survives, answers, and serves others in between. The reference
// for a file is JSON of the same bytes in base64, as a chat would contain it.

const BYTES = sample(64 * 1024, MB)
const USES_PER_FILE = sample(1, 3)
const HEAP_MB = sample(256, 768)
const FORM_ROUTES = ['/v3/upload', '/v3/audio/transcriptions', '/v3/images/edits']
const CHUNKS = sample(5_000, 15_000)

type Reference = { id: string; data: string; name: string }

/** Every way to name a file, by its id or with its bytes in the body. */
const USES: Record<string, { path: string; body(file: Reference): object }> = {
  'a chat model that takes files': chat('openai/gpt-4o', ({ id }) => ({ type: 'file', file: { file_id: id } })),
  'a chat model that takes none': chat('openai/gpt-4', ({ id }) => ({ type: 'file', file: { file_id: id } })),
  'a chat with base64': chat('openai/gpt-4', ({ data }) => ({ type: 'file', file: { file_data: data } })),
  'a picture of a chat': chat('openai/gpt-4o', ({ data }) => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${data}` },
  })),
  'a hook': {
    path: '/v3/chat/completions',
    body: ({ id }) => ({
      model: 'sandbox/echo',
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: id } }] }],
      pre_hooks: [{ action: 'pdf_text_extract' }],
    }),
  },
  'a response': {
    path: '/v3/responses',
    body: ({ data, name }) => ({
      model: 'openai/gpt-4o',
      input: [{ role: 'user', content: [{ type: 'input_file', filename: name, file_data: data }] }],
    }),
  },
  'a document of a message': {
    path: '/v3/v1/messages',
    body: ({ data }) => ({
      model: 'openai/gpt-4',
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'document', source: base64Source(data) }] }],
    }),
  },
  'reading by the engines': task('ocr/ocr/local'),
  'barcodes by the engines': task('image/barcode_detection/local'),
}

/** Forms that are hard to parse. */
const FORMS: Record<string, (bytes: number) => FormPart[]> = {
  'many tiny parts': (bytes) => Array.from({ length: bytes / 13 }, (_, at) => ({ name: `a${at}`, content: '' })),
  'long headers': (bytes) => [
    { name: 'file', content: 'a', headers: `Content-Disposition: ${';a="b"'.repeat(bytes / 6)}` },
  ],
  'headers of a part without an end': (bytes) => [
    { name: 'file', content: 'a', headers: 'A: b\r\n'.repeat(bytes / 6) },
  ],
  'a long name': () => [{ name: 'n'.repeat(7_000), content: 'a' }],
  'a name of escapes': () => [{ name: 'file', filename: '%22\\"'.repeat(1_500), content: 'a' }],
  'a long field': (bytes) => [{ name: 'purpose', content: 'a'.repeat(bytes) }],
  'beginnings of boundaries': (bytes) => [
    { name: 'file', filename: 'a', content: '\r\n--gatehouse-test'.repeat(bytes / 19) },
  ],
  'line ends': (bytes) => [{ name: 'file', filename: 'a', content: '\r'.repeat(bytes) }],
}

let gateway: ProbedGateway
let provider: FakeProvider
let client: TaskClient
before(async () => {
  provider = await startFakeProvider({ everyPath: true })
  gateway = await startProbedGateway(HEAP_MB, { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url })
  client = taskClient(gateway.url)
})
after(async () => {
  await gateway.close()
  await provider.close()
})

let next = 0
for (const file of HOSTILE_FILES)
  test(`${file.name}: no reader of it stops or stalls the gateway`, async () => {
    const part = await stored(file, 1 / GROWTH)
    const { reference, measured } = await assertUploadUnblocked(file)
    for (const [name, { path, body }] of file.isEndless && !process.env.GATEHOUSE_SOAK ? [] : nextUses()) {
      const sent = (share: number) => Buffer.from(JSON.stringify(body(share === 1 ? reference : part)))
      await assertAnswered({ name: `${file.name}, ${name}`, path, body: sent, measured })
    }
    for (const { id } of [reference, part]) await client.delete(`/v3/upload/${id}`)
    provider.reset()
  })

for (const [name, parts] of Object.entries(FORMS))
  test(`a form with ${name} neither stops nor stalls the gateway`, async () => {
    const form = (share: number) => formOf(parts(BYTES * share))
    const { type, body } = form(1)
    const measured = Buffer.from(JSON.stringify(body.toString('latin1')))
    for (const path of FORM_ROUTES)
      await assertAnswered({ name: `${path}, ${name}`, path, body: (share) => form(share).body, type, measured })
  })

test('a form in chunks of one byte neither stops nor stalls the gateway', async () => {
  for (const path of FORM_ROUTES) {
    const measured = Buffer.from(JSON.stringify(inChunks(path, 1)))
    const send = (share: number) => exchange(gateway.url, inChunks(path, share))
    await assertWorkUnblocked(gateway, { name: path, measured, send })
  }
})

function inChunks(path: string, share: number): string {
  const { type, body } = formOf([{ name: 'file', filename: 'a', content: 'a'.repeat(CHUNKS * share) }])
  const lines = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${API_KEY}`, `Content-Type: ${type}`]
  const chunks = Array.from(body.toString('latin1'), (character) => `1\r\n${character}\r\n`).join('')
  return `${[...lines, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n${chunks}0\r\n\r\n`
}

test('all of it in the memory that is documented', () => gateway.assertBounded({ requests: 1, threadsMb: ENGINES_MB }))

async function assertUploadUnblocked({ name, make }: HostileFile) {
  const content = (share: number) => make(BYTES * share)
  const data = Buffer.from(content(1)).toString('base64')
  const measured = Buffer.from(JSON.stringify(data))
  const form = (share: number) => formOf([{ name: 'file', filename: name, content: content(share) }])
  const { type } = form(1)
  const body = (share: number) => form(share).body
  const { status, text } = await assertUnblocked(gateway, { name, path: '/v3/upload', body, type, measured })
  assert.equal(status, 200, `${name}: ${text}`)
  return { reference: { id: JSON.parse(text).file_id as string, data, name }, measured }
}

async function stored({ name, make }: HostileFile, share: number): Promise<Reference> {
  const content = make(BYTES * share)
  const { file_id: id } = await client.store(content, name)
  return { id, data: Buffer.from(content).toString('base64'), name }
}

/** Asserts that the answer is not an internal error. */
async function assertAnswered(request: Parameters<typeof assertUnblocked>[1]): Promise<Answer> {
  const answer = await assertUnblocked(gateway, request)
  assert.notEqual(answer.status, 500, `${request.name}: ${answer.text}`)
  return answer
}

/** Rotates, so that every reader gets many kinds of files. */
function nextUses() {
  const all = Object.entries(USES)
  const from = next
  next += USES_PER_FILE
  return Array.from({ length: USES_PER_FILE }, (_, at) => all[(from + at) % all.length]!)
}

function chat(model: string, part: (file: Reference) => object) {
  const body = (file: Reference) => ({ model, messages: [{ role: 'user', content: [part(file)] }] })
  return { path: '/v3/chat/completions', body }
}

function task(model: string) {
  return { path: '/v3/universal-ai', body: ({ id }: Reference) => ({ model, input: { file: id } }) }
}

function base64Source(data: string): object {
  return { type: 'base64', media_type: 'application/pdf', data }
}
