import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../../test/soak/sample.ts'
import { Problem } from '../../../contract/problems.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { ImageCall, ImageCodec, ImageInput } from '../image-codec.ts'
import { answer, call, FOX, FOX_AT, MASK, recordings, withPaint } from './fixtures/image-calls.ts'
import { IMAGE_WIRES } from './index.ts'

// Properties of every wire format, whatever callers and providers send. OpenAI's has tests of its own.

const RUNS = sample(15, 30)
const RECORDINGS = recordings()
/** The recordings that are used for a wire format that delegates to others. */
const STANDS_FOR: Record<string, string> = { vertex: 'imagen', bedrock: 'bedrock-stability' }

const image = fc.constantFrom<ImageInput>(FOX, FOX_AT, MASK)
const someCall: fc.Arbitrary<ImageCall> = fc
  .record({
    mode: fc.constantFrom('generate' as const, 'edit' as const),
    prompt: fc.string({ minLength: 1 }),
    n: fc.integer({ min: 1, max: 10 }),
    size: fc.constantFrom(undefined, 'auto', '1024x1024', '1792x1024', '7x9999', '2K', 'nonsense'),
    quality: fc.constantFrom(undefined, 'auto', 'standard', 'hd', 'low', 'Ünsinn'),
    responseFormat: fc.constantFrom(undefined, 'url' as const, 'b64_json' as const),
    extra: fc.dictionary(
      fc.constantFrom('seed', 'user', 'output_format', 'aspect_ratio', 'strength', 'model', 'style', 'fallbacks', 'x'),
      fc.jsonValue({ maxDepth: 2 }),
      { noNullPrototype: true },
    ),
    images: fc.array(image, { minLength: 1, maxLength: 3 }),
    mask: fc.option(image, { nil: undefined }),
  })
  .map((made) => ({ ...made, ...(made.mode === 'generate' && { images: [], mask: undefined }) }))
const someModel = fc.constantFrom<(string | undefined)[]>(
  undefined,
  '..',
  '../../other',
  'a/../b',
  'a?b#c',
  '',
  'fill',
  'kontext',
  'inpaint',
  'sd3',
)

const { openai: _, ...wires } = IMAGE_WIRES
for (const [wire, codec] of Object.entries<ImageCodec>(wires)) {
  const recorded = RECORDINGS.find((one) => one.wire === (STANDS_FOR[wire] ?? wire))!
  const target = { baseUrl: recorded.baseUrl, model: recorded.model }

  describe(`the wire ${wire}`, () => {
    test('encodes the same call to the same request, and leaves the call as it was', () => {
      fc.assert(
        fc.property(someCall, someModel, (input, model = target.model) => {
          const before = structuredClone(input)
          const painted = withPaint(codec, input, { ...target, model })
          const twice = [1, 2].map(() => outcomeOf(() => codec.encode(painted, { ...target, model })))
          assert.deepEqual(twice[0], twice[1])
          assert.deepEqual(input, before)
        }),
        { numRuns: RUNS },
      )
    })

    test('passes fields on that it does not know, or names them in a note', () => {
      const extra = {
        image_config: { aspect_ratio: '16:9' },
        stream: true,
        background: 'opaque',
        never_heard_of: 'marker-7',
      }
      for (const images of [undefined, [FOX]]) {
        const made = outcomeOf(() => codec.encode(call({ ...(images && { images }), extra }), target))
        if (!('wire' in made)) continue
        const dropped = made.notes.filter(({ action }) => action === 'dropped').map(({ field }) => field)
        const body = Buffer.from(made.wire.body ?? '').toString('latin1')
        const values = { image_config: '16:9', stream: 'stream', background: 'opaque', never_heard_of: 'marker-7' }
        for (const [field, value] of Object.entries(values))
          assert.ok(body.includes(value) || dropped.includes(field), `${field}: ${body} ${dropped}`)
      }
    })

    test('sends requests only to its provider, under no other path, and never passes on fields of the gateway', () => {
      fc.assert(
        fc.property(someCall, someModel, (input, model = target.model) => {
          const more = { ...input, extra: { ...input.extra, fallbacks: ['f/a'] } }
          const to = { ...target, model }
          const made = outcomeOf(() => codec.encode(withPaint(codec, more, to), to))
          if (!('wire' in made)) return
          const root = target.baseUrl.replace(/\/openai$/, '')
          assert.ok(new URL(made.wire.url).href.startsWith(`${root}/`), made.wire.url)
          assert.ok(!Buffer.from(made.wire.body ?? '').includes('fallbacks'))
        }),
        { numRuns: RUNS },
      )
    })

    test('reads a reply, a ticket or a problem out of anything, and no image that is none', () => {
      fc.assert(
        fc.property(bodyLike(recorded.answers.map(({ body }) => body)), someMediaType, (body, mediaType) => {
          const step = outcomeOf(() => codec.decode(answer(body, mediaType), call(), target))
          if ('done' in step && step.done) {
            assert.ok(step.reply.data.length > 0)
            for (const { url, b64_json } of step.reply.data) assert.ok(url || b64_json)
          }
          if ('done' in step && !step.done) assertOwn(step.poll.url, target.baseUrl)
        }),
        { numRuns: 4 * RUNS },
      )
    })

    test('makes a problem of any error', () => {
      const anything = fc.oneof(
        fc.string(),
        bodyLike(recorded.errors.map(({ body }) => body)).map((body) => JSON.stringify(body)),
      )
      fc.assert(
        fc.property(fc.integer({ min: 300, max: 599 }), anything, (status, text) => {
          const found = codec.problem(status, text)
          assert.ok(found instanceof UpstreamProblem)
          assert.ok(found.message)
        }),
        { numRuns: RUNS },
      )
    })

    test('refuses answers that are empty, a page, a list or a number', () => {
      for (const [text, kind] of [
        ['', 'empty'],
        ['<html>', 'garbage'],
        ['[]', 'garbage'],
        ['7', 'garbage'],
      ] as const)
        assert.throws(() => codec.decode(answer(text, 'text/html'), call(), target), { kind })
    })
  })
}

const someMediaType = fc.constantFrom('application/json', 'text/html', 'image/png')

/** What was recorded, with some of its values replaced by anything. */
function bodyLike(recorded: unknown[]): fc.Arbitrary<unknown> {
  const bodies = recorded.filter((body) => body !== undefined)
  const seeds = fc.infiniteStream(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.jsonValue({ maxDepth: 2 })))
  const damaged = fc.tuple(fc.constantFrom(...bodies), seeds).map(([body, stream]) => damage(body, stream))
  return fc.oneof({ weight: 4, arbitrary: damaged }, { weight: 1, arbitrary: fc.jsonValue() })
}

function damage(value: unknown, stream: Iterator<[number, unknown]>): unknown {
  const [luck, other] = stream.next().value as [number, unknown]
  if (luck === 0) return other
  if (Array.isArray(value)) return value.map((item) => damage(item, stream))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, damage(inner, stream)]))
}

function outcomeOf<Result extends object>(act: () => Result): Result | { thrown: string } {
  try {
    return act()
  } catch (thrown) {
    assert.ok(thrown instanceof UpstreamProblem || thrown instanceof Problem, String((thrown as Error)?.stack))
    return { thrown: thrown.message }
  }
}

function assertOwn(url: string, baseUrl: string): void {
  const family = (host: string) => host.split('.').slice(-2).join('.')
  assert.equal(family(new URL(url).hostname), family(new URL(baseUrl).hostname), url)
}
