import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TextFilter } from '../hook.ts'
import { LongWork } from '../long-work.ts'
import { findPersonalData, KINDS } from './personal-data.ts'
import { Placeholders } from './placeholders.ts'
import { type Redaction, redactFilter } from './redact-filter.ts'
import { restoreFilter } from './restore-filter.ts'
import { sample } from '../../../../test/soak/sample.ts'

const DATA: Record<(typeof KINDS)[number], string[]> = {
  email: [
    'ada@mail.example',
    'first.last+tag@sub.domain.co.uk',
    'jürgen@müller.de',
    'a@xn--bcher-kva.xn--p1ai',
    "o'neil_1@x.io",
  ],
  card: [
    '4111111111111111',
    '4111 1111 1111 1111',
    '5500-0000-0000-0004',
    '340000000000009',
    '6011 0000 0000 0004',
    '3530111333300000',
  ],
  iban: [
    ...[
      'DE89 3704 0044 0532 0130 00',
      'GB82WEST12345698765432',
      'gb82 west 1234 5698 7654 32',
      'FR14 2004 1010 0505 0001 3M02 606',
    ],
    ...['NL91 ABNA 0417 1643 00', 'NO93 8601 1117 947', 'MT84 MALT 0110 0001 2345 MTLC AST0 01S'],
  ],
  ip: ['192.168.0.1', '8.8.8.8', '2001:db8::8a2e:370:7334', '::1', 'fe80::1', '1:2:3:4:5:6:7:8', '::ffff:192.0.2.1'],
  phone: [
    ...['+49 30 1234567', '+1 (415) 555-2671', '+44 20 7946 0958', '0049 30 1234567', '(030) 1234567', '030/1234567'],
    ...['01 23 45 67 89', '0612345678', '415-555-2671', '(415) 555-2671', '020 7946 0958', '+49 (0) 30 / 1234 567'],
  ],
  national_id: [
    ...['12345678Z', 'X1234567L', '2 55 08 14 168 025 38', 'RSSMRA85T10A562S', '86 095 742 719', '44051401359'],
    ...['111.444.777-35', '85.07.30-033.28', '811218-9876', '2341 2341 2346', '046 454 286', '11010519491231002X'],
    ...['756.9217.0769.85', '078-05-1120', 'AB 12 34 56 C', '1237 010180'],
  ],
}

for (const kind of KINDS) {
  test(`${kind}: found in a sentence, at the right position`, () => {
    for (const value of DATA[kind]) {
      for (const [before, after] of [
        ['Is it ', '?'],
        ['(', ')'],
        ['', ''],
        ['number: ', ', then.'],
        ['"', '" or 7'],
      ]) {
        const text = `${before}${value}${after}`
        const expected = [{ kind, start: before!.length, end: before!.length + value.length }]
        assert.deepEqual(found(text), expected, text)
      }
    }
  })
}

test('other numbers stay unchanged', () => {
  const others = [
    ...[
      '4111111111111112',
      'DE89 3704 1044 1532 1130 11',
      '12345678A',
      'version 1.2.3',
      '999.1.1.1',
      '12:30:45',
      'std::vector',
    ],
    ...[
      '2024-01-31',
      '31.01.2024 12:30',
      '01.02.2024',
      '3.14159265358979',
      '10,000,000',
      '1 000 000',
      'a@b',
      '@handle',
      'page 12 of 300',
    ],
    ...[
      '178-00-1120',
      '666-12-3456',
      '$1,234.56',
      '123',
      '0.4111111111111111',
      'x@y.z',
      'ISBN 978-3-16-148410-0',
      '86095742718',
    ],
  ]
  for (const text of others) assert.deepEqual(found(text), [], text)
})

test('adjacent text does not hide a match', () => {
  assert.equal(redact('4111 1111 1111 1111 12 27'), '[CARD_1] 12 27')
  assert.equal(redact('pay 4111111111111111 5500000000000004'), 'pay [CARD_1] [CARD_2]')
  assert.equal(redact('ada@mail.example,bob@mail.example;'), '[EMAIL_1],[EMAIL_2];')
  assert.equal(redact('mailto:ada@mail.example?x=1 <ada@mail.example>'), 'mailto:[EMAIL_1]?x=1 <[EMAIL_1]>')
})

test('only the requested kinds are found', () => {
  const text = 'ada@mail.example 192.168.0.1'
  assert.equal(
    redacted(text, { kinds: ['ip'], placeholders: new Placeholders(), isRestored: false }),
    'ada@mail.example [IP_1]',
  )
})

