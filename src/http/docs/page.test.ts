import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import Type from '../../schema/type.ts'
import { ChatRequest } from '../../contract/chat.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import { validator } from '../../schema/validator.ts'
import { API_ROUTES } from '../app.ts'
import { openapiDocument } from '../openapi/document.ts'
import { registerRoutes } from '../route.ts'
import type { HttpServices, Route } from '../services.ts'
import { docs, docsText } from '../routes/docs.ts'
import openapi from '../routes/openapi.ts'
import { docsPage } from './page.ts'

const NASTY = `<script>alert(1)</script>"'&<img src=x onerror=alert(2)>`
const VOID_TAGS = ['meta', 'br', '!doctype']
const AA_CONTRAST = 4.5

const page = docsPage({ ...openapiDocument(API_ROUTES), servers: [{ url: 'http://127.0.0.1:8080' }] }, PROBLEMS)

test('the page loads nothing and runs nothing', () => {
  assert.doesNotMatch(page, /<(script|link|img|iframe|object|embed|base|form)\b/i)
  assert.doesNotMatch(page, /<[^>]*\s(src|srcset|style|on\w+)\s*=/i)
  assert.doesNotMatch(page, /url\(|@import/i)
  for (const address of addresses(page)) assert.match(address, /^(#|\.\.\/openapi\.json$)/)
})

test('every link inside the page has its target, and every id is one', () => {
  const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
  assert.deepEqual(ids, [...new Set(ids)])
  for (const address of addresses(page)) if (address.startsWith('#')) assert.ok(ids.includes(address.slice(1)), address)
})

test('tags are closed in the order in which they were opened', () => {
  assert.deepEqual(unclosed(page), [])
})

test('headings are in order: one h1 first, and no level is skipped', () => {
  const levels = [...page.matchAll(/<h([1-6])\b/g)].map(([, level]) => Number(level))
  assert.equal(levels[0], 1)
  assert.equal(levels.filter((level) => level === 1).length, 1)
  for (const [index, level] of levels.entries()) assert.ok(index === 0 || level <= levels[index - 1]! + 1)
})

test('there are landmarks, a language and a way past the contents', () => {
  assert.match(page, /<html lang="en">/)
  for (const landmark of ['header', 'nav', 'main', 'footer']) {
    assert.equal(page.match(new RegExp(`<${landmark}\\b`, 'g'))?.length, 1, landmark)
  }
  assert.match(page, /<body>\s*<a class="skip" href="#start">/)
})

test('every endpoint is there with its method, path and summary', () => {
  const plain = unescaped(page)
  for (const { method, path, summary } of API_ROUTES) {
    assert.ok(page.includes(`${method}</b> ${path}</code>`), path)
    assert.ok(plain.includes(`>${summary}</h3>`), summary)
  }
})

test('the webhook is there, and how to receive it', () => {
  assert.ok(page.includes('>A job is done</h3>') && page.includes('>Receiving webhooks</h2>'))
  assert.ok(page.includes('X-Service-Signature'))
})

test('every error is there with its status and sentence', () => {
  for (const [code, { status, sentence }] of Object.entries(PROBLEMS)) {
    assert.ok(page.includes(`<code id="error-${code}">${code}</code>`), code)
    assert.ok(unescaped(page).includes(sentence), sentence)
    assert.ok(page.includes(`<b>${status}</b>`), code)
  }
})

test('a field shows its type, limits and whether it is required; objects inside are folded', () => {
  const plain = unescaped(page).replace(/<[^>]+>/g, '')
  assert.match(plain, /temperature\s*number \| null\s*0 to 2\s*Higher is more varied/)
  assert.match(plain, /messages\s+required\s*Message\[\]/)
  assert.match(plain, /fallbacks\s*string\[\] \| null\s*entries: at most 3/)
  assert.match(plain, /verbosity\s*"low" \| "medium" \| "high" \| null/)
  assert.match(plain, /file\s+required\s*file\s*The file\./)
  assert.match(page, /<details><summary>Fields of Message<\/summary><table/)
})

test('the curl line can be pasted: its body is valid and its address is the base URL', () => {
  const blocks = [...page.matchAll(/<pre tabindex="0"><code>(curl [^<]*)/g)].map(([, text]) => unescaped(text!))
  assert.equal(blocks.length, 2)
  for (const block of blocks) {
    assert.match(block, /^curl (-N )?http:\/\/127\.0\.0\.1:8080\/v3\/chat\/completions \\\n/)
    assert.ok(block.includes('"Authorization: Bearer $GATEHOUSE_API_KEY"'))
    const body: unknown = JSON.parse(/-d '([^']*)'$/.exec(block)![1]!)
    assert.deepEqual(validator(ChatRequest).issues(body, []), [])
  }
})

test('every text that comes from data is escaped', () => {
  const field = Type.String({ description: NASTY, default: NASTY, examples: [NASTY], pattern: NASTY, format: NASTY })
  const body = Type.Object({ [NASTY]: field, words: Type.Enum([NASTY]) }, { title: NASTY, description: NASTY })
  const reply = { description: NASTY, schema: body, contentType: NASTY }
  const route: Route = {
    ...docs,
    path: `/${NASTY}`,
    summary: NASTY,
    description: NASTY,
    body,
    query: body,
    replies: { 200: reply },
  }
  const document = { ...openapiDocument([route]), servers: [{ url: NASTY }], tags: [{ name: NASTY }, { name: 'Docs' }] }
  const nasty = docsPage(document, { [NASTY]: { status: 400, type: NASTY, sentence: NASTY } })
  assert.doesNotMatch(nasty, /<script|<img/i)
  assert.deepEqual(unclosed(nasty), [])
  assert.ok(nasty.split('&lt;script&gt;').length > 20)
})

test('a schema that contains itself does not end in a loop', () => {
  const document = openapiDocument(API_ROUTES)
  const { ToolCall } = document.components.schemas
  ToolCall!.properties!.inner = { anyOf: [{ $ref: '#/components/schemas/ToolCall' }, { type: 'null' }] }
  assert.match(docsPage(document, PROBLEMS), /Fields of ToolCall/)
})

test('text can be read in light and in dark', () => {
  const themes = [...page.matchAll(/:root \{([^}]*)\}/g)].map(([, rules]) => colours(rules!))
  assert.equal(themes.length, 2)
  for (const theme of themes)
    for (const text of ['ink', 'quiet', 'accent', 'get', 'post', 'delete', 'must'])
      for (const ground of ['page', 'panel'])
        assert.ok(contrast(theme[text]!, theme[ground]!) >= AA_CONTRAST, `${text} on ${ground}`)
})

test('the page is served with a policy that allows its own style sheet and nothing else', async (context) => {
  const reply = await serve(context).inject({ url: '/docs/text', headers: { host: 'gate.example:8080' } })
  assert.equal(reply.statusCode, 200)
  assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(reply.headers['cache-control'], 'no-cache')
  const style = /<style>([\s\S]*)<\/style>/.exec(reply.body)![1]!
  const policy = String(reply.headers['content-security-policy'])
  assert.deepEqual(policy.split('; ').sort(), [
    "base-uri 'none'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  ])
})

test('the samples name the address of the listener, and no other that a request names', async (context) => {
  const app = serve(context)
  const base = async (headers: Record<string, string>) => {
    const { body } = await app.inject({ url: '/docs/text', headers })
    assert.ok(!body.includes('{base_url}'))
    return unescaped(/<code class="base">([^<]*)/.exec(body)![1]!)
  }
  assert.equal(await base({ host: '[::1]:8080' }), 'http://[::1]:8080/v3')
  assert.equal(await base({ host: 'localhost:9000' }), 'http://localhost:9000/v3')
  assert.equal(await base({ host: 'gate.example', 'x-forwarded-proto': 'https' }), 'https://127.0.0.1:8080/v3')
  assert.equal(await base({ host: 'localhost', 'x-forwarded-host': 'evil.example' }), 'http://localhost/v3')
  for (const host of [
    'evil.example',
    '6.6.6.6:8080',
    'localhost.evil.example',
    'localhost:80@evil',
    'x;rm',
    '$(id)',
    "a'b",
    '<b>',
    'a b',
    '`id`',
    'user@host',
    'a/b',
  ])
    assert.equal(await base({ host }), 'http://127.0.0.1:8080/v3')
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
  const services = { calls, routes: [openapi, docs, docsText], active: { current: { calls } } }
  registerRoutes(app, services as unknown as HttpServices)
  return app
}

function addresses(text: string): string[] {
  return [...text.matchAll(/\shref="([^"]*)"/g)].map(([, address]) => address!)
}

function unclosed(text: string): string[] {
  const open: string[] = []
  for (const [, slash, name] of text.replace(/<style>[\s\S]*<\/style>/, '').matchAll(/<(\/?)([a-z0-9!]+)[^>]*>/g)) {
    if (VOID_TAGS.includes(name!)) continue
    if (!slash) open.push(name!)
    else assert.equal(open.pop(), name)
  }
  return open
}

function unescaped(text: string): string {
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)
}

function colours(rules: string): Record<string, string> {
  return Object.fromEntries([...rules.matchAll(/--(\w+): (#\w+)/g)].map(([, name, colour]) => [name, colour]))
}

/** The contrast as WCAG 2 defines it. */
function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replace(/[^#]/g, '$&$&') : colour
  const [red, green, blue] = [1, 3, 5].map((at) => linear(Number.parseInt(digits.slice(at, at + 2), 16) / 255))
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}
