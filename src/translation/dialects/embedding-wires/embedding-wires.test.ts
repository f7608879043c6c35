import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Problem } from '../../../contract/problems.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { EmbeddingCall, EmbeddingReply } from '../embedding-codec.ts'
import { EMBEDDING_WIRES, type EmbeddingWire } from './index.ts'

type Case = {
  wire: EmbeddingWire
  model: string
  path: string
  /** What `{ input: TEXTS, dimensions: 2, extra }` becomes; models that take one text get the first. */
  body: unknown
  extra?: Record<string, unknown>
  dimensions?: number
  answer: unknown
  headers?: Record<string, string>
  vectors: (number[] | string)[]
  tokens: number | undefined
}

const TEXTS = ['one', 'zwei']
const VECTORS = [
  [0.5, -1],
  [0.25, 2],
]
const TAKES_TOKENS: EmbeddingWire[] = ['openai', 'mistral', 'perplexity']
const BASE = 'https://p.test/v1'

const CASES: Case[] = [
  {
    wire: 'openai',
    model: 'm',
    path: '/embeddings',
    body: { input: TEXTS, encoding_format: 'float', dimensions: 2, user: 'u', model: 'm' },
    answer: { data: VECTORS.map((embedding) => ({ embedding })), usage: { prompt_tokens: 3 } },
    vectors: VECTORS,
    tokens: 3,
  },
  {
    wire: 'mistral',
    model: 'codestral-embed',
    path: '/embeddings',
    body: { input: TEXTS, encoding_format: 'float', output_dimension: 2, model: 'codestral-embed' },
    answer: { data: [{ embedding: VECTORS[0] }] },
    vectors: [VECTORS[0]!],
    tokens: undefined,
  },
  {
    wire: 'voyage',
    model: 'voyage-3.5',
    extra: { input_type: 'query' },
    path: '/embeddings',
    body: { input: TEXTS, output_dimension: 2, input_type: 'query', model: 'voyage-3.5' },
    answer: { data: VECTORS.map((embedding) => ({ embedding })), usage: { total_tokens: 3 } },
    vectors: VECTORS,
    tokens: 3,
  },
  {
    wire: 'jina',
    model: 'jina-embeddings-v3',
    path: '/embeddings',
    body: { input: TEXTS, dimensions: 2, model: 'jina-embeddings-v3' },
    answer: { data: VECTORS.map((embedding) => ({ embedding })), usage: { total_tokens: 3 } },
    vectors: VECTORS,
    tokens: 3,
  },
  {
    wire: 'perplexity',
    model: 'pplx-embed-v1-4b',
    path: '/v1/embeddings',
    body: { input: TEXTS, dimensions: 2, user: 'u', model: 'pplx-embed-v1-4b' },
    answer: { data: [{ embedding: Buffer.from([1, 255]).toString('base64') }], usage: { total_tokens: 4 } },
    vectors: [[1, -1]],
    tokens: 4,
  },
  {
    wire: 'cohere',
    model: 'embed-v4.0',
    extra: { input_type: 'search_query' },
    path: '/embed',
    body: {
      input_type: 'search_query',
      model: 'embed-v4.0',
      texts: TEXTS,
      output_dimension: 2,
      embedding_types: ['float'],
    },
    answer: { embeddings: { float: VECTORS }, meta: { billed_units: { input_tokens: 3 } } },
    vectors: VECTORS,
    tokens: 3,
  },
  {
    wire: 'gemini',
    model: 'gemini-embedding-001',
    extra: { task_type: 'CLUSTERING' },
    path: '/models/gemini-embedding-001:batchEmbedContents',
    body: {
      requests: TEXTS.map((text) => ({
        taskType: 'CLUSTERING',
        outputDimensionality: 2,
        model: 'models/gemini-embedding-001',
        content: { parts: [{ text }] },
      })),
    },
    answer: { embeddings: VECTORS.map((values) => ({ values })) },
    vectors: VECTORS,
    tokens: undefined,
  },
  {
    wire: 'vertex',
    model: 'text-embedding-005',
    extra: { task_type: 'CLUSTERING', autoTruncate: false },
    path: '/models/text-embedding-005:predict',
    body: {
      instances: TEXTS.map((content) => ({ content, task_type: 'CLUSTERING' })),
      parameters: { autoTruncate: false, outputDimensionality: 2 },
    },
    answer: { predictions: VECTORS.map((values) => ({ embeddings: { values, statistics: { token_count: 2 } } })) },
    vectors: VECTORS,
    tokens: 4,
  },
  {
    wire: 'vertex',
    model: 'gemini-embedding-2',
    path: '/models/gemini-embedding-2:embedContent',
    body: {
      content: { role: 'user', parts: [{ text: 'one' }] },
      embedContentConfig: { outputDimensionality: 2 },
    },
    answer: { embedding: { values: VECTORS[0] }, usageMetadata: { promptTokenCount: 2 } },
    vectors: [VECTORS[0]!],
    tokens: 2,
  },
  {
    wire: 'vertex',
    model: 'multimodalembedding@001',
    path: '/models/multimodalembedding%40001:predict',
    body: { instances: [{ text: 'one' }], parameters: { dimension: 2 } },
    answer: { predictions: [{ textEmbedding: VECTORS[0] }] },
    vectors: [VECTORS[0]!],
    tokens: undefined,
  },
  {
    wire: 'bedrock',
    model: 'amazon.titan-embed-text-v2:0',
    extra: { normalize: false },
    path: '/model/amazon.titan-embed-text-v2%3A0/invoke',
    body: { normalize: false, inputText: 'one', dimensions: 2 },
    answer: { embedding: VECTORS[0], inputTextTokenCount: 1 },
    vectors: [VECTORS[0]!],
    tokens: 1,
  },
  {
    wire: 'bedrock',
    model: 'amazon.titan-embed-image-v1',
    path: '/model/amazon.titan-embed-image-v1/invoke',
    body: { inputText: 'one', embeddingConfig: { outputEmbeddingLength: 2 } },
    answer: { embedding: VECTORS[0], inputTextTokenCount: 1 },
    vectors: [VECTORS[0]!],
    tokens: 1,
  },
  {
    wire: 'bedrock',
    model: 'amazon.nova-2-multimodal-embeddings-v1:0',
    path: '/model/amazon.nova-2-multimodal-embeddings-v1%3A0/invoke',
    body: {
      taskType: 'SINGLE_EMBEDDING',
      singleEmbeddingParams: {
        embeddingPurpose: 'GENERIC_INDEX',
        text: { truncationMode: 'NONE', value: 'one' },
        embeddingDimension: 2,
      },
    },
    answer: { embeddings: [{ embeddingType: 'TEXT', embedding: VECTORS[0] }], inputTextTokenCount: 1 },
    vectors: [VECTORS[0]!],
    tokens: 1,
  },
  {
    wire: 'bedrock',
    model: 'us.cohere.embed-v4:0',
    path: '/model/us.cohere.embed-v4%3A0/invoke',
    body: { input_type: 'search_document', texts: TEXTS, output_dimension: 2, embedding_types: ['float'] },
    answer: { embeddings: VECTORS },
    headers: { 'x-amzn-bedrock-input-token-count': '5' },
    vectors: VECTORS,
    tokens: 5,
  },
]

