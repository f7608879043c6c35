import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { anyCharacter } from '../../test/fakes/any-character.ts'
import { runSnippet, whyNoPython } from '../../test/webhooks/run-snippet.ts'
import { canonicalJson, NotJson, refuseNotJson } from './canonical-json.ts'

const PAYLOADS = 1_000

const EXACT: [title: string, value: unknown, text: string][] = [
  ['scalars', [null, true, false, 'a', 1], '[\n  null,\n  true,\n  false,\n  "a",\n  1\n]'],
  ['empties', { b: [], a: {}, c: [[], {}] }, '{\n  "a": {},\n  "b": [],\n  "c": [\n    [],\n    {}\n  ]\n}'],
  [
    'whole numbers',
    [1.0, 1e2, -0, 1e21, 123456789012345680000],
    '[\n  1,\n  100,\n  0,\n  1e+21,\n  123456789012345680000\n]',
  ],
  ['small numbers', [0.0001, 2.49e-6, 1.49e-7], '[\n  0.0001,\n  0.00000249,\n  1.49e-7\n]'],
  ['keys that look like numbers', JSON.parse('{"10":1,"9":2,"a":3}'), '{\n  "10": 1,\n  "9": 2,\n  "a": 3\n}'],
  ['keys by code point', { '😀': 1, ﬁ: 2, z: 3 }, '{\n  "z": 3,\n  "ﬁ": 2,\n  "😀": 1\n}'],
  ['a key that is a prefix', { aa: 1, a: 2, '😀a': 3, '😀': 4 }, '{\n  "a": 2,\n  "aa": 1,\n  "😀": 4,\n  "😀a": 3\n}'],
  ['__proto__', JSON.parse('{"__proto__":{"a":1},"a":2}'), '{\n  "__proto__": {\n    "a": 1\n  },\n  "a": 2\n}'],
  ['escapes', '\b\t\n\f\r"\\/\u001f', String.raw`"\b\t\n\f\r\"\\/\u001f"`],
  ['everything else raw', '\u007f\u00a0é漢😀\u2028<>&', '"\u007f\u00a0é漢😀\u2028<>&"'],
  ['keys that become one', [{ '\ud800': 1, z: 0, '\ud801': 2 }], '[\n  {\n    "z": 0,\n    "\ufffd": 2\n  }\n]'],
  ['half a surrogate pair', ['a\ud800b', { '\udc00': 1 }], '[\n  "a\ufffdb",\n  {\n    "\ufffd": 1\n  }\n]'],
]

for (const [title, value, text] of EXACT)
  test(`writes ${title} in the one way`, () => assert.equal(canonicalJson(value), text))

const REFUSED: [title: string, value: unknown][] = [
  ['NaN', [Number.NaN]],
  ['Infinity', { a: Number.NEGATIVE_INFINITY }],
  ['undefined', { a: undefined }],
  ['a hole', new Array(1)],
  ['a bigint', [1n]],
  ['a function', [() => 1]],
  ['a Date', { at: new Date(0) }],
  ['a Map', new Map()],
  ['a circle', circle()],
]

for (const [title, value] of REFUSED) test(`refuses ${title}`, () => assert.throws(() => canonicalJson(value), NotJson))

test('takes 64 levels and no more, however many there are', () => {
  assert.match(canonicalJson(nested(64)), /^\[\n/)
  for (const depth of [65, 10_000, 100_000]) assert.throws(() => canonicalJson(nested(depth)), NotJson)
  refuseNotJson(nested(63), 1)
  assert.throws(() => refuseNotJson(nested(64), 1), NotJson)
})

const samples = payloads()
const texts = samples.map(canonicalJson)

test('reads back as what was written', () => {
  for (const [index, text] of texts.entries()) assert.ok(isDeepStrictEqual(JSON.parse(text), samples[index]), text)
})

test('is what Python writes with sorted keys and an indent', { skip: whyNoPython() }, async () => {
  assert.deepEqual(await runSnippet('python.py', { rewrite: texts }), texts)
})

test('is what the published function for Node writes', async () => {
  assert.deepEqual(await runSnippet('node.mjs', { rewrite: texts }), texts)
})

/** Payloads on which all languages agree: no numbers that they write differently, no keys that they sort differently. */
function payloads(): unknown[] {
  const decimals = fc.integer({ min: -1e9, max: 1e9 }).map((whole) => (whole === 0 ? 0 : whole / 1e4))
  const numbers = fc.oneof(fc.integer(), fc.maxSafeInteger(), decimals)
  const awkward = fc.constantFrom(...'"\\/\b\f\n\r\t\0\u001f\u007f\u2028\u2029<>& é漢😀')
  const text = fc.string({ unit: fc.oneof(awkward, anyCharacter) })
  const key = fc.oneof(fc.constantFrom('10', '9', '__proto__', 'constructor', '', 'ä', 'Z'), fc.string())
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.oneof(text, numbers, fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map(Object.fromEntries),
    ),
  }))
  return fc.sample(value, { numRuns: PAYLOADS, seed: 20_240_229 }).map((sample) => ({ user_parameters: sample }))
}

function nested(depth: number): unknown {
  let value: unknown[] = []
  for (let level = 1; level < depth; level++) value = [value]
  return value
}

function circle(): unknown {
  const one: { self?: unknown } = {}
  one.self = one
  return one
}
