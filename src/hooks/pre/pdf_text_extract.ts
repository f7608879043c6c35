import type { ContentPart, FilePart, Message } from '../../contract/chat.ts'
import { Problem, problem } from '../../contract/problems.ts'
import { optional, words } from '../../contract/fields.ts'
import { closedParams } from '../closed-params.ts'
import { type PreTools, preHook } from '../hook.ts'

const PDF_URL = /^data:application\/pdf[^,]{0,100};base64,/i
/** `%PDF-` in base64. */
const PDF_BASE64 = /^\s*JVBERi0/

export default preHook({
  description:
    'Puts the text of PDF files in the place of the files, for models that read no files. Scanned pages have no text: a ' +
    'file without any is refused.',
  params: closedParams({
    method: optional(words(['default']), 'How to read: the text layer.', { default: 'default' }),
  }),
  async run(request, _, tools) {
    const messages: Message[] = []
    for (const [index, message] of request.messages.entries()) messages.push(await withTexts(message, index, tools))
    const isSame = messages.every((message, index) => message === request.messages[index])
    return isSame ? request : { ...request, messages }
  },
})

async function withTexts(message: Message, index: number, tools: PreTools): Promise<Message> {
  const { content } = message
  if (!Array.isArray(content) || !content.some(isPdf)) return message
  const parts: ContentPart[] = []
  for (const [at, part] of content.entries()) {
    parts.push(isPdf(part) ? await toText(part, ['body', 'messages', index, 'content', at, 'file'], tools) : part)
  }
  return { ...message, content: parts }
}

type PdfPart = FilePart & { file: { file_data: string } }

function isPdf(part: ContentPart): part is PdfPart {
  const data = part.type === 'file' && 'file_data' in part.file ? part.file.file_data : undefined
  return typeof data === 'string' && (PDF_URL.test(data) || PDF_BASE64.test(data))
}

async function toText(
  { file, cache_control }: PdfPart,
  loc: (string | number)[],
  tools: PreTools,
): Promise<ContentPart> {
  const bytes = Buffer.from(file.file_data.replace(PDF_URL, ''), 'base64')
  const text = await readAt(loc, tools.textOfPdf(bytes))
  const name = typeof file.filename === 'string' ? `${file.filename}\n\n` : ''
  return { type: 'text', text: name + text, ...(cache_control && { cache_control }) }
}

/** What is wrong with a file is told where the file stands. */
async function readAt(loc: (string | number)[], reading: Promise<string>): Promise<string> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'validation_error') throw error
    const detail = [{ loc, msg: error.message, type: 'value_error' }]
    throw problem('validation_error', { message: error.message, param: loc.slice(1).join('.'), detail })
  }
}
