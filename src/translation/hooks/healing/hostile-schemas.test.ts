import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear } from '../../../../test/fakes/cpu.ts'
import { sample } from '../../../../test/soak/sample.ts'
import { OutOfSteps, StepBudget } from '../step-budget.ts'
import { valueIssues } from './check-value.ts'
import { healJson } from './heal-json.ts'
import { schemaIssues } from './read-schema.ts'

const listOf = (length: number, item: (at: number) => unknown) => Array.from({ length }, (_, at) => item(at))

function stepsFor(schema: unknown, value: unknown): number {
  const budget = new StepBudget(100_000_000)
  valueIssues(schema, value, budget)
  return 100_000_000 - budget.remaining
}

test('every member of an enum and every compared item is a step', () => {
  const none = { items: { not: { enum: listOf(1_000, (at) => at) } } }
  assert.ok(
    stepsFor(
      none,
      listOf(100, () => -1),
    ) >= 1_100,
  )
  const objects = { items: { not: { enum: listOf(1_000, (at) => [at]) } } }
  const steps = stepsFor(
    objects,
    listOf(100, () => [-1]),
  )
  assert.ok(steps >= 100_000 && steps < 1_000_000, `${steps}`)
})

test('comparing, matching, counting and following references end with the budget', () => {
  const long = 'x'.repeat(900_000)
  const cases: Record<string, [schema: object, value: unknown]> = {
    'objects in an enum': [
      { items: { not: { enum: listOf(5_000, (at) => ({ at })) } } },
      listOf(100_000, () => ({ at: -1 })),
    ],
    'a long const': [{ items: { not: { const: `${long}y` } } }, listOf(10_000, () => `${long}z`)],
    'items that have to differ': [
      { allOf: listOf(5_000, () => ({ uniqueItems: true })) },
      listOf(50_000, (at) => [at]),
    ],
    'lengths of a long text': [{ allOf: listOf(5_000, () => ({ minLength: 1 })) }, long],
    'names that are required': [{ items: { required: listOf(40_000, () => 'a') } }, listOf(100_000, () => ({ a: 1 }))],
    'many types': [{ items: { type: listOf(40_000, () => 'null') } }, listOf(100_000, () => null)],
    'circles of references': [{ anyOf: [{ $ref: '#' }, { $ref: '#' }] }, 1],
    'patterns that are compiled': [
      { items: { anyOf: listOf(19, (at) => ({ pattern: `a{900}${at}` })) } },
      listOf(100_000, () => 'a'.repeat(1_000)),
    ],
  }
  for (const [name, [schema, value]] of Object.entries(cases)) {
    const budget = new StepBudget(1_000_000)
    assert.throws(() => valueIssues(schema, value, budget), OutOfSteps, name)
  }
  assert.throws(() => {
    valueIssues({ uniqueItems: true }, JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`), new StepBudget(1e9))
  }, OutOfSteps)
})

test('an issue repeats only a little of what a caller or a model wrote', () => {
  const long = 'x'.repeat(100_000)
  const schemas: object[] = [
    { enum: listOf(10_000, (at) => `word ${at}`) },
    { enum: [long, { [long]: long }, [long]] },
    { const: { [long]: long } },
    { pattern: `y{450}${'z'.repeat(400)}` },
    { properties: { [long]: { type: 'integer' } }, additionalProperties: false, required: [long] },
  ]
  for (const schema of schemas) {
    for (const value of ['no', { [long]: 'no' }, { [`${long}.`]: 1 }]) {
      const reported = JSON.stringify(valueIssues(schema, value, new StepBudget(1_000_000)))
      assert.ok(reported.length < 3_000, `${reported.length} characters: ${reported.slice(0, 200)}`)
    }
  }
  assert.match(
    valueIssues({ enum: listOf(25, (at) => at) }, -1, new StepBudget(1_000))[0]!.msg,
    /^Input should be 0, 1, .+, 9 or one of 15 others$/,
  )
})

test('reading a schema takes time proportional to its length, and at most twenty issues are reported', () => {
  assert.equal(schemaIssues({ anyOf: listOf(4_000, () => ({ if: {}, else: {} })) }, []).length, 20)
  assertLinear('patterns', (size) => schemaIssues({ anyOf: listOf(size, () => ({ pattern: '(a{9}|b){9}' })) }, []), 40)
  assertLinear('parts', (size) => schemaIssues({ anyOf: listOf(size, (at) => ({ const: at })) }, []), 1_000)
})

const TEXTS: Record<string, (size: number) => string> = {
  'comments that are not closed': (size) => '[{/*'.repeat(size / 4),
  comments: (size) => `[${'/**/'.repeat(size / 4)}`,
  'lines of comments': (size) => `[${' //\n'.repeat(size / 4)}`,
  quotes: (size) => `["${'" '.repeat(size / 2)}`,
  'quotes and blanks': (size) => `["${`"${' '.repeat(999)}x`.repeat(size / 1_000)}`,
  escapes: (size) => `['${'\\q'.repeat(size / 2)}`,
  brackets: (size) => '{"a":['.repeat(size / 6),
  'beginnings that fail at the very end': (size) => `${'['.repeat(40)}${"'a',".repeat(size / 4)}}`,
  'a number that is none': (size) => `[${'1'.repeat(size)}x`,
  'bare words': (size) => `[${'a '.repeat(size / 2)}`,
  fences: (size) => `\`\`\`\n${' '.repeat(size)}`,
}

test('repairing an answer takes time proportional to its length', () => {
  for (const [name, text] of Object.entries(TEXTS))
    assertLinear(name, (size) => healJson(text(size), new StepBudget(1e9)), 50_000)
})

test('megabytes of comments need no stack', () => {
  for (const name of ['comments that are not closed', 'comments', 'lines of comments'])
    assert.doesNotThrow(() => healJson(TEXTS[name]!(sample(2_000_000, 20_000_000)), new StepBudget(1e9)), name)
})
