import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { storedKey } from '../../../test/fakes/new-key.ts'
import { KeysOnDisk } from './keys-on-disk.ts'
import { KeyFile, type KeyFileContent } from './key-file.ts'
import type { Moment } from './key-file-age.ts'
import { type CachedKey, toCachedKey } from './cached-key.ts'
import { MINUTE_MS, HOUR_MS } from '../../base/units/units.ts'

const MAX_AGE_MS = 15 * MINUTE_MS
const START: Moment = { wallMs: 1_800_000_000_000, bootMs: 5_000_000, bootId: 'one' }

const parent = await mkdtemp(join(tmpdir(), 'gatehouse-key-file-'))
after(() => rm(parent, { recursive: true }))

describe('known keys on disk', () => {
  let folder: string
  let now: Moment
  let warnings: unknown[]
  beforeEach(() => {
    folder = join(parent, randomUUID())
    now = { ...START }
    warnings = []
  })

  test('come back as they were, in files that only their owner can read', async () => {
    const { file, content } = openFile()
    const everything = { scopes: ['chat'], allowedIps: ['10.0.0.0/8'], expiresAt: 7, ownerId: 'Ünï "q"\n' }
    const [plain, full] = [known(), known({ ...everything, kind: 'sandbox' })]
    content.add('a', plain)
    file.confirmed(content)
    await file.close()
    content.add('b', full)
    file.add(digest('b'), full)
    file.confirmed(content)
    const kept = await load()
    assert.deepEqual([find(kept, 'a'), find(kept, 'b'), find(kept, 'c')], [plain.caller, full.caller, undefined])
    assert.equal(statSync(pathOf()).mode & 0o777, 0o600)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
  })

  test('a revocation is on disk when the call returns, also while the file is written anew', async () => {
    const { file, content } = openFile()
    for (const name of ['a', 'b', 'c']) content.add(name, known())
    file.confirmed(content)
    await file.close()
    file.revoke([digest('a')])
    assert.equal((await load()).find(digest('a')), 'revoked')
    const other = openFile(content)
    other.file.confirmed(content)
    // The file is being written, and has this key already.
    other.file.revoke([digest('b')])
    await other.file.close()
    const kept = await load()
    assert.deepEqual(
      ['a', 'b'].map((name) => kept.find(digest(name))),
      ['revoked', 'revoked'],
    )
    assert.ok(find(kept, 'c'))
  })

  test('what one of several processes knew as revoked is revoked, and the newest state of a key counts', async () => {
    const [older, newer] = [openFile(), openFile()]
    for (const name of ['a', 'b']) older.content.add(name, known({ ownerId: 'old' }))
    newer.content.add('a', known({ ownerId: 'new' }))
    older.file.confirmed(older.content)
    await older.file.close()
    now.bootMs += 1_000
    newer.file.confirmed(newer.content)
    await newer.file.close()
    newer.file.revoke([digest('b')])
    const kept = await load()
    assert.equal(find(kept, 'a')?.ownerId, 'new')
    assert.equal(kept.find(digest('b')), 'revoked')
  })

  test('keep their project, their user and their policy', async () => {
    const { file, content } = openFile()
    const policy = { models: ['openai/*'], data_policy: 'no_training' as const }
    const projectPolicy = { endpoints: ['chat' as const] }
    content.add('a', known({ name: 'n', project: 'p', organization: 'o', user: 'u', policy, projectPolicy }))
    file.confirmed(content)
    await file.close()
    const { keyName, project, organization, user, policy: kept } = find(await load(), 'a')!
    assert.deepEqual([keyName, project, organization, user], ['n', 'p', 'o', 'u'])
    assert.deepEqual(kept, {
      models: [['openai/*']],
      endpoints: ['chat'],
      dataPolicy: 'no_training',
      cacheMarks: true,
      region: null,
    })
  })

  test('are used until their time is over, counted from the last confirmation', async () => {
    const { file, content } = openFile()
    content.add('a', known())
    file.confirmed(content)
    await file.close()
    now.bootMs += 10 * MINUTE_MS
    file.confirmed(content)
    const kept = await load()
    now.bootMs += MAX_AGE_MS - 1
    assert.ok(find(await load(), 'a'))
    assert.ok(find(kept, 'a'))
    now.bootMs += 1
    assert.equal(kept.find(digest('a')), undefined)
    assert.equal((await load()).find(digest('a')), undefined)
    assert.deepEqual(readdirSync(folder), [])
  })

  for (const jump of [-HOUR_MS, -1, HOUR_MS]) {
    test(`a wall clock that jumps by ${jump} ms changes nothing while the machine runs`, async () => {
      await writeOne()
      now.wallMs += jump
      assert.ok(find(await load(), 'a'))
      now.bootMs += MAX_AGE_MS
      assert.equal(find(await load(), 'a'), undefined)
    })
  }

  test('after a start of the machine the wall clock counts, unless it is before the last confirmation', async () => {
    await writeOne()
    now = { bootId: 'two', bootMs: 10, wallMs: START.wallMs + MINUTE_MS }
    assert.ok(find(await load(), 'a'))
    await writeOne()
    now = { bootId: 'three', bootMs: 10, wallMs: START.wallMs - 1 }
    assert.equal((await load()).size, 0)
  })

  test('a wall clock that is set back at every start of the machine does not add up to more time', async () => {
    await writeOne()
    let served = 0
    for (let boot = 0; boot < 10; boot++) {
      now = { bootId: `boot ${boot}`, bootMs: 0, wallMs: START.wallMs + 5 * MINUTE_MS * (boot % 2) }
      const kept = await load()
      if (find(kept, 'a')) served++
    }
    assert.ok(served <= 3, String(served))
  })

  test('lines that were cut off and files that are no such files are skipped', async () => {
    await writeOne()
    appendFileSync(pathOf(), '["abc')
    for (const name of ['x.jsonl', `${randomUUID()}.jsonl`, 'note.txt']) writeFileSync(join(folder, name), 'nonsense')
    const kept = await load()
    assert.ok(find(kept, 'a'))
    assert.equal(kept.size, 1)
  })

  test('a file does not grow without bound, and keeps what it says', async () => {
    const { file, content } = openFile()
    const key = known()
    content.add('a', key)
    for (let round = 0; round < 30; round++) {
      for (let i = 0; i < 100; i++) file.add(digest('a'), key)
      file.confirmed(content)
      await file.close()
      file.confirmed(content)
      await file.close()
    }
    assert.ok(readFileSync(pathOf(), 'utf8').split('\n').length < 1_200)
    assert.ok(find(await load(), 'a'))
  })

  test('a file that cannot take a revocation is removed and reported once, and written again later', async () => {
    const { file, content } = openFile()
    content.add('a', known())
    file.confirmed(content)
    await file.close()
    const path = pathOf()
    await rm(path)
    symlinkSync('/dev/full', path)
    file.revoke([digest('a')])
    file.revoke([digest('b')])
    assert.equal(warnings.length, 1)
    assert.deepEqual(readdirSync(folder), [])
    file.confirmed(content)
    await file.close()
    assert.ok(find(await load(), 'a'))
  })

  test('a file that another process took for abandoned is written again', async () => {
    const { file, content } = openFile()
    content.add('a', known())
    file.confirmed(content)
    await file.close()
    await rm(pathOf())
    now.bootMs += MINUTE_MS
    file.confirmed(content)
    await file.close()
    file.confirmed(content)
    await file.close()
    assert.ok(find(await load(), 'a'))
  })

  async function writeOne(): Promise<void> {
    await rm(folder, { recursive: true, force: true })
    now = { ...START }
    const { file, content } = openFile()
    content.add('a', known())
    file.confirmed(content)
    await file.close()
  }

  function openFile(content = newContent()) {
    const log = { warn: (...all: unknown[]) => void warnings.push(all) }
    return { content, file: new KeyFile({ folder, id: randomUUID(), log, moment: () => ({ ...now }) }) }
  }

  function load(): Promise<KeysOnDisk> {
    return KeysOnDisk.load({ folder, maxAgeMs: MAX_AGE_MS, moment: () => ({ ...now }) })
  }

  function pathOf(): string {
    return join(folder, readdirSync(folder).find((name) => name.endsWith('.jsonl'))!)
  }
})

function newContent(): KeyFileContent & { add(name: string, key: CachedKey): void } {
  const keys = new Map<string, CachedKey>()
  return {
    add: (name, key) => void keys.set(digest(name), key),
    size: () => keys.size,
    keys: () => keys.entries(),
    revoked: () => [],
  }
}

function known(parts: Parameters<typeof storedKey>[0] = {}): CachedKey {
  return toCachedKey(storedKey(parts))
}

function find(kept: KeysOnDisk, name: string) {
  const found = kept.find(digest(name))
  return found === 'revoked' ? undefined : found?.caller
}

function digest(name: string): string {
  return Buffer.from(name).toString('hex').padEnd(64, '0')
}
