import Type, { type Static } from '../../../../base/schema/type.ts'
import type { Task, Tools } from '../../feature.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { dataUrlOf } from '../../http/inline-file.ts'
import { type Fields, jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'

// https://docs.mistral.ai/api/#tag/ocr. It returns Markdown without positions of words.

const ACCEPTED = {
  types: [
    ...['image/*', 'application/pdf'],
    ...['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ...['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ],
  megabytes: 50,
  pages: 1_000,
}

const Table = Type.Object({ content: Type.String() })
const Page = Type.Object({
  index: Type.Integer(),
  markdown: Type.String(),
  tables: Type.Optional(Type.Union([Type.Array(Table), Type.Null()])),
})
const readReply = replyReader(
  Type.Object({
    pages: Type.Array(Page),
    usage_info: Type.Object({ pages_processed: Type.Integer({ minimum: 0 }) }),
  }),
)

export type MistralPage = Static<typeof Page>

export async function readMistral(
  tools: Tools,
  task: Pick<Task<unknown>, 'files' | 'model' | 'params'>,
  more: Fields = {},
) {
  const file = acceptFile(task.files.file!, ACCEPTED)
  const url = await dataUrlOf(file)
  const document = file.type.startsWith('image/')
    ? { type: 'image_url', image_url: url }
    : { type: 'document_url', document_url: url }
  const fields = { ...task.params, ...more, model: task.model ?? 'mistral-ocr-latest', document }
  const original = await askForJson(tools, { path: '/ocr', payload: jsonPayload(fields) }, readReply)
  const text = original.pages.map(({ markdown }) => markdown).join('\n\n')
  return { original, pages: original.pages, text, units: Math.max(1, original.usage_info.pages_processed) }
}
