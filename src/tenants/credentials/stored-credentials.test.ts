import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventLog } from '../../../test/fakes/event-log.ts'
import { nextMillisecond, onBothStores } from '../../../test/fakes/stores.ts'
import { openSecrets, type Secrets } from '../../platform/secrets/secrets.ts'
import type { Database } from '../../platform/store/database.ts'
import {
  deleteCredential,
  insertCredential,
  listCredentials,
  secretNameOf,
  updateCredential,
} from '../../platform/store/installation/credentials.ts'
import { readVersions } from '../../platform/store/installation/versions.ts'
import { readStoredCredentials } from './stored-credentials.ts'

const [FIRST, SECOND] = ['1', '2'].map((digit) => digit.repeat(32)) as [string, string]

await onBothStores('stored credentials', ({ one: db, other }) => {
  test('are encrypted, read in the order of their creation, and known to every process', async () => {
    const secrets = await open(FIRST)
    for (const name of ['b', 'a']) {
      await add(db, secrets, name, `sk-canary-${name}`)
      await nextMillisecond(db)
    }
    const read = await readStoredCredentials(other, await open(FIRST, other), eventLog())
    assert.deepEqual(
      read.openai?.map(({ name, secret, weight }) => [name, secret, weight]),
      [
        ['b', 'sk-canary-b', 2],
        ['a', 'sk-canary-a', 2],
      ],
    )
    const everything = [
      await db.query('SELECT * FROM credentials'),
      await db.query('SELECT * FROM secrets'),
      await db.query('SELECT * FROM settings'),
    ]
    assert.ok(!JSON.stringify(everything).includes('sk-canary-'))
  })

  test('a name is unique at its provider, also if two processes take it at once; another provider may have it too', async () => {
    const [mine, theirs] = await Promise.all([open(FIRST), open(FIRST, other)])
    const added = await Promise.all([add(db, mine, 'x', 'one'), add(other, theirs, 'x', 'two')])
    assert.deepEqual(added.map(({ isNew }) => isNew).sort(), [false, true])
    assert.equal((await add(db, mine, 'x', 'three', 'groq')).isNew, true)
    const rows = await db.query('SELECT name FROM secrets')
    assert.equal(rows.length, 2)
  })

  test('a change names what it changes, and every change has a version of its own', async () => {
    const secrets = await open(FIRST)
    const { id } = await add(db, secrets, 'x', 'one')
    await add(db, secrets, 'y', 'other')
    const versions = [await version(db)]
    assert.equal(await updateCredential(db, id, { name: 'z', weight: 7, secret: undefined }), true)
    versions.push(await version(db))
    const sealed = secrets.sealed(secretNameOf(id), 'two')
    assert.equal(await updateCredential(db, id, { name: 'z', weight: 7, secret: sealed }), true)
    versions.push(await version(db))
    assert.equal(await updateCredential(db, id, { name: 'y', weight: 7, secret: undefined }), false)
    const read = (await readStoredCredentials(db, secrets, eventLog())).openai
    assert.deepEqual(
      read?.find((credential) => credential.id === id),
      { id, name: 'z', secret: 'two', weight: 7 },
    )
    assert.equal(await deleteCredential(db, id), true)
    assert.equal(await deleteCredential(db, id), false)
    versions.push(await version(db))
    assert.equal(new Set(versions).size, 4)
    assert.equal((await db.query('SELECT name FROM secrets')).length, 1)
  })

  test('another encryption key takes them over, and a process that missed that can write none', async () => {
    const late = await open(FIRST)
    const { id } = await add(db, late, 'x', 'one')
    const rotated = await open(`${SECOND},${FIRST}`)
    assert.equal((await readStoredCredentials(db, rotated, eventLog())).openai?.[0]?.secret, 'one')
    assert.equal((await add(db, late, 'y', 'two')).isNew, false)
    const sealed = late.sealed(secretNameOf(id), 'late')
    assert.equal(await updateCredential(db, id, { name: 'x', weight: 1, secret: sealed }), false)
    assert.equal((await listCredentials(db)).length, 1)
    await assert.rejects(readStoredCredentials(db, late, eventLog()), /another encryption key/)
  })

  test('one that cannot be decrypted is left out and named in the log, and the others work', async () => {
    const secrets = await open(FIRST)
    const { id } = await add(db, secrets, 'damaged', 'one')
    await add(db, secrets, 'fine', 'two')
    await db.query('UPDATE secrets SET sealed = $1 WHERE name = $2', ['v1.AAAA', secretNameOf(id)])
    const log = eventLog()
    const read = await readStoredCredentials(db, secrets, log)
    assert.deepEqual(
      read.openai?.map(({ name }) => name),
      ['fine'],
    )
    assert.match(JSON.stringify(log), /damaged/)
  })

  function open(keys: string, store = db) {
    return openSecrets(store, { dataDir: 'unused', encryptionKeys: keys.split(',') })
  }
})

async function add(db: Database, secrets: Secrets, name: string, secret: string, provider = 'openai') {
  const id = randomUUID()
  const isNew = await insertCredential(db, { id, provider, name, weight: 2 }, secrets.sealed(secretNameOf(id), secret))
  return { id, isNew }
}

async function version(db: Database): Promise<string | undefined> {
  return (await readVersions(db, ['credentials-version'])).get('credentials-version')
}
