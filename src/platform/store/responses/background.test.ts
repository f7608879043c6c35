import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerNamed } from '../../../../test/fakes/owners.ts'
import { claimOne, newJob, OVER_AT_ONCE_MS, success } from '../../../../test/fakes/new-job.ts'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import type { Database } from '../database.ts'
import { finishJob, JsonText } from '../jobs/job-runs.ts'
import { getJob, listJobs, RESPONSES } from '../jobs/jobs.ts'
import * as store from './background.ts'
import * as conversations from './conversations.ts'
import { allItems } from './conversation-items.ts'
import { DAY_MS } from '../../../base/units/units.ts'

const ME = 'owner'

await onBothStores('responses in the background', ({ one, other }) => {
  test('are found by their owner alone, as responses and not as jobs', async () => {
    const id = await submitted(one)
    const found = await store.findBackground(other, { id, owner: ME, keepMs: DAY_MS })
    assert.deepEqual([found?.state, found?.stop, found?.shell, found?.isStreamed], ['queued', null, '{}', true])
    assert.equal(await store.findBackground(one, { id, owner: 'you', keepMs: DAY_MS }), undefined)
    assert.equal(await store.deleteResponse(one, 'you', id), false)
    await store.cancelResponse(one, 'you', id)
    assert.equal((await store.readEvents(one, 'you', id, -1)).state, undefined)
    assert.equal((await store.findBackground(one, { id, owner: ME, keepMs: DAY_MS }))?.stop, null)
    assert.equal(await getJob(one, ME, id), undefined)
    assert.equal((await listJobs(one, ME, { page: 1, limit: 9 })).total, 0)
  })

  test('only the attempt that runs the job writes events, and the numbers of a dead one are not used again', async () => {
    const id = await submitted(one)
    const dead = await claimOne(one, { leaseMs: OVER_AT_ONCE_MS })
    assert.equal(await store.beginEvents(one, dead), 0)
    assert.equal(await store.addEvents(one, dead, { first: 0, last: 4, events: 'a' }), true)
    const living = await claimOne(other)
    assert.equal(await store.addEvents(one, dead, { first: 5, last: 5, events: 'late' }), false)
    assert.equal(await store.beginEvents(other, living), 5)
    assert.equal(await store.beginEvents(other, living), 5, 'also if it died before its first event')
    assert.equal(await store.addEvents(other, living, { first: 5, last: 9, events: 'b' }), true)
    const read = await store.readEvents(one, ME, id, 2)
    assert.deepEqual(
      read.batches.map((batch) => ({ ...batch })),
      [{ first: 5, last: 9, events: 'b' }],
    )
    assert.deepEqual([read.state, read.endNumber], ['running', 10])
    await store.cancelResponse(one, ME, id)
    assert.equal(await store.addEvents(other, living, { first: 10, last: 10, events: 'c' }), false)
  })

  test('a deleted one is gone at once, with what its caller sent, and its job stays until it has stopped', async () => {
    const id = await submitted(one)
    const job = await claimOne(one)
    assert.equal(await store.deleteResponse(one, ME, id), true)
    assert.equal(await store.deleteResponse(one, ME, id), false)
    assert.equal(await store.findBackground(one, { id, owner: ME, keepMs: DAY_MS }), undefined)
    assert.equal((await store.readEvents(one, ME, id, -1)).state, undefined)
    assert.deepEqual(await one.query('SELECT 1 FROM job_requests WHERE job_id = $1', [id]), [])
    assert.equal(await finishJob(one, success(job)), true, 'its ledger line is written')
    const ended = await submitted(one)
    await finishJob(one, success(await claimOne(one), { output: new JsonText('{"a":1.10}') }))
    assert.equal(await store.readResult(other, ended), '{"a":1.10}')
    assert.equal(await store.deleteResponse(one, ME, ended), true)
    assert.deepEqual(await one.query('SELECT 1 FROM jobs WHERE id = $1', [ended]), [])
  })

  test('one that is older than responses are kept is gone', async () => {
    const id = await submitted(one)
    await finishJob(one, success(await claimOne(one), { finishedAt: Date.now() - 2 * DAY_MS }))
    assert.equal(await store.findBackground(one, { id, owner: ME, keepMs: DAY_MS }), undefined)
    assert.equal((await store.findBackground(one, { id, owner: ME, keepMs: 3 * DAY_MS }))?.state, 'success')
  })

  test('the end of a job adds its turn to a conversation once, however often it is written, and a late one nothing', async () => {
    await submitted(one)
    const conversation = { id: 'conv_1', ...ownerNamed(ME), metadata: '{}', lifetimeMs: DAY_MS }
    await conversations.insertConversation(one, conversation, { conversations: 1, ownerBytes: 100 })
    const items = [{ id: 'msg_1', item: '"said"' }]
    const addition = { conversation: 'conv_1', owner: ME, items, lifetimeMs: DAY_MS, token: 'a' }
    const dead = await claimOne(one, { leaseMs: OVER_AT_ONCE_MS })
    const run = success(await claimOne(one), { also: (ended) => conversations.appendWithJob(addition, ended) })
    const late = { ...addition, items: [{ id: 'msg_2', item: '"late"' }], token: 'b' }
    assert.equal(
      await finishJob(one, { ...run, ...dead, also: (ended) => conversations.appendWithJob(late, ended) }),
      false,
    )
    assert.deepEqual([await finishJob(one, run), await finishJob(other, run)], [true, true])
    assert.deepEqual(
      (await allItems(one, 'conv_1')).map(({ id }) => id),
      ['msg_1'],
    )
    assert.equal((await conversations.findConversation(one, ME, 'conv_1'))?.items, 1)
  })
})

async function submitted(db: Database): Promise<string> {
  const job = newJob({ feature: RESPONSES, subfeature: 'background', owner: ME })
  await store.submitResponse(db, job, { shell: '{}', isStreamed: true })
  return job.id
}
