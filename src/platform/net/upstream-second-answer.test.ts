import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { sample } from '../../../test/soak/sample.ts'
import { textOf } from './fixtures/raw-provider.ts'
import { openUpstream } from './upstream.ts'

// A provider that answers twice: no caller may get the answer to an earlier caller. Bytes that arrive while a request is on
// its way look like its answer, so no client can be certain, but this must be very rare.

const REQUESTS = sample(300, 6_000)
/** Of 6,000 requests, 0 to 2 on a machine under load; 600 to 2,300 if a connection is reused at once. */
const MAX_WRONG = REQUESTS / 100
const SPREAD_MS = 2

/** How many turns of the event loop are between two requests at most, and whether the provider delays small writes. */
const CASES = {
  'at once': { maxLoops: 0, gathers: false },
  'at random moments': { maxLoops: 40, gathers: false },
  'at once, of a provider that gathers its writes,': { maxLoops: 0, gathers: true },
}

for (const [name, { maxLoops, gathers }] of Object.entries(CASES))
  test(`a request ${name} after another gets its own answer, though the other's comes twice`, async (context) => {
    const ask = await openAsker(context, gathers)
    let wrong = 0
    for (let request = 0; request < REQUESTS; request++) {
      for (let turns = Math.random() * maxLoops; turns >= 1; turns--) await nextTurn()
      const caller = request % 2 ? 'one' : 'other'
      if ((await ask(`/${caller}/${request}`)) !== `/${caller}/${request}`) wrong++
    }
    assert.ok(wrong <= MAX_WRONG, `${wrong} of ${REQUESTS} got an answer that was meant for the other`)
  })

async function openAsker(context: TestContext, gathers: boolean): Promise<(path: string) => Promise<string>> {
  const provider = new Worker(new URL('./http1/fixtures/answers-twice.ts', import.meta.url), {
    workerData: { spreadMs: SPREAD_MS, gathers },
  })
  const [port] = await once(provider, 'message')
  const upstream = openUpstream()
  context.after(async () => {
    await upstream.close()
    await provider.terminate()
  })
  return async (path) => {
    const request = { method: 'GET' as const, url: `http://127.0.0.1:${port}${path}`, headers: {}, body: null }
    const timeouts = { headersMs: 600_000, idleMs: 600_000 }
    return textOf((await upstream.send(request, { signal: new AbortController().signal, owner: 'any', timeouts })).body)
  }
}
