import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { ERRORS, SILENT_ERRORS } from './fixtures/errors.ts'
import { openai } from './index.ts'

for (const { host, status, body, kind, message = /./ } of ERRORS)
  test(`${host}, ${status}: ${kind}`, () => {
    const found = openai.chat.problem(status, body)
    assert.deepEqual([found.kind, found.status], [kind, status])
    assert.match(found.message, message)
  })

describe('an error with status 200', () => {
  for (const { host, body, kind, message } of SILENT_ERRORS)
    test(`${host}: whole and streamed`, () => {
      const isIt = (error: unknown) => {
        return error instanceof UpstreamProblem && error.kind === kind && message.test(error.message)
      }
      assert.throws(() => openai.chat.decode(body), isIt)
      assert.throws(() => openai.chat.decoder({ model: 'm', messages: [] }).feed({ data: body }), isIt)
    })

  test('the status that MiniMax sends with a good answer is not an error', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
    const base_resp = { status_code: 0, status_msg: '' }
    assert.equal(openai.chat.decode(JSON.stringify({ id: 'm', choices, base_resp })).choices[0]!.message.content, 'Hi')
  })
})
