import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { ERRORS, recordingOf } from './fixtures/recordings.ts'
import { decode } from './reply.ts'

describe('a whole reply', () => {
  test('of text becomes a completion', () => {
    assert.deepEqual(decode(JSON.stringify(recordingOf('text').whole)), {
      id: 'mZ0Xaf_yBc6l1dkP',
      model: 'gemini-3.5-flash',
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Grüße aus 東京 🗼, and a "quoted" line\nbreak.' },
          finish_reason: 'stop',
          logprobs: null,
        },
      ],
      usage: {
        prompt_tokens: 8,
        completion_tokens: 14,
        total_tokens: 22,
        prompt_tokens_details: { cached_tokens: 0, text_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    })
  })

  test('thought parts are reasoning, their signature a detail', () => {
    assert.deepEqual(messageOf('thinking'), {
      role: 'assistant',
      content: 'They land together.',
      reasoning_content: '**Weighing it**\n\nBoth fall.',
      reasoning_details: [{ type: 'gemini.thought_signature', signature: 'EoUBCoIBAVSoXO4text', tool_call_id: null }],
    })
  })

  test('calls: ids kept or made, signatures on the call', () => {
    const calls = messageOf('parallel-tools').tool_calls
    assert.deepEqual(calls, [
      {
        id: 'fc-11',
        type: 'function',
        function: { name: 'get_weather', arguments: '{"city":"Tokyo"}' },
        extra_content: { google: { thought_signature: 'CsQBAVSoXO7first' } },
      },
      { id: 'fc-12', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Mumbai"}' } },
      { id: 'call_mZ0Xaf_yBc6l1dkP_2', type: 'function', function: { name: 'get_time', arguments: '{}' } },
    ])
    assert.equal(choiceOf('parallel-tools').finish_reason, 'tool_calls')
  })

  test('ids without a reply id come from its time, else from the name; two candidates differ', () => {
    const content = { parts: [{ functionCall: { name: 'get.time', id: '' } }] }
    const ids = (more: object) =>
      decode(JSON.stringify({ candidates: [{ content }, { content }], ...more })).choices.map(
        ({ message }) => message.tool_calls?.[0]?.id,
      )
    assert.deepEqual(ids({ createTime: '2026-11-15T10:00:00.5Z' }), [
      'call_2026-11-15T1000005Z_0',
      'call_2026-11-15T1000005Z_1_0',
    ])
    assert.deepEqual(ids({}), ['call_gettime_0', 'call_gettime_1_0'])
  })

  test('the time, if it is reported', () => {
    const reply = { ...recordingOf('text').whole, createTime: '2026-11-15T10:00:00.5Z' }
    assert.equal(decode(JSON.stringify(reply)).created, 1_794_736_800)
    assert.ok(!('created' in decode(JSON.stringify(recordingOf('text').whole))))
  })

  test('has its images and its audio', () => {
    const { images, content } = messageOf('image-output') as {
      images?: { image_url: { url: string } }[]
      content: string
    }
    assert.equal(content, 'Here is your cat.')
    assert.match(images![0]!.image_url.url, /^data:image\/png;base64,iVBOR/)
    const audio = messageOf('audio-output').audio!
    assert.deepEqual(
      [...Buffer.from(String(audio.data), 'base64')],
      Array.from({ length: 20 }, (_, at) => at + 1),
    )
    assert.match(String(audio.format), /^audio\/L16/)
  })

  test('citations at their place in the string', () => {
    const { content, annotations } = messageOf('grounding')
    const places = annotations!.map(({ url_citation }) => {
      const { start_index, end_index, url } = url_citation as { start_index: number; end_index: number; url: string }
      return [content!.slice(start_index, end_index), url.at(-1)]
    })
    assert.deepEqual(places, [
      ['Zürich won 2–1.', 'a'],
      ['Zürich won 2–1.', 'b'],
      ['Bern lost.', 'b'],
    ])
  })

  test('a citation that counts from its own part is found by its text', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.test' } }],
      groundingSupports: [
        { segment: { partIndex: 1, endIndex: 5, text: 'World' }, groundingChunkIndices: [0, 7, 'x'] },
      ],
    }
    const candidate = {
      content: { parts: [{ text: 'Hello ' }, { text: 'World' }] },
      groundingMetadata,
      finishReason: 'STOP',
    }
    const { annotations } = decode(JSON.stringify({ candidates: [candidate] })).choices[0]!.message
    assert.deepEqual(annotations, [
      { type: 'url_citation', url_citation: { start_index: 6, end_index: 11, url: 'https://a.test', title: '' } },
    ])
  })

  test('has the probabilities of its tokens', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'é', logProbability: -0.1 }],
      topCandidates: [
        {
          candidates: [
            { token: 'é', logProbability: -0.1 },
            { token: 'e', logProbability: -3 },
          ],
        },
      ],
    }
    const candidate = { content: { parts: [{ text: 'é' }] }, finishReason: 'STOP', logprobsResult }
    const [choice] = decode(JSON.stringify({ candidates: [candidate] })).choices
    const token = { token: 'é', logprob: -0.1, bytes: [195, 169] }
    assert.deepEqual(choice?.logprobs, {
      content: [{ ...token, top_logprobs: [token, { token: 'e', logprob: -3, bytes: [101] }] }],
      refusal: null,
    })
  })
})

