import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fakes/any-character.ts'
import { runSnippet, whyNoPython } from '../../../test/webhooks/run-snippet.ts'
import { parseExactly, withoutBlanks } from './exact-numbers.ts'
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

test('writes the numbers of a caller as ECMAScript does, unless that would change their value', () => {
  const numbers = {
    '1.10': '1.1',
    '1e2': '100',
    '1E2': '100',
    '1.0': '1',
    '-0': '0',
    '-0.0e7': '0',
    '0.000': '0',
    '5.0e-1': '0.5',
    '12345678901234567890': '12345678901234567890',
    '9007199254740993': '9007199254740993',
    '9007199254740992': '9007199254740992',
    '1e400': '1e400',
    '-1E-400': '-1E-400',
    '1e21': '1e+21',
    '0.1000000000000000055511151231257827': '0.1000000000000000055511151231257827',
    '100000000000000000000': '100000000000000000000',
    '3.141592653589793238': '3.141592653589793238',
    '1.2500': '1.25',
    '0.00000249': '0.00000249',
    '2.49e-6': '0.00000249',
  }
  for (const [source, written] of Object.entries(numbers)) {
    assert.equal(canonicalJson(parseExactly(source)), written, source)
    assert.equal(withoutBlanks(` { "a " : [${source} ,\n"\\" "] }`), `{"a ":[${source},"\\" "]}`)
  }
})

test('any number keeps its value in a webhook', () => {
  const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,25})?([eE][+-]?\d{1,3})?$/)
  fc.assert(
    fc.property(digits, (source) => {
      const written = canonicalJson(parseExactly(source))
      assert.ok(written === source || written === String(Number(source)) || Number(source) === 0, source)
      assert.ok(Object.is(Number(written), Number(source)) || Number(source) === 0)
    }),
  )
})

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
