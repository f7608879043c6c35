/** The endpoints that the lines of a batch may be for. Models may differ between lines, and so may endpoints. */
export const BATCH_ENDPOINTS = [
  '/v3/chat/completions',
  '/v3/completions',
  '/v3/v1/messages',
  '/v3/responses',
  '/v3/embeddings',
  '/v3/moderations',
  '/v3/images/generations',
  '/v3/images/edits',
  '/v3/rerank',
  '/v3/universal-ai',
] as const
