import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_CALLER } from '../../test/fakes/any-caller.ts'
import { claimOne, newJob } from '../../test/fakes/new-job.ts'
import { newKey } from '../../test/fakes/new-key.ts'
import { onBothStores } from '../../test/fakes/stores.ts'
import type { CallServices } from '../calls/services/call-services.ts'
import type { MemoryLease } from '../calls/memory-budget.ts'
import { submitJob } from '../platform/store/jobs/jobs.ts'
import { insertKey } from '../platform/store/keys/keys.ts'
import { updateKey } from '../platform/store/keys/update-key.ts'
import { ownerIn } from '../platform/store/owner.ts'
import { changeProject } from '../platform/store/projects/change-project.ts'
import { insertOrganization } from '../platform/store/projects/organizations.ts'
import { insertProject } from '../platform/store/projects/projects.ts'
import { openRequest } from './open-request.ts'

await onBothStores('a job whose key and project have moved while it waited', ({ one: db }) => {
  test('runs, and stores, for its owner of today', async () => {
    await insertOrganization(db, { id: 'acme', name: 'Acme' })
    await insertProject(db, {
      id: 'lab',
      name: 'Lab',
      organization: 'default',
      share: 'key',
      region: null,
      policy: null,
    })
    const key = (await insertKey(db, newKey({ project: 'personal' })))!
    const before = ownerIn({ organization: 'default', project: 'personal' }, 'key', key.id)
    const caller = { ...ANY_CALLER, ...before, keyId: key.id }
    await submitJob(db, newJob({ ...before, keyId: key.id, request: { body: {}, caller } }))
    assert.ok(await updateKey(db, key.id, { project: 'lab' }))
    assert.ok(await changeProject(db, 'lab', { organization: 'acme' }))
    const opening = {
      memory: {} as MemoryLease,
      signal: new AbortController().signal,
      services: { db } as CallServices,
    }
    const opened = await openRequest(await claimOne(db), opening)
    const { organization, project, ownerKind, ownerId, owner } = opened.caller
    const after = ownerIn({ organization: 'acme', project: 'lab' }, 'key', key.id)
    assert.deepEqual({ organization, project, ownerKind, ownerId, owner }, after)
  })
})
