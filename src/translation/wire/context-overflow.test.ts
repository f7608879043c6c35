import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anthropicWords, googleWords, openaiWords } from './context-overflow.ts'

const WITH_COUNTS: Record<string, string> = {
  Anthropic: 'prompt is too long: 9000 tokens > 8192 maximum',
  OpenAI:
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
  vLLM: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).",
  xAI: "This model's maximum prompt length is 8192 but the request contains 9000 tokens.",
  Mistral: 'Prompt contains 9000 tokens, too large for model with 8192 maximum context length',
  Gemini: 'The input token count (9000) exceeds the maximum number of tokens allowed (8192).',
  Vertex: 'the input token count is 9000 but model only supports up to 8192. Reduce the input token count.',
  Cohere: 'too many tokens: total number of tokens in the prompt cannot exceed 8192 - received 9000. Try again.',
  'llama.cpp': 'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
  'numbers with commas': 'prompt is too long: 9,000 tokens > 8,192 maximum',
}

describe('a prompt that is too long, with both counts', () => {
  for (const [host, message] of Object.entries(WITH_COUNTS))
    test(`${host}: in the words of every format`, () => {
      const told = openaiWords(message)
      assert.match(told, /context length/)
      assert.equal(anthropicWords(told), 'prompt is too long: 9000 tokens > 8192 maximum')
      assert.equal(
        googleWords(told),
        'The input token count (9000) exceeds the maximum number of tokens allowed (8192).',
      )
    })
})

test('no count is invented', () => {
  for (const message of [
    'Input is too long for requested model.',
    "This model's maximum context length is 8,192 tokens.",
    'Your request exceeded model token limit: 8192',
    'too many tokens: size limit exceeded by 500 tokens. The limit for this model is 256000 tokens.',
    "This model's maximum context length is 9000 tokens. Your prompt has 10 images.",
  ]) {
    assert.match(openaiWords(message), /context (length|window)/)
    assert.ok(openaiWords(message).endsWith(message))
    assert.ok(anthropicWords(openaiWords(message)).startsWith('prompt is too long: '))
    assert.ok(anthropicWords(openaiWords(message)).endsWith(message))
    assert.ok(googleWords(message).endsWith(message))
  }
})

test('what Anthropic says of prompt and answer together stays as it is in its own format', () => {
  const message = 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length'
  assert.equal(anthropicWords(openaiWords(message)), message)
})
