import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelOf, MAX_LABEL_BYTES } from '../base/schema/label.ts'
import { labelsOf, MAX_TAG_NAME_BYTES, MAX_TAGS, NO_LABELS } from './labels.ts'

test('the end user is user, then safety_identifier, then user_id of the metadata, which is no tag then', () => {
  const metadata = { user_id: 'c', team: 'search' }
  assert.deepEqual(labelsOf({ user: 'a', safety_identifier: 'b', metadata }), {
    ...NO_LABELS,
    endUser: 'a',
    tags: { user_id: 'c', team: 'search' },
    requestedModel: null,
  })
  assert.equal(labelsOf({ user: '', safety_identifier: 'b', metadata }).endUser, 'b')
  assert.deepEqual(labelsOf({ metadata, model: 'fast' }), {
    ...NO_LABELS,
    endUser: 'c',
    tags: { team: 'search' },
    requestedModel: 'fast',
  })
})

test('a session in the metadata is no tag, and the user of Claude Code is an end user without it', () => {
  const metadata = { session_id: 's', team: 'search', user_id: 'user_a1_account_b2_session_c3' }
  assert.deepEqual(labelsOf({ metadata }).tags, { team: 'search' })
  assert.equal(labelsOf({ metadata }).endUser, 'user_a1_account_b2')
  const json = JSON.stringify({ device_id: 'd', account_uuid: 'acc', session_id: 's' })
  assert.equal(labelsOf({ metadata: { user_id: json } }).endUser, 'acc')
  assert.equal(labelsOf({ metadata: { user_id: '{"no": "session"}' } }).endUser, '{"no": "session"}')
})

test('tags of the header come first and win, and only texts of the metadata are tags', () => {
  const metadata = { env: 'dev', n: 1, list: ['x'], none: null, empty: '', case: 'A-1' }
  assert.deepEqual(labelsOf({ metadata }, { env: 'prod' }).tags, { env: 'prod', case: 'A-1' })
  assert.deepEqual(labelsOf({ labels: { cost_center: '7' } }).tags, { cost_center: '7' })
  assert.equal(labelsOf({ metadata: { n: 1 } }).tags, null)
  assert.deepEqual(labelsOf(undefined, { env: 'prod' }).tags, { env: 'prod' })
})

test('what is no object has no labels', () => {
  for (const body of [undefined, null, 'x', 7, [{ user: 'a' }]]) assert.deepEqual(labelsOf(body), NO_LABELS)
  for (const metadata of [null, 'x', ['a'], 7]) assert.deepEqual(labelsOf({ metadata, user: 7, model: {} }), NO_LABELS)
})

test('labels are limited in number and bytes', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`tag${index}`, 'x']))
  assert.deepEqual(Object.keys(labelsOf({ metadata: many }).tags!).length, MAX_TAGS)
  const odd = { ...Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`n${index}`, index])), late: 'x' }
  assert.equal(labelsOf({ metadata: odd }).tags, null)
  const names = {
    ['n'.repeat(MAX_TAG_NAME_BYTES)]: 'fits',
    ['é'.repeat(MAX_TAG_NAME_BYTES)]: 'is too long',
    '': 'no name',
  }
  assert.deepEqual(Object.values(labelsOf({ metadata: names }).tags!), ['fits'])
})

test('a value that is too long keeps its beginning, and two such values stay different', () => {
  for (const letter of ['x', 'é', '😀', '\ud800']) {
    const [one, other] = [`${letter.repeat(500)}1`, `${letter.repeat(500)}2`]
    const labels = labelsOf({ user: one, model: other, metadata: { a: one } })
    for (const label of [labels.endUser!, labels.requestedModel!, labels.tags!.a!]) {
      assert.ok(Buffer.byteLength(label) <= MAX_LABEL_BYTES, label)
      assert.ok(label.startsWith(letter.toWellFormed()) && label.isWellFormed())
    }
    assert.notEqual(labels.endUser, labels.requestedModel)
    assert.equal(labelOf(labels.endUser!), labels.endUser)
    assert.equal(labels.endUser, labels.tags!.a)
  }
  const longest = 'x'.repeat(MAX_LABEL_BYTES)
  assert.equal(labelsOf({ user: longest }).endUser, longest)
})

test('control characters and halves of characters get into no table and no log', () => {
  const { endUser, tags } = labelsOf({ user: 'a\u0000\nb\ud800', metadata: { 'x\u001b[2J': 'y\u009b' } })
  assert.equal(endUser, 'a��b�')
  assert.deepEqual(tags, { 'x�[2J': 'y�' })
})

test('a tag may have the name of something that all objects have', () => {
  assert.deepEqual(Object.keys(labelsOf({ metadata: { constructor: 'x', toString: 'y' } }).tags!), [
    'constructor',
    'toString',
  ])
})
