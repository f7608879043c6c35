import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { aliasVersion, deleteAlias, findStoredAlias, insertAlias, readStoredAliases, replaceAlias } from './aliases.ts'

await onBothStores('aliases', ({ one: db, other }) => {
  test('what one process writes, another reads, and the version grows with every change', async () => {
    const versions = [await aliasVersion(other)]
    assert.ok(await insertAlias(db, 'fast', '{"a":1}', 10))
    versions.push(await aliasVersion(other))
    assert.ok(await replaceAlias(db, 'fast', '{"a":1}', '{"a":2}'))
    versions.push(await aliasVersion(other))
    assert.equal((await findStoredAlias(other, 'fast'))?.settings, '{"a":2}')
    assert.ok(await deleteAlias(db, 'fast'))
    versions.push(await aliasVersion(other))
    assert.deepEqual(
      versions,
      [...new Set(versions)].sort((one, two) => one - two),
    )
    assert.deepEqual(await readStoredAliases(other, 10), [])
  })

  test('of two changes at the same time, one wins and the other learns that it did not', async () => {
    await insertAlias(db, 'fast', 'before', 10)
    const both = await Promise.all([
      replaceAlias(db, 'fast', 'before', 'one'),
      replaceAlias(other, 'fast', 'before', 'two'),
    ])
    assert.deepEqual(both.sort(), [false, true])
    const same = await Promise.all([insertAlias(db, 'new', 'one', 10), insertAlias(other, 'new', 'two', 10)])
    assert.deepEqual(same.sort(), [false, true])
    assert.deepEqual([await deleteAlias(db, 'none'), await insertAlias(db, 'third', 'x', 2)], [false, false])
    assert.deepEqual(
      (await readStoredAliases(db, 10)).map(({ name }) => name),
      ['fast', 'new'],
    )
  })
})
