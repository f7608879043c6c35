import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { isDone, startJob } from '../../http/slow-job.ts'
import { slowAdapter } from '../../feature.ts'
import structuredExtraction from './feature.ts'

// https://docs.firecrawl.dev/api-reference/endpoint/extract. It counts tokens; fifteen tokens are a credit.

const TOKENS_PER_PAGE = 15

const readState = replyReader(
  Type.Object({
    status: Type.String(),
    data: Type.Optional(Type.Unknown()),
    sources: Type.Optional(Type.Unknown()),
    tokensUsed: Type.Optional(Type.Number({ minimum: 0 })),
    error: Type.Optional(Type.Unknown()),
  }),
)

type Ticket = { id: string; pages: number }

export default slowAdapter<typeof structuredExtraction, Ticket>(structuredExtraction, {
  async start(task, tools) {
    const { urls, prompt, schema } = task.input
    const payload = jsonPayload({ prompt, schema, showSources: true, ignoreInvalidURLs: true, ...task.params, urls })
    const { id } = await startJob(tools, '/extract', payload)
    return { id, pages: urls.length }
  },
  async poll({ id, pages }, tools) {
    const original = await askForJson(tools, { path: `/extract/${id}` }, readState)
    const { status, data, tokensUsed } = original
    if (!isDone(original, tools)) return 'pending'
    const usage = tokensUsed ? { tokens: tokensUsed } : null
    const units = Math.max(1, Math.ceil(tokensUsed || pages * TOKENS_PER_PAGE))
    return { output: { data, sources: sourcesOf(original.sources), status, usage }, original, units }
  },
})

/** For every field of the result, the URLs of its sources. */
function sourcesOf(sources: unknown): { url: string }[] {
  const addresses = Object.values({ ...(sources as Record<string, unknown> | null | undefined) }).flat()
  return [...new Set(addresses)].flatMap((url) => (typeof url === 'string' ? [{ url }] : []))
}
