import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storeKinds, storeOfVersion } from '../../../test/fakes/stores.ts'
import { migrate } from '../migrations.ts'
import { membershipsOf } from './members.ts'

const BEFORE = 21

for (const kind of await storeKinds())
  describe(`roles of an earlier version on ${kind.name}`, { skip: kind.skip }, () => {
    test('owners of default own the other organizations, and roles on a project belong where the project belongs', async (t) => {
      const db = await storeOfVersion(BEFORE, kind, t)
      await db.query(`INSERT INTO organizations (id, name, created_at) VALUES ('acme', 'Acme', 1)`)
      const project = `INSERT INTO projects (id, organization, name, share, created_at, updated_at, deleted_at)
        VALUES ($1, 'acme', $1, 'project', 1, 1, $2)`
      await db.query(project, ['search', null])
      await db.query(project, ['gone', 1])
      const roles: [string, string | null, string][] = [
        ['olga', null, 'owner'],
        ['adam', null, 'admin'],
        ['mia', 'search', 'manager'],
        ['mia', 'gone', 'manager'],
      ]
      const member = `INSERT INTO members (id, organization, project, user_id, role, source, created_at, updated_at)
        VALUES ($1, 'default', $2, $3, $4, 'manual', 1, 1)`
      for (const [user, where, role] of roles) await db.query(member, [`${user} ${where}`, where, user, role])
      await migrate(db)
      const held = async (user: string) =>
        (await membershipsOf(db, user))
          .map(({ organization, project: where, role }) => [organization, where, role])
          .sort()
      assert.deepEqual(await held('olga'), [
        ['acme', null, 'owner'],
        ['default', null, 'owner'],
      ])
      assert.deepEqual(await held('adam'), [['default', null, 'admin']])
      assert.deepEqual(await held('mia'), [['acme', 'search', 'manager']])
      const ids = (await membershipsOf(db, 'olga')).map(({ id }) => id).filter((id) => id !== 'olga null')
      assert.match(ids[0]!, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    })
  })