describe('the wires of embeddings', () => {
  for (const { wire, model, path, body, extra = {}, answer, headers = {}, vectors, tokens } of CASES)
    test(`${wire}: ${model}`, () => {
      const codec = EMBEDDING_WIRES[wire]
      const target = { baseUrl: BASE, model }
      const input = TEXTS.slice(0, codec.max(target))
      const request: EmbeddingCall = { input, dimensions: 2, encodingFormat: 'float', user: 'u', extra }
      const sent = codec.encode(request, target)
      assert.deepEqual([sent.url, JSON.parse(String(sent.body))], [BASE + path, body])
      const reply = codec.decode({ headers, text: JSON.stringify(answer) })
      assert.deepEqual([vectorsOf(reply), reply.tokens], [vectors, tokens])
      for (const text of ['', '{}', '{"embeddings":[]}', '[]', '<html>', JSON.stringify({ data: [] })])
        assert.throws(() => codec.decode({ headers: {}, text }), UpstreamProblem, text)
    })

  test('one text is a list of one; tokens are refused by name where the provider takes none', () => {
    for (const { wire, model } of CASES.filter(({ wire }) => !TAKES_TOKENS.includes(wire))) {
      const codec = EMBEDDING_WIRES[wire]
      const target = { baseUrl: BASE, model }
      assert.match(String(codec.encode({ input: 'alone', extra: {} }, target).body), /"alone"/)
      for (const input of [
        [1, 2],
        [[1], [2]],
      ])
        assert.throws(() => codec.encode({ input, extra: {} }, target), refusal(422, 'input'), wire)
    }
  })

  test('unsupported input is refused', () => {
    const target = { baseUrl: BASE, model: 'amazon.titan-embed-text-v1' }
    const { encode, max } = EMBEDDING_WIRES.bedrock
    assert.throws(() => encode({ input: 'x', dimensions: 5, extra: {} }, target), refusal(422, 'dimensions'))
    assert.throws(() => max({ ...target, model: 'twelvelabs.marengo-embed-2-7-v1:0' }), refusal(400, 'model'))
  })
})

function refusal(status: number, param: string) {
  return (error: unknown) => error instanceof Problem && error.status === status && error.details.param === param
}

function vectorsOf({ data }: EmbeddingReply) {
  return data.map(({ embedding }) => embedding)
}
