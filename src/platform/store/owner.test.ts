import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { claimOne, newDelivery, newJob, success } from '../../../test/fakes/new-job.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { accessTo } from '../../jobs/admin/content-readers.ts'
import { CLI_ACTOR } from '../../tenants/people/actor.ts'
import { sample } from '../../../test/soak/sample.ts'
import { listDeliveries } from './deliveries/watched-deliveries.ts'
import { finishJob } from './jobs/job-runs.ts'
import { submitJob } from './jobs/jobs.ts'
import { findJobDetail } from './jobs/job-detail.ts'
import { listAllJobs } from './jobs/watched-jobs.ts'
import { type OwnerKind, ownerIn, ownerKey, projectOwner } from './owner.ts'
import { changeProject } from './projects/change-project.ts'
import { insertOrganization } from './projects/organizations.ts'
import { insertProject } from './projects/projects.ts'

const KINDS: OwnerKind[] = ['project', 'key', 'subject', 'person', 'operator']

test('two owners have the same text only if they are the same, whatever their ids look like', () => {
  const id = fc.oneof(fc.constantFrom('', 'a', '","key","', 'a,b', '["a","key","b"]', '\u0000', '\ud800'), fc.string())
  const whose = fc.record({ project: id, ownerKind: fc.constantFrom(...KINDS), ownerId: id })
  fc.assert(
    fc.property(whose, whose, (one, other) => {
      const isSame = one.project === other.project && one.ownerKind === other.ownerKind && one.ownerId === other.ownerId
      assert.equal(ownerKey(one) === ownerKey(other), isSame)
    }),
    { numRuns: sample(500, 50_000) },
  )
})

await onBothStores('content of a caller without a key in the store, who shares nothing', ({ one: db }) => {
  test('belongs to the organization of its project, and goes with the project to another one', async () => {
    for (const id of ['acme', 'other']) await insertOrganization(db, { id, name: id })
    const project = { id: 'lab', name: 'Lab', organization: 'acme', region: null, policy: null }
    await insertProject(db, { ...project, share: 'key' })
    const owner = ownerIn({ organization: 'acme', project: 'lab' }, 'subject', 'jwt-1')
    const job = newJob({ ...owner, keyId: 'jwt-1' })
    await submitJob(db, job)
    await finishJob(db, success(await claimOne(db)), newDelivery({ jobId: job.id }))
    const seen = async (organization: string) => {
      const reach = { organizations: [organization], projects: [], own: undefined }
      const [jobs, deliveries] = [
        await listAllJobs(db, { limit: 9, reach }),
        await listDeliveries(db, { limit: 9, reach }),
      ]
      return [jobs.items.length, deliveries.items.length]
    }
    for (const organization of ['acme', 'other']) {
      await changeProject(db, 'lab', { organization })
      const places = ['acme', 'other', 'default']
      const expected = places.map((place) => (place === organization ? [1, 1] : [0, 0]))
      assert.deepEqual(await Promise.all(places.map(seen)), expected)
      const detail = (await findJobDetail(db, job.id))!
      const { scope } = await accessTo(detail, { db, actor: CLI_ACTOR })
      assert.deepEqual([scope.organization, scope.project], [organization, 'lab'])
    }
  })

  test('a process that has not heard of the move yet stores where the project is', async () => {
    for (const id of ['acme', 'other']) await insertOrganization(db, { id, name: id })
    const project = { id: 'lab', name: 'Lab', organization: 'acme', region: null, policy: null }
    await insertProject(db, { ...project, share: 'project' })
    const known = projectOwner({ organization: 'acme', project: 'lab' })
    await changeProject(db, 'lab', { organization: 'other' })
    const job = newJob(known)
    await submitJob(db, job)
    assert.equal((await findJobDetail(db, job.id))!.organization, 'other')
  })
})
