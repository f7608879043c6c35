import assert from 'node:assert/strict'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { ConfigError } from '../config/config-error.ts'
import { findSecret } from '../store/installation/secrets.ts'
import { encryptionKey, seal, unseal } from './encryption-key.ts'
import { openSecrets } from './secrets.ts'

const [FIRST, SECOND, THIRD] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string]
const WRONG = (error: unknown) => error instanceof ConfigError && /another encryption key/.test(error.message)

test('a sealed text opens with its key and under its name only, and never shows what is in it', () => {
  const [key, other] = [encryptionKey(FIRST), encryptionKey(SECOND)]
  const sealed = seal(key, 'name', 'a secret')
  assert.equal(unseal(key, 'name', sealed), 'a secret')
  assert.notEqual(seal(key, 'name', 'a secret'), sealed)
  assert.ok(!Buffer.from(sealed.slice(3), 'base64url').includes('secret'))
  assert.deepEqual([unseal(other, 'name', sealed), unseal(key, 'eman', sealed)], [undefined, undefined])
  for (const damaged of ['', 'v1.', 'v1.AAAA', sealed.slice(0, -2), `v2.${sealed.slice(3)}`, changed(sealed)])
    assert.equal(unseal(key, 'name', damaged), undefined, damaged)
  assert.ok(!key.fingerprint.includes(FIRST.slice(0, 8)) && key.fingerprint !== other.fingerprint)
})

await onBothStores('secrets', ({ one: db, other }) => {
  test('two processes that start at once get the same secret', async () => {
    const [mine, theirs] = await Promise.all([open(FIRST), open(FIRST, other)])
    const [one, two] = await Promise.all([
      mine.ensure('x', () => 'the-value-of-mine'),
      theirs.ensure('x', () => 'the-value-of-theirs'),
    ])
    assert.deepEqual(one, two)
    const { sealed } = (await findSecret(db, 'x'))!
    assert.ok(!sealed.includes('the-value-of-'))
  })

  test('another key is refused, whether there are secrets yet or not', async () => {
    await open(FIRST)
    await assert.rejects(open(SECOND), WRONG)
    await (await open(FIRST)).ensure('x', () => 'value')
    await assert.rejects(open(`${SECOND},${THIRD}`), WRONG)
    assert.equal((await (await open(FIRST)).find('x'))?.value, 'value')
  })

  test('NEW,OLD encrypts all secrets again, at once from several processes, and keeps their versions', async () => {
    const secrets = await open(FIRST)
    for (const name of ['x', 'y']) await secrets.ensure(name, () => `value of ${name}`)
    await secrets.replace('x', 'new value')
    await Promise.all([open(`${SECOND},${FIRST}`), open(`${SECOND},${FIRST}`, other)])
    const rotated = await open(SECOND)
    assert.deepEqual(await rotated.find('x'), { value: 'new value', version: 2 })
    assert.deepEqual(await rotated.find('y'), { value: 'value of y', version: 1 })
    await assert.rejects(open(FIRST), WRONG)
  })

  test('a process that missed a change of the key can neither write nor read with the old one', async () => {
    const late = await open(FIRST)
    await late.ensure('x', () => 'value')
    await open(`${SECOND},${FIRST}`)
    await assert.rejects(late.replace('x', 'late'), WRONG)
    await assert.rejects(
      late.ensure('y', () => 'late'),
      WRONG,
    )
    await assert.rejects(late.find('x'), WRONG)
    assert.equal((await (await open(SECOND)).find('x'))?.value, 'value')
  })

  test('a secret that was changed in the database is refused by name', async () => {
    const secrets = await open(FIRST)
    await secrets.ensure('x', () => 'value')
    await secrets.ensure('y', () => 'other')
    await db.query("UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE name = 'y') WHERE name = 'x'")
    await assert.rejects(secrets.find('x'), /The secret x in the database is damaged/)
    await db.query('UPDATE secrets SET sealed = $1', ['v1.'.padEnd(100_000, 'A')])
    assert.equal(await secrets.find('x'), undefined)
  })

  test('without a key, one is made in the data folder, which no other user of the machine can read', async (t) => {
    const [dataDir, elsewhere] = [await temporary(t), await temporary(t)]
    const [one, two] = await Promise.all([1, 2].map(() => openSecrets(db, { dataDir, encryptionKeys: undefined })))
    assert.deepEqual(await one!.ensure('x', () => '1'), await two!.ensure('x', () => '2'))
    const path = join(dataDir, 'encryption-key')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal((await (await open(readFileSync(path, 'utf8').trim())).find('x'))?.version, 1)
    await assert.rejects(openSecrets(db, { dataDir: elsewhere, encryptionKeys: undefined }), WRONG)
    chmodSync(path, 0o644)
    await assert.rejects(openSecrets(db, { dataDir, encryptionKeys: undefined }), /chmod 600/)
    chmodSync(path, 0o600)
    writeFileSync(path, 'short')
    await assert.rejects(openSecrets(db, { dataDir, encryptionKeys: undefined }), /does not hold an encryption key/)
  })

  function open(keys: string, store = db) {
    return openSecrets(store, { dataDir: 'unused', encryptionKeys: keys.split(',') })
  }
})

async function temporary(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-secrets-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

/** The text with one of its characters changed. */
function changed(sealed: string): string {
  const at = sealed.length - 30
  return sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
}
