import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { creditsOf } from '../../vendors/firecrawl.ts'
import map from './feature.ts'

// https://docs.firecrawl.dev/api-reference/endpoint/map. A map costs one credit, however large.

const Text = optional(Type.String(), 'May be missing.')
const Link = Type.Object({ url: Type.String(), title: Text, description: Text })

const readReply = replyReader(
  Type.Object({ links: Type.Array(Link), creditsUsed: Type.Optional(Type.Number({ minimum: 0 })) }),
)

export default adapter(map, async (task, tools) => {
  const { url } = task.input
  const payload = jsonPayload({ ...task.params, url })
  const original = await askForJson(tools, { path: '/map', payload }, readReply)
  const links = original.links.map(({ url, title, description }) => ({ url, title, description }))
  const { units, usage } = creditsOf(original.creditsUsed, 1)
  return { output: { url, links, usage }, original, units }
})
