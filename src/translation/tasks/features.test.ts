import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { JsonSchema } from '../../base/schema/json-schema.ts'
import { validator } from '../../base/schema/validator.ts'
import type { Feature } from './feature.ts'
import { inputsOf } from './fixtures/inputs.ts'
import { taskWith, toolsNoting } from './fixtures/task.ts'
import { providersOf } from './adapters.ts'
import { FEATURES, findFeature } from './index.ts'
import { isLlmTask } from './llm/llm-tasks.ts'
import { sandboxAdapter } from './sandbox-adapter.ts'
import { jsonSchema, simplifiedSchema } from './simplified-schema.ts'
import { sample } from '../../../test/soak/sample.ts'

const LOC = ['body', 'input']
const DEEPEST_OUTPUT = 64

test('there are 52 tasks, and every folder is one of them', () => {
  const folders = globSync('*/*/feature.ts', { cwd: import.meta.dirname })
  assert.deepEqual(FEATURES.map((one) => `${nameOf(one)}/feature.ts`).toSorted(), folders.toSorted())
  assert.equal(new Set(FEATURES.map(nameOf)).size, 52)
  assert.equal(FEATURES.length, 52)
})

test('no task works only in the sandbox', () => {
  const simulated = FEATURES.filter((one) => {
    const others = providersOf(one).filter((provider) => provider !== 'sandbox')
    return others.length === 0 && !isLlmTask(one)
  })
  assert.deepEqual(simulated.map(nameOf), [])
})

test('every folder holds the task that its path names', async () => {
  for (const one of FEATURES) {
    const { default: found } = await import(`./${nameOf(one)}/feature.ts`)
    assert.equal(found, one)
    assert.equal(findFeature(one.feature, one.subfeature), one)
  }
  assert.equal(findFeature('text', 'nothing'), undefined)
  assert.equal(findFeature('__proto__', 'constructor'), undefined)
})

test('names say how a task runs, and two tasks take no fallbacks', () => {
  for (const one of FEATURES) assert.equal(one.mode, one.subfeature.endsWith('_async') ? 'async' : 'sync')
  assert.deepEqual(FEATURES.filter((one) => one.fallbacks === false).map(nameOf), [
    'image/face_recognition',
    'audio/tts',
  ])
  const fullnames = FEATURES.map((one) => one.fullname)
  assert.equal(new Set(fullnames).size, FEATURES.length)
  for (const fullname of fullnames) assert.match(fullname, /^[A-Z][a-zA-Z]+: [A-Z]/)
})

for (const one of FEATURES) describe(nameOf(one), () => rules(one))

function rules(one: Feature) {
  const input = validator(one.input)
  const output = validator(one.output)
  const example = one.example.input as Record<string, unknown>
  const { properties = {}, required = [] } = one.input as JsonSchema

  test('the example is valid', () => {
    assert.deepEqual(input.issues(example, LOC), [])
    assert.deepEqual(one.rules?.(example, LOC) ?? [], [])
    assert.ok(input.check(example))
    assert.deepEqual(output.issues(one.example.output, []), [])
    assert.ok(output.check(one.example.output))
  })

  test('an unknown key is refused where it stands', () => {
    const wrong = { ...example, lanugage: 'en' }
    assert.equal(input.check(wrong), false)
    assert.deepEqual(input.issues(wrong, LOC), [
      { loc: [...LOC, 'lanugage'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' },
    ])
  })

  test('a required key is missed where it should stand', () => {
    assert.ok(required.length > 0)
    for (const name of required) {
      const { [name]: _, ...wrong } = example
      assert.equal(input.check(wrong), false)
      assert.deepEqual(input.issues(wrong, LOC), [{ loc: [...LOC, name], msg: 'Field required', type: 'missing' }])
    }
  })

  test('every other key may be left out or be null', () => {
    const others = Object.keys(properties).filter((name) => !required.includes(name))
    const least = Object.fromEntries(required.map((name) => [name, example[name]]))
    assert.ok(input.check(least))
    for (const name of others) assert.ok(input.check({ ...least, [name]: null }), name)
    for (const name of required) assert.equal(input.check({ ...least, [name]: null }), false, name)
  })

  test('outputs are closed, and every field of either schema is described', () => {
    for (const schema of [one.input, one.output] as JsonSchema[]) {
      for (const object of objectsIn(schema)) if (object.properties) assert.equal(object.additionalProperties, false)
      for (const [name, field] of fieldsIn(schema)) assert.match(field.description ?? '', /\.$/, name)
    }
  })

  test('the sandbox answers the example and 50 other inputs, the same each time', async () => {
    const { run } = sandboxAdapter(one)
    const answered = async (value: unknown) => {
      assert.deepEqual(input.issues(value, LOC), [])
      const first = await run(taskWith(value), toolsNoting([]))
      assert.deepEqual(output.issues(first.output, []), [])
      assert.ok(Number.isInteger(first.units) && first.units >= 0, `${first.units} units`)
      assert.deepEqual(await run(taskWith(value), toolsNoting([])), first)
    }
    await answered(example)
    await fc.assert(fc.asyncProperty(inputsOf(one.input), answered), { numRuns: sample(20, 50) })
  })

  test('the example output can be written again as it was', () => {
    const written = JSON.stringify(one.example.output)
    assert.deepEqual(JSON.parse(written), one.example.output)
    for (const number of numbersIn(one.example.output)) assert.ok(number === 0 || Math.abs(number) >= 1e-4, `${number}`)
    assert.ok(depthOf(one.example.output) < DEEPEST_OUTPUT)
  })

  test('both forms of the schemas are plain', () => {
    for (const schema of [one.input, one.output]) {
      const plain = jsonSchema(schema)
      const { fields } = simplifiedSchema(schema)
      assert.equal(plain.type, 'object')
      assert.deepEqual(
        Object.keys(plain.properties as object),
        fields.map((field) => field.name),
      )
      for (const form of [plain, fields]) assert.doesNotMatch(JSON.stringify(form), /"~/)
      assert.deepEqual(
        Reflect.ownKeys(plain).filter((key) => !Object.keys(plain).includes(String(key))),
        [],
      )
    }
  })
}

function nameOf({ feature, subfeature }: Feature): string {
  return `${feature}/${subfeature}`
}

type Described = JsonSchema & { description?: string }

function objectsIn(schema: JsonSchema): JsonSchema[] {
  const { properties = {}, items, anyOf = [] } = schema
  const parts = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]
  return [...(schema.type === 'object' ? [schema] : []), ...parts.flatMap(objectsIn)]
}

function fieldsIn(schema: JsonSchema): [string, Described][] {
  return objectsIn(schema).flatMap((object) => Object.entries(object.properties ?? {}))
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