const word = fc.constantFrom(
  'a',
  'the',
  'Berlin',
  'x@',
  '.',
  '12',
  '4111',
  'GB82',
  'WEST',
  '(',
  '+49',
  '\n',
  '  ',
  '[EMAIL_1]',
  '[',
  'é😀',
)
const piece = fc.oneof(word, fc.constantFrom(...Object.values(DATA).flat()))
const text = fc
  .array(fc.tuple(piece, fc.constantFrom(' ', '', ', ', '-', '\u00a0')), { maxLength: 12 })
  .map((all) => all.flat().join(''))

test('a text that is redacted in pieces gives the same result, however it is cut', () => {
  fc.assert(
    fc.property(text, cuts(), (text, cuts) => assert.equal(inPieces(redaction(), text, cuts), redact(text))),
    { numRuns: sample(80, 3_000) },
  )
})

test('the same holds for a text without a safe cut, and no card gets through at a seam', () => {
  const long = fc.tuple(
    fc.integer({ min: 0, max: 1_100 }),
    fc.constantFrom('x', '7 ', 'ab1'),
    fc.constantFrom('4111111111111111', 'ada@mail.example'),
  )
  fc.assert(
    fc.property(long, cuts(), ([count, filler, value], cuts) => {
      const text = `${filler.repeat(count)};${value};${filler.repeat(600)}`
      assert.equal(inPieces(redaction(), text, cuts), redact(text))
      assert.ok(!redact(text).includes(value))
    }),
    { numRuns: 40 },
  )
})

test('a text that is restored in pieces is the original, however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(text, cuts(), async (text, cuts) => {
      const placeholders = new Placeholders()
      await placeholders.reserve(text, new LongWork(async () => {}))
      const hidden = redacted(text, { kinds: KINDS, placeholders, isRestored: true })
      assert.equal(inPieces(restoreFilter(placeholders), hidden, cuts), text)
    }),
    { numRuns: sample(80, 3_000) },
  )
})

test('equal values have the same placeholder; a value that is not to be restored never is', async () => {
  const placeholders = new Placeholders()
  await placeholders.reserve('I wrote [EMAIL_7] myself', new LongWork(async () => {}))
  const hide = (text: string, isRestored: boolean) => redacted(text, { kinds: KINDS, placeholders, isRestored })
  assert.equal(hide('ada@mail.example bob@mail.example ada@mail.example', true), '[EMAIL_8] [EMAIL_9] [EMAIL_8]')
  assert.equal(hide('ada@mail.example', false), '[EMAIL_10]')
  assert.equal(placeholders.restore('[EMAIL_7] [EMAIL_8] [EMAIL_10]'), '[EMAIL_7] ada@mail.example [EMAIL_10]')
})

test('one word of a stream is held back, digits until they end, and never for ever', () => {
  const filter = redaction()
  const pieces = ['Hello', ' dear', ' friend', ' of', ' mine', '.']
  assert.deepEqual(
    pieces.map((one) => filter.push(one)),
    ['', 'Hello ', '', 'dear friend ', '', ''],
  )
  assert.equal(filter.end(), 'of mine.')
  const figures = redaction()
  assert.equal(figures.push('1 '.repeat(450)), '')
  assert.equal(figures.push('1 '.repeat(450)).length, 1_024)
})

test('a long text that looks like the beginning of everything is processed quickly', () => {
  for (const filler of ['a.', '1', '+1', '@', '1 2 ', 'a@b.', 'AB12 ', ':1', '0 1-'])
    assert.ok(redact(filler.repeat(100_000 / filler.length)).length > 0)
})

function redaction(): TextFilter {
  return redactFilter({ kinds: KINDS, placeholders: new Placeholders(), isRestored: false })
}

function redact(text: string): string {
  return redacted(text, { kinds: KINDS, placeholders: new Placeholders(), isRestored: false })
}

function found(text: string) {
  return findPersonalData(text, KINDS)
}

function cuts(): fc.Arbitrary<number[]> {
  return fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 })
}

/** The text in pieces of these lengths, repeated. */
function inPieces(filter: TextFilter, text: string, lengths: number[]): string {
  let passed = ''
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length]!
    passed += filter.push(text.slice(at, at + length))
    at += length
  }
  return passed + filter.end()
}

function redacted(text: string, redaction: Redaction): string {
  const filter = redactFilter(redaction)
  return filter.push(text) + filter.end()
}
