import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { FAILURES } from '../../calls/attempts/failures.ts'
import { ChatRequest } from '../../contract/chat.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import { validator } from '../../base/schema/validator.ts'
import { API_ROUTES } from '../routes/api-routes.ts'
import { ADMIN_ROUTES } from '../routes/admin-routes.ts'
import { openapiDocument } from '../openapi/document.ts'
import { registerRoutes } from '../register-routes.ts'
import { docs, docsText as textRoute } from '../routes/docs.ts'
import openapi from '../routes/openapi.ts'
import type { HttpServices } from '../route.ts'
import { docsText } from './docs-text.ts'

const document = { ...openapiDocument(API_ROUTES), servers: [{ url: 'http://127.0.0.1:8080' }] }
const text = docsText(document)

test('the text has every operation with its summary and parameters, the webhook, and every schema', () => {
  for (const { method, path, summary } of API_ROUTES)
    assert.ok(text.includes(`\n## ${method} ${path}\n\n${summary}`), path)
  assert.ok(text.includes('\n## POST async_job_completed\n\nJob ended'))
  for (const title of Object.keys(document.components.schemas)) assert.ok(text.includes(`\n### ${title}\n`), title)
  const { parameters } = document.paths['/v3/models']!.get!
  for (const { name } of parameters!) assert.ok(text.includes(`- \`${name}\` (`), name)
})

test('the text has every error, every kind of failure, and the guides of the page', () => {
  for (const [code, { status, type, sentence }] of Object.entries(PROBLEMS))
    assert.ok(text.includes(`| ${code} | ${status} ${type} | ${sentence} |`), code)
  for (const kind of Object.keys(FAILURES)) assert.ok(text.includes(`| ${kind} | `), kind)
  const guides = document['x-guides']!
  assert.deepEqual(
    guides.map(({ id }) => id),
    ['streaming', 'failures', 'receivers', 'errors'],
  )
  for (const { name } of guides) assert.ok(text.includes(`\n## ${name}\n`), name)
  assert.ok(text.includes('def verify('), 'the receivers are in it')
})

test('a field shows its type, its limits and whether it is required; an object inside has its fields below it', () => {
  assert.ok(text.includes('- `temperature` (number, 0 to 2): Higher is more varied'))
  assert.ok(text.includes('- `messages` (Message[], required'))
  assert.ok(text.includes('- `fallbacks` (string[], entries: at most 3)'))
  assert.match(text, /\n {2}- `\w+` \(/)
})

test('the curl line can be pasted: its body is valid and its address is the base URL', () => {
  const [, address, body] = /```sh\ncurl (\S+) [\s\S]*? -d '([^']*)'\n```/.exec(text)!
  assert.equal(address, 'http://127.0.0.1:8080/v3/chat/completions')
  assert.deepEqual(validator(ChatRequest).issues(JSON.parse(body!), []), [])
})

test('the admin API has its own text, without the guides to chats', () => {
  const admin = docsText(openapiDocument(ADMIN_ROUTES))
  assert.ok(admin.includes('\n## POST /admin/keys\n') && admin.includes('\n## Errors\n'))
  assert.ok(!admin.includes('\n## Streaming\n'))
})

test('a schema that contains itself does not end in a loop', () => {
  const own = openapiDocument(API_ROUTES)
  const { ToolCall } = own.components.schemas
  ToolCall!.properties!.inner = { anyOf: [{ $ref: '#/components/schemas/ToolCall' }, { type: 'null' }] }
  assert.match(docsText(own), /- `inner` \(ToolCall \| null\)/)
})

test('the text names the address of the listener, and no other that a request names', async (context) => {
  const app = serve(context)
  const base = async (headers: Record<string, string>) => {
    const { body, headers: replied } = await app.inject({ url: '/docs/text', headers })
    assert.equal(replied['content-type'], 'text/plain; charset=utf-8')
    assert.ok(!body.includes('{base_url}'))
    return /^Base URL: (.*)$/m.exec(body)![1]!
  }
  assert.equal(await base({ host: '[::1]:8080' }), 'http://[::1]:8080')
  assert.equal(await base({ host: 'localhost:9000' }), 'http://localhost:9000')
  assert.equal(await base({ host: 'gate.example', 'x-forwarded-proto': 'https' }), 'https://127.0.0.1:8080')
  assert.equal(await base({ host: 'localhost', 'x-forwarded-host': 'evil.example' }), 'http://localhost')
  for (const host of ['evil.example', '6.6.6.6:8080', 'localhost.evil.example', 'localhost:80@evil', 'x;rm', '$(id)'])
    assert.equal(await base({ host }), 'http://127.0.0.1:8080')
  for (const host of ["a'b", '<b>', 'a b', '`id`', 'user@host', 'a/b'])
    assert.equal(await base({ host }), 'http://127.0.0.1:8080')
})

test('the document describes the routes of the gateway; both answer 304 to clients that have them', async (context) => {
  const app = serve(context)
  const { body } = await app.inject('/openapi.json')
  assert.deepEqual(Object.keys(JSON.parse(body).paths), ['/openapi.json', '/docs', '/docs/text'])
  for (const url of ['/openapi.json', '/docs', '/docs/text']) {
    const first = await app.inject(url)
    assert.equal(first.headers['cache-control'], 'no-cache')
    const again = await app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } })
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', first.headers.etag])
  }
})

function serve(context: TestContext) {
  const app = Fastify()
  context.after(() => app.close())
  const calls = { config: { host: '127.0.0.1', port: 8080 } }
  const services = { calls, routes: [openapi, docs, textRoute], active: { current: { calls } } }
  registerRoutes(app, services as unknown as HttpServices)
  return app
}
