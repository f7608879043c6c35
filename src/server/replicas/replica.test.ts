import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventLog } from '../../../test/fakes/event-log.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { sharedPrivateKey } from '../../../test/fakes/signing-key.ts'
import { ConfigError } from '../../platform/config/config-error.ts'
import type { Database } from '../../platform/store/database.ts'
import { listProcesses } from '../../platform/store/installation/processes.ts'
import { WebhookKeys } from '../../jobs/webhooks/webhook-keys.ts'
import { Peers } from './peers.ts'
import { Replica } from './replica.ts'

const ROW = { number: 1, role: 'all', blobs: 'folder:a', webhookKey: 'k', learnedNumber: 0 }

test('a process is alive while its count changes, by our own clock', () => {
  let clock = 0
  const peers = new Peers('own', () => clock)
  const note = (beats: number) =>
    peers.note([
      { ...ROW, id: 'own', beats },
      { ...ROW, id: 'other', beats },
    ])
  note(5)
  assert.deepEqual(peers.live, [])
  clock = 1_000
  note(6)
  assert.ok(peers.isLive('other') && !peers.isLive('own'))
  clock = 17_000
  assert.deepEqual(note(6), [])
  assert.ok(!peers.isLive('other'))
  clock = 62_000
  assert.deepEqual(
    note(6).map(({ id }) => id),
    ['other'],
  )
})

await onBothStores('replicas', ({ one: db, other }) => {
  test('of two that start at once with different folders, one is refused', async () => {
    const joined = await Promise.allSettled([run(db, 'x', 'folder:a'), run(other, 'y', 'folder:b')])
    const replicas = joined.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const [refused] = joined.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    assert.equal(replicas.length, 1)
    assert.ok(refused instanceof ConfigError && refused.message.includes('BLOB_URL'))
    assert.equal((await listProcesses(db)).length, 1)
    await replicas[0]!.replica.close()
    assert.deepEqual(await listProcesses(db), [])
  })

  test('what one has learned reaches the other once, and is forgotten when it is gone', async () => {
    const one = await join(db, 'x', 's3:bucket/a')
    const two = await join(other, 'y', 's3:bucket/b')
    one.say('news')
    for (let look = 0; look < 3; look++) await Promise.all([one.replica.look(), two.replica.look()])
    assert.deepEqual([two.heard, two.replica.peers.map(({ id }) => id)], [['x: news'], ['x']])
    await one.replica.close()
    await two.replica.look()
    assert.deepEqual(two.heard, ['x: news', 'x is gone'])
    await two.replica.close()
  })

  test('a text that is too long is not read', async () => {
    const one = await join(db, 'x', 'folder:a')
    const two = await join(other, 'y', 'folder:a')
    one.say('x'.repeat(100_000))
    for (let look = 0; look < 3; look++) await Promise.all([one.replica.look(), two.replica.look()])
    assert.deepEqual(two.heard, [])
    await Promise.all([one.replica.close(), two.replica.close()])
  })
})

async function run(db: Database, id: string, blobs: string) {
  const joined = await join(db, id, blobs)
  joined.replica.start()
  return joined
}

/** A replica whose loop does not run, and to which a busy machine is not silent. */
async function join(db: Database, id: string, blobs: string) {
  let text = ''
  const heard: string[] = []
  const learner = {
    text: () => text,
    learn: (from: string, learned: string) => void (learned && heard.push(`${from}: ${learned}`)),
    forget: (from: string) => void heard.push(`${from} is gone`),
  }
  const webhookKeys = new WebhookKeys(sharedPrivateKey(), 0)
  const replica = await Replica.join({
    db,
    log: { ...eventLog(), debug: () => undefined },
    process: { id, role: 'all', blobs },
    webhookKeys,
    learner,
    ledgerWaiting: () => 0,
    refreshAliases: async () => {},
    refreshLimits: async () => {},
    refreshGuardrails: async () => {},
    leaveMs: 600_000,
    clock: () => 0,
  })
  return {
    replica,
    heard,
    say: (news: string) => {
      text = news
    },
  }
}
