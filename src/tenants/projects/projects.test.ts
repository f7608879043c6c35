import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { newKey } from '../../../test/fakes/new-key.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { createKey, digestOf } from '../access/api-keys.ts'
import { KeyCache } from '../access/key-cache.ts'
import { authorOf, CLI_ACTOR } from '../people/actor.ts'
import { findFile, insertFile } from '../../platform/store/files.ts'
import { type Owner, ownerIn, projectOwner } from '../../platform/store/owner.ts'
import { insertKey } from '../../platform/store/keys/keys.ts'
import { updateKey } from '../../platform/store/keys/update-key.ts'
import { insertLimit, readStoredLimits } from '../../platform/store/limits/stored-limits.ts'
import { removeProject } from './delete-project.ts'
import { createOrganization, removeOrganization } from './organizations.ts'
import { createProject, showProject, updateProject } from './projects.ts'

await onBothStores('projects', ({ one: db, other }) => {
  const clocks = { now: Date.now, monotonic: () => performance.now() }
  const keyCache = new KeyCache({ db, ...clocks })
  const services = { db, keyCache, actor: CLI_ACTOR, author: authorOf(CLI_ACTOR) }

  test('a policy of a project reaches its keys in another process, and a deletion revokes them there', async () => {
    const { id } = await createProject({ name: 'Recherche n° 7' }, services)
    assert.equal(id, 'recherche-n-7')
    assert.equal((await createProject({ name: 'Recherche n° 7' }, services)).id, 'recherche-n-7-2')
    const secret = createKey('live')
    await insertKey(db, newKey({ digest: digestOf(secret), project: id }))
    const there = new KeyCache({ db: other, ...clocks })
    await there.open()
    assert.equal((await there.find(secret))?.ownerId, id)
    await updateProject(id, { policy: { models: ['openai/*'] } }, services)
    await there.refresh()
    assert.deepEqual((await there.find(secret))?.policy?.models, [['openai/*']])
    const deleted: string[] = []
    await insertFile(db, file(projectOwner({ organization: 'default', project: id })), 1_000)
    const files = { blobs: { delete: async (one: string) => void deleted.push(one) } as never }
    await removeProject(id, { force: false }, { ...services, files })
    assert.deepEqual(deleted, ['f'])
    assert.deepEqual(await db.query('SELECT id FROM files'), [])
    await there.refresh()
    assert.equal(await there.find(secret), undefined)
    await assert.rejects(showProject(id, services), /no such project/)
    await there.close()
  })

  test('a project with the id of a key shares nothing of what the key has for itself', async () => {
    const key = (await insertKey(db, newKey({ project: 'personal' })))!
    const { id } = await createProject({ name: 'other', id: key.id }, services)
    await insertFile(db, file(ownerIn({ organization: 'default', project: 'personal' }, 'key', key.id)), 1_000)
    const same = projectOwner({ organization: 'default', project: id })
    assert.equal(await findFile(db, same.owner, 'f'), undefined)
    await removeProject(id, { force: false }, { ...services, files: { blobs: {} as never } })
    assert.equal((await db.query('SELECT id FROM files')).length, 1)
  })

  test('a project joins no organization that is deleted at the same moment', async () => {
    const { id } = await createProject({ name: 'joining' }, services)
    const people = { db: other, actor: CLI_ACTOR, author: services.author, newId: randomUUID }
    for (let round = 0; round < 10; round++) {
      const organization = (await createOrganization({ name: `round ${round}` }, people)).id
      const [removed, ...joined] = await Promise.allSettled([
        removeOrganization(organization, people),
        updateProject(id, { organization }, services),
        createProject({ name: 'late', organization }, services),
      ])
      const refusals = [removed, ...joined].flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
      assert.ok(
        refusals.every((code) => code === 'conflict' || code === 'validation_error'),
        String(refusals),
      )
      assert.equal(
        removed.status === 'fulfilled',
        joined.every(({ status }) => status === 'rejected'),
      )
    }
  })

  test('an organization that was deleted takes its limits along, and its id and its calls pass to no other organization', async () => {
    const people = { db, actor: CLI_ACTOR, author: services.author, newId: randomUUID }
    assert.equal((await createOrganization({ name: 'Acme' }, people)).id, 'acme')
    for (const holder of ['acme', 'acme-2']) await insertLimit(db, { ...limitOf(holder), id: holder, max: 10 })
    await removeOrganization('acme', people)
    assert.deepEqual(
      (await readStoredLimits(db, 10)).map(({ id }) => id),
      ['acme-2'],
    )
    await assert.rejects(createOrganization({ name: 'Acme', id: 'acme' }, people), { code: 'conflict' })
    assert.equal((await createOrganization({ name: 'Acme' }, people)).id, 'acme-2')
  })

  test('what is stored is never shown to other keys by a change of the sharing mode or of the project', async () => {
    const { id } = await createProject({ name: 'apart', share: 'key' }, services)
    const key = (await insertKey(db, newKey({ project: id })))!
    assert.deepEqual([key.ownerKind, key.ownerId], ['key', key.id])
    await insertFile(db, file(ownerIn({ organization: 'default', project: id }, 'key', key.id)), 1_000)
    await assert.rejects(updateProject(id, { share: 'project' }, services), /stored files/)
    await createProject({ name: 'together', id: 'together' }, services)
    assert.equal(await updateKey(db, key.id, { project: 'together' }), undefined)
    const { id: other } = await createProject({ name: 'apart, too', share: 'key' }, services)
    assert.equal((await updateKey(db, key.id, { project: other }))?.ownerId, key.id)
    const moved = ownerIn({ organization: 'default', project: other }, 'key', key.id)
    assert.equal((await findFile(db, moved.owner, 'f'))?.project, other, 'it goes along')
    await db.query('DELETE FROM files')
    assert.equal((await updateKey(db, key.id, { project: 'together' }))?.ownerId, 'together')
  })
})

function limitOf(id: string) {
  const entry = { appliesTo: `organization:${id}`, limit: 1, window: 'day' }
  const settings = JSON.stringify({ kind: 'budget', entry })
  return { settings, quota: { appliesTo: { holder: 'organization', id }, setBy: 'installation', max: 10 } }
}

function file(owner: Owner) {
  const fixed = { name: 'n', size: 1, type: 't', purpose: 'p', metadata: '{}', origin: 'upload' as const }
  return { id: 'f', ...owner, ...fixed, lifetimeMs: 60_000 }
}
