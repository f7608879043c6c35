import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeForAll } from '../../test/fakes/stores.ts'
import { CLAIM, newJob } from '../../test/fakes/new-job.ts'
import type { AppContext } from '../app/context.ts'
import type { MemoryLease } from '../calls/memory-budget.ts'
import { claimJobs } from '../store/job-runs.ts'
import { submitJob } from '../store/jobs.ts'
import { openRequest } from './open-request.ts'

const db = await storeForAll()
const memory = { hold: async () => {} } as unknown as MemoryLease
const context = { db, loopSlot: async () => {} } as unknown as AppContext
const EARLIER = { keyId: 'k1', kind: 'live', region: 'eu', scopes: null, expiresAt: null, allowedIps: null }

test('a job that a version without projects stored has a caller with a project, small and large', async () => {
  for (const [owner, project] of [
    ['team', 'team'],
    ['k1', 'personal'],
  ] as const) {
    for (const text of ['short', 'long'.repeat(500_000)]) {
      await submitJob(db, newJob({ request: { body: { text }, caller: { ...EARLIER, owner } } }))
      const [job] = await claimJobs(db, CLAIM)
      const { caller } = await openRequest(job!, { memory, signal: new AbortController().signal, context })
      const added = { keyName: '', project, organization: 'default', user: null, policy: null }
      assert.deepEqual(caller, { ...EARLIER, owner, ...added })
    }
  }
})
