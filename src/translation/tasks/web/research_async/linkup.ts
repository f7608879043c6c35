import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { textAt } from '../../results/loose-fields.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { isDone, startJob } from '../../http/slow-job.ts'
import { slowAdapter } from '../../feature.ts'
import { LinkupSource, linkupSource } from '../../vendors/linkup.ts'
import research from './feature.ts'

// https://docs.linkup.so/pages/documentation/endpoints/research/overview. Depths are S, M, L and XL.

const readSources = replyReader(Type.Array(LinkupSource))

const readState = replyReader(
  Type.Object({
    status: Type.String(),
    createdAt: optional(Type.String(), 'When it began.'),
    output: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.Unknown()),
  }),
)

type Ticket = { id: string; isShaped: boolean }

export default slowAdapter<typeof research, Ticket>(research, {
  async start(task, tools) {
    const { prompt, schema, reasoning_depth } = task.input
    // Linkup accepts a schema as a text.
    const shape = schema ? { structuredOutputSchema: JSON.stringify(schema) } : {}
    const outputType = schema ? 'structured' : 'sourcedAnswer'
    const payload = jsonPayload({ reasoningDepth: reasoning_depth, ...task.params, ...shape, outputType, q: prompt })
    const { id } = await startJob(tools, '/research', payload)
    return { id, isShaped: Boolean(schema) }
  },
  async poll({ id, isShaped }, tools) {
    const original = await askForJson(tools, { path: `/research/${id}` }, readState)
    const { status, createdAt, output: found } = original
    if (!isDone(original, tools)) return 'pending'
    const more = { status, request_id: id, created_at: createdAt }
    return { output: { ...(isShaped ? { data: found } : answerIn(found)), ...more }, original, units: 1 }
  },
})

function answerIn(found: unknown) {
  const { sources = [] } = { ...(found as { sources?: unknown } | null | undefined) }
  return { answer: textAt(found, 'answer'), sources: readSources(sources).map(linkupSource) }
}
