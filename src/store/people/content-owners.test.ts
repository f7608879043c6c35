import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimOne, newDelivery, newJob, success } from '../../../test/fakes/new-job.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { accessTo } from '../../jobs/admin/content-readers.ts'
import { CLI_ACTOR } from '../../people/actor.ts'
import { listDeliveries, readSent } from '../deliveries/watched-deliveries.ts'
import { finishJob } from '../job-runs.ts'
import { submitJob } from '../jobs.ts'
import { findJobDetail } from '../jobs/job-detail.ts'
import { listAllJobs } from '../jobs/watched-jobs.ts'
import { insertOrganization } from '../projects/organizations.ts'
import { ownerApart, projectOfOwner } from './content-owners.ts'
import { insertProject } from '../projects/projects.ts'

await onBothStores('content of a caller without a key in the store, who shares nothing', ({ one: db }) => {
  test('belongs to the organization of its project, and to no other one', async () => {
    await insertOrganization(db, { id: 'acme', name: 'Acme' })
    const project = { id: 'lab', name: 'Lab', organization: 'acme', region: null, policy: null }
    await insertProject(db, { ...project, share: 'key' })
    const owner = ownerApart('jwt-somebody', 'lab')
    const job = newJob({ owner, keyId: 'jwt-somebody' })
    await submitJob(db, job)
    const delivery = newDelivery({ jobId: job.id, owner })
    await finishJob(db, success(await claimOne(db)), delivery)
    const seen = async (organization: string) => {
      const reach = { organizations: [organization], projects: [], own: undefined }
      const [jobs, deliveries] = [
        await listAllJobs(db, { limit: 9, reach }),
        await listDeliveries(db, { limit: 9, reach }),
      ]
      return [jobs.items.length, deliveries.items.length]
    }
    assert.deepEqual(
      [await seen('acme'), await seen('default')],
      [
        [1, 1],
        [0, 0],
      ],
    )
    assert.equal((await findJobDetail(db, job.id))!.organization, 'acme')
    assert.equal((await readSent(db, delivery.id))!.organization, 'acme')
    const { place } = await accessTo({ project: null, owner, user: null }, { db, actor: CLI_ACTOR })
    assert.deepEqual([place.organization, place.project], ['acme', 'lab'])
  })

  test('no id that people choose for a project makes its content that of another project', async () => {
    await insertOrganization(db, { id: 'other', name: 'Other' })
    for (const id of ['apart-team', `apart-${'0'.repeat(33)}lab`]) {
      await insertProject(db, { id, name: id, organization: 'other', region: null, policy: null, share: 'project' })
      const job = newJob({ owner: id })
      await submitJob(db, job)
      const seenBy = async (organization: string) => {
        const reach = { organizations: [organization], projects: [], own: undefined }
        return (await listAllJobs(db, { limit: 99, reach })).items.some((one) => one.id === job.id)
      }
      assert.deepEqual([await seenBy('other'), await seenBy('acme')], [true, false])
      assert.equal((await findJobDetail(db, job.id))!.organization, 'other')
      assert.equal(projectOfOwner(id), id)
    }
  })
})
