import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestLine } from '../../../src/contract/admin/requests.ts'
import { nextMillisecond, storeKinds } from '../../fakes/stores.ts'
import { ADMIN_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import {
  type Client,
  clientOf,
  cookieIn,
  firstOwner,
  invited,
  operator,
  PASSWORD,
} from '../../gateway/people-under-test.ts'
import { MINUTE_MS } from '../../../src/base/units/units.ts'

// The request log as it grows, with two processes on one store.

const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
/** The rights of followers are checked at every fifth look. */
const LOOKS = 5
const POLL_MS = 10

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`the live request log on ${name}`, { skip }, () => {
    let here: GatewayUnderTest
    let there: GatewayUnderTest
    let owner: Client
    let jumpMs = 0
    const keys: Record<string, string> = {}
    const closing = new AsyncDisposableStack()

    before(async () => {
      const store = await newStore()
      const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-live-'))
      const env: Record<string, string> = store.databaseUrl ? { DATABASE_URL: store.databaseUrl } : {}
      const overrides = { drainMs: 0, now: () => Date.now() + jumpMs }
      here = await startGateway({ env, dataDir, overrides })
      there = await startGateway({ env, dataDir, overrides })
      closing.defer(() => store.remove())
      closing.defer(() => rm(dataDir, { recursive: true }))
      closing.defer(() => here.close())
      closing.defer(() => there.close())
      owner = await firstOwner(here)
      for (const project of ['research', 'search']) {
        const { body } = await operator(here)('POST', '/admin/keys', { name: project, owner: project })
        keys[project] = body.key
      }
    })
    after(() => closing.disposeAsync())

    test('a call of another process arrives once, if it passes the filter', async () => {
      await using all = await follow(here, '', ADMIN)
      await using failed = await follow(here, '?failed=true', ADMIN)
      await chat(there, 'research', 'sandbox/echo', 'live-1')
      await chat(here, 'search', 'sandbox/fail-500', 'live-2')
      await Promise.all([here, there].map(({ gateway }) => gateway.services.calls.ledger.flush()))
      await look(here)
      await look(here)
      await chat(here, 'search', 'sandbox/fail-500', 'live-3')
      await look(here)
      assert.deepEqual(await all.calls(3), ['live-1', 'live-2', 'live-3'])
      assert.deepEqual(await failed.calls(2), ['live-2', 'live-3'])
      assert.match(all.type, /^text\/event-stream/)
    })

    test('a manager follows the own project only, until the role ends', async () => {
      const manager = await invited(owner, here, { email: 'mia@example.com', role: 'manager', project: 'research' })
      const cookie = await session('mia@example.com')
      await nextMillisecond(here.gateway.services.calls.db)
      await using own = await follow(here, '', cookie)
      await chat(here, 'search', 'sandbox/echo', 'live-4')
      await chat(here, 'research', 'sandbox/echo', 'live-5')
      await look(here)
      assert.deepEqual(await own.calls(1), ['live-5'])
      const { body } = await owner('GET', '/admin/members')
      const membership = body.items.find(({ user }: { user: string }) => user === manager.id)
      assert.equal((await owner('DELETE', `/admin/members/${membership.id}`)).status, 204)
      for (let at = 0; at < LOOKS; at++) await look(here)
      await own.ended()
    })

    test('it ends with the session, and looking does not prolong the session', async () => {
      const cookie = await session('owner@example.com')
      await using feed = await follow(here, '', cookie)
      const before = await ends()
      jumpMs = 2 * MINUTE_MS
      for (let at = 0; at < LOOKS; at++) await look(here)
      jumpMs = 0
      assert.deepEqual(await ends(), before)
      await clientOf(here, cookie)('DELETE', '/admin/sessions')
      for (let at = 0; at < LOOKS; at++) await look(here)
      await feed.ended()
    })

    test('a person may follow four times; a place is free again when a client leaves', async () => {
      const cookie = await session('owner@example.com')
      const feeds = await Promise.all([1, 2, 3, 4].map(() => follow(here, '', cookie)))
      const refused = await clientOf(here, cookie)('GET', '/admin/requests/live')
      assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited'])
      const elsewhere = await session('owner@example.com')
      assert.equal((await clientOf(here, elsewhere)('GET', '/admin/requests/live')).status, 429, 'in another session')
      await feeds[0]![Symbol.asyncDispose]()
      await using _again = await followSoon(cookie)
      for (const feed of feeds) await feed[Symbol.asyncDispose]()
    })

    test('a filter with a typo, and a span of time, are refused', async () => {
      for (const query of ['modell=x', 'from=2026-11-15']) {
        const { status } = await operator(here)('GET', `/admin/requests/live?${query}`)
        assert.equal(status, 422, query)
      }
      assert.equal((await operator(here)('HEAD', '/admin/requests/live')).status, 200)
    })

    test('it ends when the gateway stops, without waiting for the client', async () => {
      const last = await startGateway({ overrides: { drainMs: 0 } })
      const feed = await follow(last, '', ADMIN)
      await last.close()
      await feed.ended()
    })

    async function chat(gateway: GatewayUnderTest, project: string, model: string, id: string): Promise<void> {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] })
      const headers = { authorization: `Bearer ${keys[project]}`, 'content-type': 'application/json' }
      const url = `${gateway.url}/v3/chat/completions`
      const reply = await fetch(url, { method: 'POST', headers: { ...headers, 'x-request-id': id }, body })
      await reply.arrayBuffer()
    }

    async function session(email: string): Promise<{ cookie: string }> {
      return { cookie: cookieIn(await clientOf(here)('POST', '/admin/sessions', { email, password: PASSWORD })) }
    }

    /** When the sessions end if they are not used. */
    function ends(): Promise<unknown[]> {
      return here.gateway.services.calls.db.query('SELECT id, idle_at FROM sessions ORDER BY id')
    }

    /** The gateway notices a client that has left a moment later. */
    async function followSoon(cookie: { cookie: string }): Promise<Feed> {
      for (;;) {
        const feed = await follow(here, '', cookie)
        if (feed.status === 200) return feed
        await sleep(POLL_MS)
      }
    }
  })
}

type Feed = Awaited<ReturnType<typeof follow>>

function look({ gateway }: GatewayUnderTest): Promise<void> {
  return gateway.services.money.liveRequests.look()
}

async function follow({ adminUrl }: GatewayUnderTest, query: string, headers: Record<string, string>) {
  const leaving = new AbortController()
  const reply = await fetch(`${adminUrl}/admin/requests/live${query}`, { headers, signal: leaving.signal })
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const more = async () => {
    const { value, done } = await reader.read()
    text += value ?? ''
    return !done
  }
  return {
    status: reply.status,
    type: reply.headers.get('content-type') ?? '',
    /** Waits for so many calls, and returns the ids that their callers gave them. */
    calls: async (count: number) => {
      while (idsIn(text).length < count) assert.ok(await more(), 'the stream has ended')
      return idsIn(text)
    },
    ended: async () => {
      while (await more());
    },
    [Symbol.asyncDispose]: async () => leaving.abort(),
  }
}

function idsIn(text: string): string[] {
  const events = text.split('\n\n').slice(0, -1)
  const calls = events.filter((event) => event.startsWith('event: request\n'))
  return calls.map((event) => (JSON.parse(event.split('\ndata: ')[1]!) as RequestLine).id.split('.')[0]!)
}
