import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../test/soak/sample.ts'
import { json } from './fixtures/chat-bodies.ts'
import { ImageEditRequest, ImageGenerationRequest, ImageResponse } from './images.ts'
import type { Loc } from '../base/schema/issue-messages.ts'
import { validator } from '../base/schema/validator.ts'

const FILE_ID = '2c1e5b0e-3f4d-4b59-9a0b-7c8f1d2e3a4b'
const RUNS = { numRuns: sample(60, 200) }
const generation = validator(ImageGenerationRequest)
const edit = validator(ImageEditRequest)
const response = validator(ImageResponse)

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const characters = (max: number) => fc.string({ minLength: 1, maxLength: max, unit: 'grapheme' })
const known = {
  n: optional(fc.integer({ min: 1, max: 10 })),
  size: optional(fc.string()),
  quality: optional(fc.string()),
  response_format: optional(fc.constantFrom('url' as const, 'b64_json' as const)),
  extra_headers: optional(fc.dictionary(fc.string(), fc.string())),
}
const required = { model: fc.string(), prompt: characters(300) }
const extra = fc.dictionary(
  fc.string().map((name) => `x_${name}`),
  json,
)
const body = fc
  .tuple(extra, fc.record(required), fc.record(known, { requiredKeys: [] }))
  .map((parts): Record<string, unknown> => Object.assign({}, ...parts))
const reference = fc.oneof(
  fc.record({ file_id: fc.uuid() }),
  fc.record({ image_url: fc.string().map((path) => `https://example.com/${path}`) }),
  fc.record({ image_url: fc.base64String().map((data) => `data:image/png;base64,${data}`) }),
)
const editBody = fc
  .tuple(body, fc.array(reference, { minLength: 1, maxLength: 16 }), optional(reference))
  .map(([fields, images, mask]): Record<string, unknown> => ({ ...fields, images, mask }))

test('everything that the spec allows is accepted, with any further fields', () => {
  fc.assert(
    fc.property(body, editBody, (request, edited) => {
      assert.deepEqual(generation.issues(request, []), [])
      assert.deepEqual(edit.issues(edited, []), [])
      assert.ok(generation.check(request) && edit.check(edited))
    }),
    RUNS,
  )
})

/** An invalid value of a field, and the path that the issue names. */
const MUTATIONS: [Loc, unknown][] = [
  ...[undefined, null, 5, ['x']].map((value): [Loc, unknown] => [['model'], value]),
  ...[undefined, null, '', 5, 'x'.repeat(32_001)].map((value): [Loc, unknown] => [['prompt'], value]),
  ...[0, 11, -1, 1.5, '2', true, []].map((value): [Loc, unknown] => [['n'], value]),
  ...[5, {}, true].map((value): [Loc, unknown] => [['size'], value]),
  ...[5, ['hd']].map((value): [Loc, unknown] => [['quality'], value]),
  ...['png', 5, ''].map((value): [Loc, unknown] => [['response_format'], value]),
]
const EDIT_MUTATIONS: [Loc, unknown][] = [
  ...MUTATIONS,
  ...[undefined, null, [], Array(17).fill({ file_id: FILE_ID }), 'x'].map((value): [Loc, unknown] => [
    ['images'],
    value,
  ]),
  ...[{}, { file_id: FILE_ID, image_url: 'https://a' }].map((value): [Loc, unknown] => [['mask'], value]),
  ...['http://a/b', 'data:text/plain,x', 'file:///etc/passwd', ''].map((value): [Loc, unknown] => [
    ['mask', 'image_url'],
    value,
  ]),
  [['mask', 'other'], 1],
]

test('a single invalid field is refused, and named by its path', () => {
  fc.assert(
    fc.property(body, fc.constantFrom(...MUTATIONS), (request, [loc, value]) => {
      assertRefused(generation, { ...request, [String(loc[0])]: value }, loc)
    }),
    RUNS,
  )
  fc.assert(
    fc.property(editBody, fc.constantFrom(...EDIT_MUTATIONS), (request, [loc, value]) => {
      const [field, inner] = loc.map(String) as [string, string?]
      const wrong = inner === undefined ? value : { [inner]: value, ...(inner === 'other' && { file_id: FILE_ID }) }
      assertRefused(edit, { ...request, [field]: wrong }, loc)
    }),
    RUNS,
  )
})

test('the check and the issues agree on any value, for replies too', () => {
  fc.assert(
    fc.property(json, (value) => {
      for (const { check, issues } of [generation, edit, response])
        assert.equal(check(value), issues(value, []).length === 0)
    }),
    RUNS,
  )
})

function assertRefused(schema: typeof generation | typeof edit, value: unknown, loc: Loc): void {
  assert.equal(schema.check(value), false)
  const places = schema.issues(value, []).map((issue) => issue.loc)
  assert.deepEqual(places, [loc])
}
