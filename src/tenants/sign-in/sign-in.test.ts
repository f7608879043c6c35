import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { storeForAll } from '../../../test/fakes/stores.ts'
import { CLI } from '../audit/author.ts'
import type { Problem } from '../../contract/problems.ts'
import { CLI_ACTOR } from '../people/actor.ts'
import { cookieName, readCookie, sessionCookie } from './cookie.ts'
import { createPerson } from './manage-passwords.ts'
import { hashPassword, isPassword, scryptHash } from './password-hash.ts'
import { signIn } from './sign-in.ts'

const db = await storeForAll()
const cost = { memory: 64, passes: 1, parallelism: 1 }
const services = { db, now: () => 1_000, newId: randomUUID, actor: CLI_ACTOR, author: CLI, passwordCost: cost }
const PASSWORD = 'correct horse battery staple'
const FROM = { ip: '127.0.0.1', agent: undefined, request: null, listener: 'admin' as const }

test('a password is stored as a PHC string of argon2id, and of scrypt where a Node has no argon2', async () => {
  const hash = await hashPassword(PASSWORD)
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.notEqual(await hashPassword(PASSWORD), hash, 'each has a salt of its own')
  const scrypt = await scryptHash(PASSWORD)
  assert.match(scrypt, /^\$scrypt\$ln=15,r=8,p=1\$/)
  for (const stored of [hash, scrypt]) {
    assert.ok(await isPassword(PASSWORD, stored))
    assert.ok(!(await isPassword(`${PASSWORD} `, stored)))
  }
  const composed = await hashPassword('\u00e9'.repeat(12))
  assert.ok(await isPassword('e\u0301'.repeat(12), composed), 'two spellings of one character')
})

test('a hash costs what it says: 19 MB of memory, two passes', async () => {
  let cost: object = {}
  const hash = await hashPassword(PASSWORD, '', {
    argon2: (_, parameters, done) => {
      cost = parameters
      done(null, Buffer.alloc(32))
    },
  })
  assert.match(hash, /\$m=19456,t=2,p=1\$/)
  assert.partialDeepStrictEqual(cost, { memory: 19_456, passes: 2, parallelism: 1 })
})

test('a hash that this program does not write matches no password and is not computed', async () => {
  const hash = await hashPassword(PASSWORD)
  for (const stored of [
    '',
    PASSWORD,
    hash.replace('m=19456', 'm=9999999'),
    hash.replace('t=2', 't=99'),
    hash.slice(0, -1),
  ])
    assert.equal(await isPassword(PASSWORD, stored), false, stored)
})

test('an account that does not exist, has no password or is disabled costs the same work and gets the same answer', async () => {
  const create = (email: string, role: 'owner' | 'member') =>
    createPerson({ email, name: 'x', role, project: null, password: PASSWORD }, services, (password) =>
      hashPassword(password, '', { cost }),
    )
  await create('ada@example.com', 'owner')
  for (const [email, change] of [
    ['sso@example.com', 'password = NULL'],
    ['off@example.com', 'disabled_at = 1'],
  ] as const) {
    const id = await create(email, 'member')
    await db.query(`UPDATE users SET ${change} WHERE id = $1`, [id])
  }
  await signIn({ email: 'unknown@example.com', password: 'x' }, FROM, services).catch(() => undefined)
  const results: unknown[] = []
  for (const [email, password] of [
    ['ada@example.com', 'wrong'],
    ['unknown@example.com', PASSWORD],
    ['sso@example.com', PASSWORD],
    ['off@example.com', PASSWORD],
  ] as const) {
    let hashes = 0
    const hook = createHook({ init: (_, type) => void (/hash|crypt|argon|job/i.test(type) && hashes++) }).enable()
    const error = (await signIn({ email, password }, FROM, services).catch((reason) => reason)) as Problem
    hook.disable()
    results.push([hashes, error.code, error.message])
  }
  assert.deepEqual(
    results,
    results.map(() => results[0]),
  )
  assert.equal((results[0] as unknown[])[0], 1, 'one hash for each')
  assert.ok(await signIn({ email: ' ADA@example.com', password: PASSWORD }, FROM, services))
})

test('the cookie has the prefix __Host- and Secure, unless only this machine can reach the listener without TLS', () => {
  const plain = {
    adminHost: '127.0.0.1',
    adminUrl: undefined,
    host: '127.0.0.1',
    publicUrl: undefined,
    tlsCertFile: undefined,
  }
  for (const settings of [
    { ...plain, adminHost: '0.0.0.0' },
    { ...plain, adminHost: 'localhost.example.com' },
    { ...plain, adminUrl: 'https://admin.example.com' },
    { ...plain, tlsCertFile: '/cert.pem' },
  ]) {
    assert.equal(cookieName(settings), '__Host-gatehouse')
    const flags = 'Path=/; HttpOnly; SameSite=Strict; Max-Age=5; Secure'
    assert.equal(sessionCookie('token', 5, settings), `__Host-gatehouse=token; ${flags}`)
    assert.equal(readCookie('gatehouse=planted', settings), undefined)
  }
  for (const adminHost of ['127.0.0.1', '::1', 'localhost'])
    assert.equal(cookieName({ ...plain, adminHost }), 'gatehouse')
  assert.equal(readCookie('a=1; gatehouse=token; b=2', plain), 'token')
  assert.equal(readCookie('gatehouse=one; gatehouse=two', plain), undefined)
  assert.equal(readCookie('gatehouse=token', plain, { listener: 'api' }), undefined)
  assert.equal(readCookie('gatehouse-device=token', plain), undefined)
  assert.equal(cookieName({ ...plain, publicUrl: 'https://ai.example.com' }, 'api'), '__Host-gatehouse-device')
})
