import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { isDone, startJob, stopJob } from '../../http/slow-job.ts'
import { textOrData } from '../../results/text-or-data.ts'
import { slowAdapter } from '../../feature.ts'
import { creditsOf } from '../../vendors/firecrawl.ts'
import research from './feature.ts'

// https://docs.firecrawl.dev/api-reference/endpoint/agent. It does not name its sources. The model determines the depth.

const readState = replyReader(
  Type.Object({
    status: Type.String(),
    data: Type.Optional(Type.Unknown()),
    creditsUsed: Type.Optional(Type.Number({ minimum: 0 })),
    error: Type.Optional(Type.Unknown()),
  }),
)

type Ticket = { id: string }

export default slowAdapter<typeof research, Ticket>(research, {
  async start(task, tools) {
    const { prompt, schema, reasoning_depth } = task.input
    const model = task.model ?? reasoning_depth
    const payload = jsonPayload({ model, schema, ...task.params, prompt, webhook: undefined })
    return await startJob(tools, '/agent', payload)
  },
  async poll({ id }, tools) {
    const original = await askForJson(tools, { path: `/agent/${id}` }, readState)
    const { status, data, creditsUsed } = original
    if (!isDone(original, tools)) return 'pending'
    const { units, usage } = creditsOf(creditsUsed, 1)
    return { output: { ...textOrData(data), status, request_id: id, usage }, original, units }
  },
  cancel: ({ id }, tools) => stopJob(tools, `/agent/${id}`),
})
