import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OutOfSteps, StepBudget } from '../step-budget.ts'
import { blockFilter } from './block-filter.ts'
import { type BlockList, blockListIssues, openMachine } from './block-list.ts'
import { PatternSearch } from './pattern-search.ts'
import { searchText } from './search-text.ts'
import { sample } from '../../../../test/soak/sample.ts'

const LOC = ['body', 'pre_hooks', 0, 'params']

test('finds what a regular expression finds, for any pattern of the subset and any text', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '\\d',
    '\\w',
    '\\W',
    '\\s',
    '1',
    ' ',
    '\\b',
    '\\B',
    '^',
    '$',
  )
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4 },
      atom,
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => one + other),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '+?'))
        .map(([one, count]) => `(${one})${count}`),
    ),
  }))
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n', 'é'), maxLength: 12 })
  fc.assert(
    fc.property(pattern, text, (pattern, text) => {
      // Letters of all languages are letters here; the regular expression is compared only where that makes no difference.
      fc.pre(!(text.includes('é') && /\\[wWbB]/.test(pattern)))
      assert.equal(found({ patterns: [pattern], ignore_case: false }, text), new RegExp(pattern).test(text))
    }),
    { numRuns: sample(80, 3_000) },
  )
})

const ATTACKS = [
  { pattern: '(a+)+$', text: `${'a'.repeat(100_000)}!` },
  { pattern: '(a|aa)+$', text: `${'a'.repeat(100_000)}!` },
  { pattern: '(.*)*x$', text: 'y'.repeat(100_000) },
  { pattern: '(\\w+\\s?)*!', text: 'word '.repeat(20_000) },
  { pattern: '([a-z]+)+@([a-z]+)+\\.([a-z]+)+$', text: 'a'.repeat(100_000) },
]

for (const { pattern, text } of ATTACKS) {
  test(`${pattern} needs no more steps than the text has characters`, () => {
    const params = { patterns: [pattern] }
    assert.deepEqual(blockListIssues(params, LOC), [])
    assert.equal(searchText(open(params, text.length), text), -1)
  })
}

test('patterns with countless states are stopped by a limit on the work, not by the clock', () => {
  const patterns = Array.from({ length: 4 }, () => '[ab]*a[ab]{200}c')
  assert.deepEqual(blockListIssues({ patterns }, LOC), [])
  assert.throws(() => searchText(open({ patterns }), noise(200_000)), OutOfSteps)
})

/** Letters in random order. */
function noise(length: number): string {
  let state = 1
  const letters = Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return state & 0x1_0000 ? 'a' : 'b'
  })
  return letters.join('')
}

const REFUSED = [
  '(a',
  'a)',
  '*a',
  'a**',
  '(?=a)b',
  '(?<n>a)',
  '(a)\\1',
  '[a',
  '[z-a]',
  'a{3,2}',
  '\\p{L}',
  '[😀]',
  'a{1001}',
  '\\',
]

test('unsupported syntax is refused with its position and a reason', () => {
  for (const pattern of REFUSED) {
    const [issue, ...more] = blockListIssues({ patterns: ['fine', pattern] }, LOC)
    assert.deepEqual([issue?.loc, issue?.type, more.length], [[...LOC, 'patterns', 1], 'value_error', 0], pattern)
    assert.match(issue!.msg, /^This pattern cannot be used: .+ \(position \d+\)$/, pattern)
  }
})

test('a pattern that matches every text, nested repeats, and an empty list are refused', () => {
  for (const pattern of ['a*', '(a|)', '^', '\\b', '()'])
    assert.match(blockListIssues({ patterns: [pattern] }, LOC)[0]!.msg, /every text/)
  for (const pattern of ['((a{100}){100}){100}', '((((){1000}){1000}){1000}){1000}a'])
    assert.match(blockListIssues({ patterns: [pattern] }, LOC)[0]!.msg, /too large/)
  assert.deepEqual(
    [{}, { words: [], patterns: null }].map((params) => blockListIssues(params, LOC)[0]?.type),
    ['missing', 'missing'],
  )
})

test('words are found as whole words, in any case, in any language', () => {
  const words = ['ass', 'für immer', '№1', '😀']
  for (const text of ['kiss my ass', 'Ass!', '(ASS)', 'FÜR IMMER jung', 'die №1', 'a😀b'])
    assert.ok(found({ words }, text), text)
  for (const text of ['assess', 'class', 'füür immer', 'für immerdar', '№12']) assert.ok(!found({ words }, text), text)
  assert.ok(!found({ words, ignore_case: false }, 'ASS'))
})

test('a text in pieces gives the same matches as the whole, and released text never contains the start of a match', () => {
  const params = { patterns: ['se+cret', '\\bkey-\\d{2,4}\\b'], words: ['no go'] }
  const part = fc.constantFrom('s', 'e', 'secre', 'secret', 'key-', '12', ' ', 'no', ' go', 'x', 'seeeecr')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      let blockedBy = -1
      let passed = ''
      const filter = blockFilter(new PatternSearch(open(params)), (found) => {
        blockedBy = found
        throw new Error('blocked')
      })
      try {
        for (const one of parts) passed += filter.push(one)
        passed += filter.end()
      } catch (error) {
        assert.equal((error as Error).message, 'blocked')
      }
      const whole = parts.join('')
      assert.equal(blockedBy, searchText(open(params), whole))
      assert.ok(whole.startsWith(passed))
      if (blockedBy < 0) assert.equal(passed, whole)
      else assert.ok(!found(params, passed))
    }),
    { numRuns: sample(60, 2_000) },
  )
})

test('the text that is held back is bounded, and ordinary text passes at once', () => {
  const filter = blockFilter(new PatternSearch(open({ patterns: ['a.*z'] })), () => assert.fail())
  assert.equal(filter.push('quick brown '), 'quick brown ')
  assert.equal(filter.push('a'), '')
  assert.equal(filter.push('b'.repeat(5_000)).length, 3_001)
  assert.equal(filter.end().length, 2_000)
})

function found(params: BlockList, text: string): boolean {
  return searchText(open(params), text) >= 0
}

function open(params: BlockList, steps = 1_000_000) {
  return openMachine(params, new StepBudget(steps))
}
