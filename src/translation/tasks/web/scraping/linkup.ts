import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { fetchTokens } from '../../vendors/linkup.ts'
import scraping from './feature.ts'

// https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-fetch

const OutputImage = Type.Object({ url: Type.String(), alt: optional(Type.String(), 'What it shows.') })

const readReply = replyReader(
  Type.Object({
    markdown: Type.String(),
    rawHtml: optional(Type.String(), 'Where it is asked for.'),
    images: optional(Type.Array(OutputImage), 'Where they are asked for.'),
  }),
)

export default adapter(scraping, async (task, tools) => {
  const { url } = task.input
  const payload = jsonPayload({ ...task.params, url })
  const original = await askForJson(tools, { path: '/fetch', payload }, readReply)
  const images = original.images?.map((image) => ({ url: image.url, description: image.alt }))
  const output = { url, content: original.markdown, raw_html: original.rawHtml, images }
  return { output, original, units: fetchTokens(task.params) }
})
