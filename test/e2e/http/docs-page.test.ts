import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { exchange } from '../../gateway/raw-http.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

/** What a browser loads before it can show the page, without the OpenAPI document. */
const MAX_FIRST_LOAD_BYTES = 100 * 1024
const MAX_GUIDES_BYTES = 300_000
const MAX_DOCUMENT_BYTES = 64 * 1024

describe('the docs page', () => {
  let gateway: GatewayUnderTest
  const pages = { api: '', admin: '' }
  before(async () => {
    gateway = await startGateway({ env: { ADMIN_PORT: '8081' } })
    pages.api = await (await fetch(`${gateway.url}/docs`)).text()
    pages.admin = await (await fetch(`${gateway.adminUrl}/docs`)).text()
  })
  after(() => gateway.close())

  test('is served by both listeners with a policy that allows nothing from elsewhere', async () => {
    for (const url of [gateway.url, gateway.adminUrl]) {
      const answer = await fetch(`${url}/docs`)
      assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-cache'])
      const policy = answer.headers.get('content-security-policy')!
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
      assert.match(policy, /require-trusted-types-for 'script'$/)
      assert.doesNotMatch(policy, /unsafe|http|\*/)
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
      const text = await answer.text()
      assert.doesNotMatch(text, /<script>|<style|style=|onclick|\{base_url\}|\{other_url\}|\{listener\}/)
      assert.ok(text.includes(`name="base-url" content="${url}"`))
    }
    assert.ok(pages.api.includes('name="listener" content="api"'))
    assert.ok(pages.admin.includes('name="listener" content="admin"'))
  })

  test('names the other listener only to those who can reach it', async () => {
    const otherUrl = async (host: string) => {
      const { body } = await exchange(gateway.url, `GET /docs HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      return /name="other-url" content="([^"]*)"/.exec(body)?.[1]
    }
    assert.equal(await otherUrl('localhost:8080'), 'http://localhost:8081')
    assert.equal(await otherUrl('[::1]:8080'), 'http://[::1]:8081')
    for (const host of ['gate.example', '10.0.0.7:8080', 'localhost.evil.example'])
      assert.equal(await otherUrl(host), '')
    assert.ok(pages.admin.includes(`name="other-url" content="${gateway.url}"`))
  })

  test('loads in less than 100 KB, and its document compressed', async () => {
    const names = assetsIn(pages.api)
    const sizes = await Promise.all(names.map(async (name) => (await ask(gateway.url, `/${name}`)).body.length))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(names.length === 3 && bytes > 10_000 && bytes < MAX_FIRST_LOAD_BYTES, `${bytes} bytes`)
    for (const url of [gateway.url, gateway.adminUrl]) {
      const { body, headers } = await ask(url, '/openapi.json')
      assert.equal(headers['content-encoding'], 'br')
      assert.ok(body.length < MAX_DOCUMENT_BYTES, `${body.length} bytes`)
      const text = brotliDecompressSync(Buffer.from(body, 'latin1')).toString()
      assert.equal(text, await (await fetch(`${url}/openapi.json`)).text())
    }
  })

  test('shares no file with the console, which the listener of the API does not serve', async () => {
    const console = await (await fetch(gateway.adminUrl)).text()
    const ofConsole = [...console.matchAll(/\/assets\/(console-[^"]+)/g)].map(([, name]) => name!)
    assert.equal(ofConsole.length, 2)
    for (const name of [...ofConsole, 'docs-AAAAAAAA.js', '..%2f..%2fpackage.json'])
      assert.equal((await fetch(`${gateway.url}/docs/assets/${name}`)).status, 404, name)
    const script = await (await fetch(`${gateway.url}/${assetsIn(pages.api).at(-1)}`)).text()
    const parts = [...script.matchAll(/(?:from|import)\s*\(?"\.\/([^"]+)"/g)].map(([, name]) => name!)
    assert.equal(parts.length, 1)
    assert.match(parts[0]!, /^guides-/)
  })

  test('has the guides of this version, which come after the page itself', async () => {
    const script = await (await fetch(`${gateway.url}/${assetsIn(pages.api).at(-1)}`)).text()
    const name = /import\("\.\/(guides-[^"]+)"\)/.exec(script)?.[1]
    for (const url of [gateway.url, gateway.adminUrl]) {
      const { body, headers } = await ask(url, `/docs/assets/${name}`)
      assert.equal(headers['content-encoding'], 'br')
      assert.ok(body.length < MAX_GUIDES_BYTES, `${body.length} bytes`)
      const text = brotliDecompressSync(Buffer.from(body, 'latin1')).toString()
      for (const id of ['operating', 'budgets', 'tasks', 'litellm-fields']) assert.ok(text.includes(`id:"${id}"`), id)
    }
  })

  function ask(url: string, path: string) {
    return exchange(url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br\r\n\r\n`)
  }
})

function assetsIn(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="(docs\/assets\/[^"]+)"/g)].map(([, name]) => name!)
}
