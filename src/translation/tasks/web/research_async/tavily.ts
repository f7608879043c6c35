import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { isDone } from '../../http/slow-job.ts'
import { textOrData } from '../../results/text-or-data.ts'
import { ticketId } from '../../http/ticket-id.ts'
import { slowAdapter } from '../../feature.ts'
import { TavilyUsage, tavilyUnits } from '../../vendors/tavily.ts'
import research from './feature.ts'

// https://docs.tavily.com/documentation/api-reference/endpoint/research. The model determines the depth: mini, pro or auto. If
// no usage is reported, four credits are the minimum.

const LEAST_CREDITS = 4

const Text = optional(Type.String(), 'May be missing.')
const Source = Type.Object({ url: Type.String(), title: Text, favicon: Text })

const readTicket = replyReader(Type.Object({ request_id: Type.String() }))

const readState = replyReader(
  Type.Object({
    status: Type.String(),
    content: Type.Optional(Type.Unknown()),
    sources: optional(Type.Array(Source), 'The sources.'),
    created_at: Text,
    error: Type.Optional(Type.Unknown()),
    usage: TavilyUsage,
  }),
)

type Ticket = { request_id: string }

export default slowAdapter<typeof research, Ticket>(research, {
  async start(task, tools) {
    const { prompt, schema, reasoning_depth } = task.input
    const model = task.model ?? reasoning_depth
    const payload = jsonPayload({ model, output_schema: schema, ...task.params, input: prompt, stream: undefined })
    const { request_id } = await askForJson(tools, { path: '/research', payload }, readTicket)
    return { request_id: ticketId(request_id) }
  },
  async poll({ request_id }, tools) {
    const original = await askForJson(tools, { path: `/research/${request_id}?include_usage=true` }, readState)
    const { status, content, created_at, usage } = original
    if (!isDone(original, tools)) return 'pending'
    const sources = original.sources?.map(({ url, title, favicon }) => ({ url, title, favicon }))
    const output = { ...textOrData(content), sources, status, request_id, created_at, usage }
    return { output, original, units: tavilyUnits(usage, LEAST_CREDITS) }
  },
})
