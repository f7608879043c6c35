import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startCollector } from '../../fakes/collector.ts'
import { startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'

// A real process, which is asked for chats, and what it has loaded until its end: with this variable of its own, Node says at the
// end of a process which scripts have run in it.

const TRACING = /\/src\/(?:calls\/tracing\/|platform\/telemetry\/(?:otlp\/|semconv))/
const KEY = 'key-of-loaded-modules'

describe('modules that a gateway loads', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let started = 0
  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder.remove())

  test('without a collector, none that is for one', async () => {
    const loaded = await loadedBy({})
    assert.ok(loaded.some((url) => url.endsWith('/src/platform/telemetry/metrics.ts')))
    assert.deepEqual(
      loaded.filter((url) => TRACING.test(url)),
      [],
    )
  })

  test('none either if telemetry is switched off', async () => {
    const env = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    assert.ok(!(await loadedBy(env)).some((url) => TRACING.test(url)))
  })

  test('with a collector, those that are', async () => {
    const collector = await startCollector()
    const loaded = await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    await collector.close()
    for (const name of [
      'calls/tracing/open-telemetry.ts',
      'platform/telemetry/otlp/exporter.ts',
      'platform/telemetry/semconv.ts',
    ])
      assert.ok(
        loaded.some((url) => url.endsWith(`/src/${name}`)),
        name,
      )
  })

  /** What a process has loaded that answered a chat, a stream and its metrics, and then ended. */
  async function loadedBy(env: Record<string, string>): Promise<string[]> {
    const NODE_V8_COVERAGE = join(folder.path, `loaded-${started++}`)
    const gateway = await startProcess({ DATA_DIR: folder.data, GATEHOUSE_API_KEY: KEY, NODE_V8_COVERAGE, ...env })
    for (const stream of [false, true]) {
      const answer = await fetch(`${gateway.url}/v3/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }], stream }),
      })
      assert.equal(answer.status, 200, await answer.text())
    }
    assert.equal((await fetch(`${gateway.adminUrl}/metrics`)).status, 200)
    assert.equal((await gateway.stop()).code, 0)
    return await scriptsIn(NODE_V8_COVERAGE)
  }
})

/** A file for each process and thread. */
async function scriptsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder)
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url))
}
