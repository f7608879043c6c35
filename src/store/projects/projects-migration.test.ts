import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storeKinds, storeOfVersion } from '../../../test/fakes/stores.ts'
import { listKeys } from '../keys.ts'
import { migrate } from '../migrations.ts'

const BEFORE = 15

for (const kind of await storeKinds()) {
  describe(`keys of an earlier version on ${kind.name}`, { skip: kind.skip }, () => {
    test('join projects: those of a named owner its own, all others `personal`; whose content they use stays', async (t) => {
      const db = await storeOfVersion(BEFORE, kind, t)
      const owners = { a: 'a', b: 'Research & Co', c: 'Research & Co', d: 'default', e: 'a', f: 'personal' }
      for (const [id, owner] of Object.entries(owners)) {
        const sql = `INSERT INTO keys (id, digest, name, kind, owner, region, last4, created_at, updated_at)
          VALUES ($1, $1, $1, 'live', $2, 'global', 'abcd', 1, 1)`
        await db.query(sql, [id, owner])
      }
      await migrate(db)
      const { keys } = await listKeys(db, { limit: 10 })
      assert.deepEqual(
        keys.toReversed().map(({ id, owner, project, organization }) => [id, owner, project, organization]),
        [
          ['a', 'a', 'personal', 'default'],
          ['b', 'Research & Co', 'Research & Co', 'default'],
          ['c', 'Research & Co', 'Research & Co', 'default'],
          ['d', 'default', 'default', 'default'],
          ['e', 'a', 'personal', 'default'],
          ['f', 'personal', 'personal', 'default'],
        ],
      )
      const projects = await db.query<Record<string, string>>('SELECT id, name, share, policy FROM projects')
      assert.deepEqual(
        new Set(projects.map(({ id, name, share, policy }) => JSON.stringify([id, name, share, policy]))),
        new Set([
          '["personal","personal","key",null]',
          '["default","default","project",null]',
          '["Research & Co","Research & Co","project",null]',
        ]),
      )
    })
  })
}
