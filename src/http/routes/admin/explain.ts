import Type from '../../../schema/type.ts'
import { ChatRequest } from '../../../contract/chat.ts'
import { chatIssues, furtherChatIssues } from '../../../contract/chat-rules.ts'
import { ErrorBody } from '../../../contract/errors.ts'
import { Explanation } from '../../../contract/operations.ts'
import { uuid } from '../../../schema/fields.ts'
import { problem } from '../../../contract/problems.ts'
import { ANYBODY, explain } from '../../../chat/explain.ts'
import { callerOf } from '../../../access/keys.ts'
import { limitsOfGateway } from '../../../limits/forecast-sources.ts'
import { validationProblem } from '../../problems.ts'
import { route } from '../../define-route.ts'

export default route({
  method: 'POST',
  path: '/admin/explain',
  access: 'admin',
  permission: 'config.read',
  summary: 'A dry run of a chat body',
  description:
    'The targets in the order in which they would be tried, the request to each, the notes on fields that would be ' +
    'translated or dropped, the estimated cost, every budget and rate limit that an attempt would touch, and the policy ' +
    'that applies. No provider is called and nothing is reserved. `?key=` is the id of the key to act as.',
  query: Type.Object({ key: Type.Optional(uuid("A key's id.")) }),
  body: ChatRequest,
  furtherIssues: furtherChatIssues,
  replies: {
    200: { description: 'What would happen.', schema: Explanation },
    404: { description: 'There is no such key or model.', schema: ErrorBody },
    424: { description: 'The provider of a model has no credential here.', schema: ErrorBody },
    451: { description: 'A model is not available in the region of the key.', schema: ErrorBody },
  },
  handle: async (request, _reply, { context }) => {
    const { key } = request.query
    const caller = key === undefined ? ANYBODY : await callerOf(key, context)
    if (!caller) throw problem('not_found', { message: 'There is no such key.' })
    const body = request.body.value
    const issues = chatIssues(body)
    if (issues.length > 0) throw validationProblem(issues)
    const { routing, ...explained } = await explain(body, caller, { ...context, spending: limitsOfGateway(context) })
    return { ...explained, ...(routing && { routing: { ...routing } }) }
  },
})
