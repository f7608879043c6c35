import type { RequestRecord } from '../../../src/contract/admin/requests.ts'
import { apiUrl } from '../../api/api-url.ts'
import { callCommand } from '../../api/call-command.ts'

const TEXT = 'Your text'

/** The path and the smallest body of each endpoint, by the name that the log gives it. */
const CALLS: Record<string, { path: string; body: object }> = {
  chat: { path: '/v3/chat/completions', body: { messages: [{ role: 'user', content: TEXT }] } },
  embeddings: { path: '/v3/embeddings', body: { input: TEXT } },
  images: { path: '/v3/images/generations', body: { prompt: TEXT } },
  moderations: { path: '/v3/moderations', body: { input: TEXT } },
  rerank: { path: '/v3/rerank', body: { query: TEXT, documents: [TEXT] } },
  responses: { path: '/v3/responses', body: { input: TEXT } },
  universal: { path: '/v3/universal-ai', body: { input: { text: TEXT } } },
}

/** A call like this one: with the body that was kept, or with a text of the reader's own. */
export function repeatCommand({ endpoint, requested_model, model, stream }: RequestRecord, kept?: unknown): string {
  const { path, body } = CALLS[endpoint] ?? CALLS.chat!
  if (typeof kept === 'object' && kept !== null) return callCommand(apiUrl() + path, JSON.stringify(kept))
  return callCommand(
    apiUrl() + path,
    JSON.stringify({ model: requested_model ?? model, ...body, ...(stream && { stream }) }),
  )
}