describe('ends', () => {
  const TABLE: Record<string, string> = {
    STOP: 'stop',
    MAX_TOKENS: 'length',
    CONTINUATION: 'length',
    SAFETY: 'content_filter',
    RECITATION: 'content_filter',
    LANGUAGE: 'content_filter',
    BLOCKLIST: 'content_filter',
    PROHIBITED_CONTENT: 'content_filter',
    SPII: 'content_filter',
    IMAGE_SAFETY: 'content_filter',
    IMAGE_PROHIBITED_CONTENT: 'content_filter',
    IMAGE_RECITATION: 'content_filter',
    MALFORMED_FUNCTION_CALL: 'length',
    UNEXPECTED_TOOL_CALL: 'length',
    TOO_MANY_TOOL_CALLS: 'length',
    OTHER: 'length',
    NO_IMAGE: 'length',
    IMAGE_OTHER: 'length',
    SOMETHING_NEW: 'length',
  }
  const ended = (finishReason: string, parts: object[]) => {
    return decode(JSON.stringify({ candidates: [{ content: { parts }, finishReason }] })).choices[0]!.finish_reason
  }

  test('every reason of the table', () => {
    for (const [reason, end] of Object.entries(TABLE)) assert.equal(ended(reason, [{ text: 'x' }]), end, reason)
    assert.equal(ended('STOP', [{ functionCall: { name: 'f' } }]), 'tool_calls')
    assert.equal(ended('MAX_TOKENS', [{ functionCall: { name: 'f' } }]), 'length')
  })

  test('a breakdown without an answer is a failure, a filter is not', () => {
    const thought = [{ text: 'hm', thought: true }]
    assert.throws(() => ended('MALFORMED_FUNCTION_CALL', thought), failure('empty', /MALFORMED_FUNCTION_CALL/))
    assert.equal(ended('SAFETY', []), 'content_filter')
    assert.equal(ended('STOP', []), 'stop')
  })

  test('a blocked prompt is filtered, without content', () => {
    const { message, finish_reason } = choiceOf('blocked-prompt')
    assert.deepEqual([message, finish_reason], [{ role: 'assistant', content: null }, 'content_filter'])
  })
})

describe('no reply', () => {
  test('nothing and an answer without candidates are empty, nonsense is garbage', () => {
    assert.throws(() => decode(' '), failure('empty'))
    for (const text of ['<html>', '[]', '{}', 'null', '3', '{"choices":[]}'])
      assert.throws(() => decode(text), failure('garbage'))
    assert.throws(() => decode('{"candidates":[],"usageMetadata":{}}'), failure('empty'))
  })

  test('an error with status 200, bare or in a list', () => {
    const { body } = ERRORS['rate-limited']!
    for (const text of [JSON.stringify(body), JSON.stringify([body])])
      assert.throws(() => decode(text), failure('rate_limited'))
    assert.throws(() => decode('{"error":"broken"}'), failure('server_error', /broken/))
  })
})

function choiceOf(name: string) {
  return decode(JSON.stringify(recordingOf(name).whole)).choices[0]!
}

function messageOf(name: string) {
  return choiceOf(name).message
}

function failure(kind: string, message = /./) {
  return (error: unknown) => error instanceof UpstreamProblem && error.kind === kind && message.test(error.message)
}
