import { exchangesOf } from './exchange.ts'
import { FORMATS, PIXEL } from './formats.ts'

// Vectors, rankings, verdicts, speech, images and counts, each at its own endpoint.

export const EMBEDDED = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
  model: 'm',
  usage: { prompt_tokens: 3, total_tokens: 3 },
}
const RANKED = {
  id: 'r',
  results: [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.5 },
  ],
  meta: { billed_units: { search_units: 2 } },
  usage: { total_tokens: 9 },
}
const MODERATED = {
  id: 'modr-1',
  model: 'm',
  results: [
    {
      flagged: true,
      categories: { hate: true },
      category_scores: { hate: 0.9 },
      category_applied_input_types: { hate: ['text'] },
    },
  ],
}
const SPOKEN = {
  candidates: [
    { content: { parts: [{ inlineData: { mimeType: 'audio/L16;rate=24000', data: 'AAAA' } }] }, finishReason: 'STOP' },
  ],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
}
export const DRAWN = {
  created: 1,
  data: [{ b64_json: PIXEL, revised_prompt: 'A door.' }],
  usage: {
    input_tokens: 5,
    output_tokens: 9,
    total_tokens: 14,
    input_tokens_details: { text_tokens: 5, image_tokens: 0 },
  },
}
const documents = ['It rains.', { text: 'A cat.' }]

export const ENDPOINTS = exchangesOf([
  [
    'embeddings',
    '/v3/embeddings',
    { model: 'openai/text-embedding-3-small', input: ['Hi'], dimensions: 2, encoding_format: 'float', user: 'u' },
    EMBEDDED,
  ],
  [
    'embeddings, base64',
    '/v3/embeddings',
    { model: 'openai/text-embedding-3-small', input: 'Hi', encoding_format: 'base64' },
    EMBEDDED,
  ],
  [
    'embeddings, cohere',
    '/v3/embeddings',
    { model: 'cohere/embed-v4.0', input: ['Hi'] },
    { embeddings: { float: [[0.1, 0.2]] }, meta: { billed_units: { input_tokens: 2 } } },
  ],
  [
    'embeddings, gemini',
    '/v3/embeddings',
    { model: 'google/gemini-embedding-001', input: ['Hi'] },
    { embeddings: [{ values: [0.1, 0.2] }], usageMetadata: { promptTokenCount: 2 } },
  ],
  [
    'embed',
    '/v3/v2/embed',
    {
      model: 'openai/text-embedding-3-small',
      texts: ['Hi'],
      input_type: 'search_query',
      embedding_types: ['float'],
      output_dimension: 2,
    },
    EMBEDDED,
  ],
  [
    'embedContent',
    '/v3/v1beta/models/openai/text-embedding-3-small:embedContent',
    { content: { parts: [{ text: 'Hi' }] }, taskType: 'RETRIEVAL_QUERY', outputDimensionality: 2 },
    EMBEDDED,
  ],
  [
    'batchEmbedContents',
    '/v3/v1beta/models/openai/text-embedding-3-small:batchEmbedContents',
    { requests: [{ model: 'models/m', content: { parts: [{ text: 'Hi' }] } }] },
    EMBEDDED,
  ],
  [
    'rerank',
    '/v3/rerank',
    {
      model: 'cohere/rerank-v3.5',
      query: 'cat',
      documents,
      top_n: 2,
      return_documents: true,
      rank_fields: ['text'],
      max_tokens_per_doc: 9,
    },
    RANKED,
  ],
  [
    'rerank, voyage',
    '/v3/rerank',
    { model: 'voyage/rerank-2.5', query: 'cat', documents },
    { data: RANKED.results, usage: { total_tokens: 9 } },
  ],
  [
    'rerank, jina',
    '/v3/v2/rerank',
    { model: 'jina/jina-reranker-v2-base-multilingual', query: 'cat', documents },
    RANKED,
  ],
  [
    'moderations',
    '/v3/moderations',
    { model: 'openai/omni-moderation-latest', input: [{ type: 'text', text: 'Hi' }] },
    MODERATED,
  ],
  [
    'speech, gemini',
    '/v3/audio/speech',
    {
      model: 'google/gemini-2.5-flash-preview-tts',
      input: 'Hi',
      voice: 'Kore',
      response_format: 'wav',
      instructions: 'x',
      speed: 1,
    },
    SPOKEN,
  ],
  [
    'speech, minimax',
    '/v3/audio/speech',
    { model: 'minimax/speech-2.6-hd', input: 'Hi', voice: 'x', response_format: 'mp3' },
    {
      data: { audio: '00ff', status: 2 },
      extra_info: { usage_characters: 2 },
      base_resp: { status_code: 0, status_msg: 'success' },
    },
  ],
  [
    'images',
    '/v3/images/generations',
    {
      model: 'openai/gpt-image-2',
      prompt: 'A door',
      n: 1,
      size: '1024x1024',
      quality: 'low',
      background: 'opaque',
      output_format: 'png',
      user: 'u',
    },
    DRAWN,
  ],
  [
    'edits',
    '/v3/images/edits',
    { model: 'openai/gpt-image-2', prompt: 'A door', images: [{ image_url: `data:image/png;base64,${PIXEL}` }], n: 1 },
    DRAWN,
  ],
  [
    'count, anthropic',
    '/v3/v1/messages/count_tokens',
    { model: 'anthropic/claude-sonnet-4-5', ...FORMATS.messages.plain },
    { input_tokens: 14 },
  ],
  [
    'count, gemini',
    '/v3/v1beta/models/google/gemini-2.5-flash:countTokens',
    FORMATS.gemini.plain,
    { totalTokens: 14, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 14 }] },
  ],
  [
    'input_tokens',
    '/v3/responses/input_tokens',
    { model: 'openai/gpt-5-pro', input: 'Hi' },
    { object: 'response.input_tokens', input_tokens: 5 },
  ],
])
