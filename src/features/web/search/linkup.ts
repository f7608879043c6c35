import Type from '../../../contract/type.ts'
import { optional } from '../../../contract/fields.ts'
import { askForJson } from '../../calls/ask-provider.ts'
import { jsonPayload } from '../../calls/payload.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { LinkupSource, linkupSource, searchTokens } from '../../makers/linkup.ts'
import search from './feature.ts'

// https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-search. It gives pages, or an answer with its sources.

const Text = optional(Type.String(), 'May be missing.')
const Hit = Type.Object({ type: Text, url: Type.String(), name: Text, content: Text, favicon: Text })

const readReply = replyReader(
  Type.Object({
    results: Type.Optional(Type.Array(Hit)),
    answer: Text,
    sources: Type.Optional(Type.Array(LinkupSource)),
  }),
)

export default adapter(search, async (task, tools) => {
  const { query, max_results, depth } = task.input
  const usual = { depth: depth ?? 'standard', outputType: 'searchResults', maxResults: max_results }
  const wishes = { ...usual, ...task.params }
  const payload = jsonPayload({ ...wishes, q: query })
  const original = await askForJson(tools, { path: '/search', payload }, readReply)
  const { results = [], answer, sources = [] } = original
  const pages = results.filter(({ type }) => type !== 'image')
  const pictures = results.filter(({ type }) => type === 'image')
  const output = {
    query,
    results: pages.map(({ url, name, content, favicon }) => ({ url, title: name, content, favicon })),
    answer,
    sources: sources.map(linkupSource),
    images: pictures.map(({ url, name }) => ({ url, description: name })),
  }
  return { output, original, units: searchTokens(wishes.depth) }
})
