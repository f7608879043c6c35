import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { ImageCodec, ImageStep } from '../image-codec.ts'
import { answer, call, type Recorded, type RecordedError, recordings } from './fixtures/image-calls.ts'
import { IMAGE_WIRES } from './index.ts'

// Every known answer of a provider, and the expected result.

for (const { wire, baseUrl, model, answers, errors } of recordings()) {
  const codec: ImageCodec = IMAGE_WIRES[wire as keyof typeof IMAGE_WIRES]

  describe(`answers of ${wire}`, () => {
    for (const recorded of answers)
      test(recorded.name, () => {
        const read = () => codec.decode(answerOf(recorded), call(), { baseUrl, model: recorded.model ?? model })
        if (recorded.kind) assertThrown(read, recorded)
        else assertStep(read(), recorded)
      })

    for (const { status, body, ...expected } of errors)
      test(`${status} ${JSON.stringify(body).slice(0, 80)}`, () => {
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        assertProblem(codec.problem(status, text), { ...expected, status })
      })
  })
}

test('every wire format has its recordings, except OpenAI and those that delegate to two others', () => {
  const recorded = recordings().map(({ wire }) => wire)
  assert.deepEqual(
    Object.keys(IMAGE_WIRES)
      .filter((wire) => !recorded.includes(wire))
      .sort(),
    ['bedrock', 'openai', 'vertex'],
  )
})

function answerOf({ body, bytes, mediaType, headers }: Recorded) {
  return answer(bytes === undefined ? body : new Uint8Array(Buffer.from(bytes, 'base64')), mediaType, headers)
}

function assertStep(step: ImageStep, { reply, poll }: Recorded) {
  if (step.done) return assert.deepEqual(JSON.parse(JSON.stringify(step.reply)), reply)
  const { method, url, body } = step.poll
  assert.deepEqual({ method, url, ...(body && { body: JSON.parse(String(body)) }) }, poll)
  assert.ok(step.afterMs > 0)
}

function assertThrown(read: () => unknown, { kind, says = '' }: Recorded) {
  assert.throws(read, (thrown: unknown) => {
    assert.ok(thrown instanceof UpstreamProblem, String(thrown))
    assert.deepEqual([thrown.kind, new RegExp(says).test(thrown.message)], [kind, true], thrown.message)
    return true
  })
}

function assertProblem(found: UpstreamProblem, { status, kind, code, param, says = '' }: Omit<RecordedError, 'body'>) {
  assert.deepEqual([found.kind, found.status], [kind, status], found.message)
  assert.match(found.message, new RegExp(says))
  if (code) assert.equal(found.code, code)
  if (param) assert.equal(found.param, param)
}
