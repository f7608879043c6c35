import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type GatewayProcess, startProcess } from '../../gateway/gateway-process.ts'

// A checkout in which esbuild does not run, as without the development dependencies: the console is neither built nor buildable.

let dataDir: string
let gateway: GatewayProcess
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-unbuilt-'))
  gateway = await startProcess({ DATA_DIR: dataDir, ESBUILD_BINARY_PATH: '/bin/false' })
})
after(async () => {
  await gateway?.stop()
  await rm(dataDir, { recursive: true })
})

test('the page of a console that cannot be built says what to run', async () => {
  for (const path of ['/', '/requests', '/sign-in']) {
    const answer = await fetch(gateway.adminUrl + path)
    const text = await answer.text()
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [503, 'text/html; charset=utf-8'], path)
    assert.match(text, /The console is not built/)
    assert.match(text, /Run <code>npm ci<\/code> without <code>--omit=dev<\/code>, and load this page again/)
    assert.doesNotMatch(text, /<script|\/bin\/false|node_modules/)
  }
})

test('its docs page says what to run and where its text is; files of the page are not found', async () => {
  const docs = await fetch(`${gateway.adminUrl}/docs`)
  assert.equal(docs.status, 200)
  const page = await docs.text()
  assert.match(page, /The docs page is not built[\s\S]*npm ci/)
  assert.match(page, /href="docs\/text"/)
  assert.match(await (await fetch(`${gateway.adminUrl}/docs/text`)).text(), /\/admin\/keys/)
  assert.equal((await fetch(`${gateway.adminUrl}/assets/console-AAAAAAAA.js`)).status, 404)
})
