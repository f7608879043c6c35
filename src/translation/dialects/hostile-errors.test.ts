import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostileCases } from '../../../test/fakes/hostile-cases.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import { errors as ofBedrock } from './bedrock/fixtures/errors.ts'
import { errors as ofCohere } from './cohere/fixtures/errors.ts'
import { answer, call, recordings } from './image-wires/fixtures/image-calls.ts'
import { IMAGE_WIRES } from './image-wires/index.ts'
import { type DialectName, DIALECTS } from './index.ts'
import { ERRORS as ofOpenAi } from './openai/fixtures/errors.ts'
import ofAnthropic from './anthropic/fixtures/errors.json' with { type: 'json' }
import ofGemini from './gemini/fixtures/errors.json' with { type: 'json' }

// Recorded errors of providers and answers with images, in which one place has a hostile value. The rules for answers to chats
// are in test/dialect-conformance.test.ts.

type RecordedError = { status: number; body: unknown }

const ERRORS: Record<DialectName, readonly RecordedError[]> = {
  openai: ofOpenAi,
  anthropic: ofAnthropic,
  gemini: Object.values(ofGemini),
  bedrock: ofBedrock,
  cohere: ofCohere,
}
const FEW = 4

for (const [dialect, errors] of Object.entries(ERRORS))
  test(`${dialect}: any value at any place of an error makes a problem of the provider`, () => {
    everyError(errors, DIALECTS[dialect as DialectName].chat.problem)
  })

for (const { wire, baseUrl, model, answers, errors } of recordings()) {
  const codec = IMAGE_WIRES[wire as keyof typeof IMAGE_WIRES]
  test(`images of ${wire}: any value at any place of an error or an answer ends in a result or a problem of the provider`, () => {
    everyError(errors, codec.problem)
    for (const { body, bytes, model: other = model } of answers)
      for (const { text, name } of bytes === undefined ? hostileCases(textOf(body), FEW) : [])
        neverSurprised(name, () => codec.decode(answer(text), call(), { baseUrl, model: other }))
  })
}

function everyError(errors: readonly RecordedError[], read: (status: number, text: string) => UpstreamProblem): void {
  for (const { status, body } of errors)
    for (const { text, name } of hostileCases(textOf(body), FEW)) {
      const { message, code = '', param = '' } = neverSurprised(name, () => read(status, text))!
      assert.deepEqual([typeof message, typeof code, typeof param], ['string', 'string', 'string'], name)
    }
}

function neverSurprised<Read>(name: string, read: () => Read): Read | undefined {
  try {
    return read()
  } catch (error) {
    assert.ok(error instanceof UpstreamProblem, `${name}: ${(error as Error).stack}`)
    return undefined
  }
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}
