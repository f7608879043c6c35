import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { bundleOf } from '../../../src/http/console/bundle.ts'
import { exchange } from '../../gateway/raw-http.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

/** What a browser loads before it can show a screen. */
const MAX_FIRST_LOAD_BYTES = 100 * 1024

/** An address with characters that an escape for URLs would change. */
const PUBLIC_URL = 'https://[2001:db8::1]:8443/ai'

describe('the console', () => {
  let gateway: GatewayUnderTest
  let page = ''
  before(async () => {
    gateway = await startGateway({ env: { PUBLIC_URL } })
    page = await (await fetch(gateway.adminUrl)).text()
  })
  after(() => gateway.close())

  test('is one page at every path of a screen, which no cache keeps and which allows nothing from elsewhere', async () => {
    for (const path of ['/', '/requests', '/settings', '/sign-in', '/setup']) {
      const answer = await fetch(gateway.adminUrl + path)
      assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store'], path)
      const policy = answer.headers.get('content-security-policy')!
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
      assert.match(policy, /require-trusted-types-for 'script'$/)
      assert.doesNotMatch(policy, /unsafe|http|\*/)
      assert.equal(await answer.text(), page)
    }
    assert.doesNotMatch(page, /<script>|<style|style=|onclick/)
    assert.ok(page.includes(`name="api-url" content="${PUBLIC_URL}"`), page)
  })

  test('is what a browser gets at an address that nothing is at, and programs get JSON', async () => {
    for (const path of ['/nonsense', '/request', '/admin', '/admin/none', '/a/b/c']) {
      const browser = await fetch(gateway.adminUrl + path, { headers: { accept: 'text/html,*/*;q=0.8' } })
      assert.deepEqual([browser.status, await browser.text()], [404, page], path)
      assert.match(browser.headers.get('content-security-policy')!, /^default-src 'none'; script-src 'self'/)
      const program = await fetch(gateway.adminUrl + path)
      assert.equal(program.status, 404)
      assert.equal(((await program.json()) as { error: { code: string } }).error.code, 'not_found')
    }
  })

  test('has assets that a browser keeps for ever and gets compressed', async () => {
    const [name] = assetsIn(page)
    const plain = await ask(name!, 'identity')
    const forms = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const [encoding, decode] of Object.entries(forms)) {
      const { headers, body } = await ask(name!, encoding)
      assert.deepEqual([headers['content-encoding'], headers.vary], [encoding, 'Accept-Encoding'])
      assert.match(headers['cache-control']!, /immutable/)
      assert.ok(decode(Buffer.from(body, 'latin1')).equals(Buffer.from(plain.body, 'latin1')))
    }
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.equal((await ask(name!, 'br;q=0, gzip;q=0.5')).headers['content-encoding'], 'gzip')
    const again = await fetch(gateway.adminUrl + name, { headers: { 'if-none-match': plain.headers.etag! } })
    assert.equal(again.status, 304)
    assert.equal((await fetch(`${gateway.adminUrl}/assets/console-AAAAAAAA.js`)).status, 404)
    assert.equal((await fetch(`${gateway.adminUrl}/assets/..%2f..%2fpackage.json`)).status, 404)
  })

  test('loads in less than 100 KB', async () => {
    const waiting = assetsIn(page)
    const seen = new Set<string>()
    let bytes = 0
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (seen.has(name)) continue
      seen.add(name)
      const [text, { body }] = [await (await fetch(gateway.adminUrl + name)).text(), await ask(name, 'br')]
      bytes += body.length
      // What is imported at once; screens are imported when they are opened.
      for (const [, next] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) waiting.push(`/assets/${next}`)
    }
    assert.ok(seen.size >= 4 && bytes > 10_000 && bytes < MAX_FIRST_LOAD_BYTES, `${bytes} bytes in ${seen.size} files`)
  })

  test('names what it was built as, and is on no other port', async () => {
    const bundle = bundleOf([{ name: 'console-X.js', bytes: Buffer.from('1') }])
    assert.match(bundle.page, /src="\/assets\/console-X\.js"/)
    for (const path of ['/requests', '/sign-in', assetsIn(page)[0]])
      assert.equal((await fetch(gateway.url + path)).status, 404)
  })

  function ask(path: string, encoding: string) {
    return exchange(gateway.adminUrl, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${encoding}\r\n\r\n`)
  }
})

function assetsIn(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name]) => name!)
}
