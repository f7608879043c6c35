import type { ContentPart, FilePart, Message } from '../../../contract/chat.ts'
import { Problem, problem } from '../../../contract/problems.ts'
import { optional, words } from '../../../base/schema/fields.ts'
import { closedParams } from '../closed-params.ts'
import { type PreTools, preHook } from '../hook.ts'

const DATA_URL = /^data:[^,]{0,200};base64,/i
/** `%PDF-` and `PK`, the beginning of office documents, in base64. */
const PDF = /^\s*JVBERi0/
const ARCHIVE = /^\s*UEsDB/
const PDF_URL = /^data:application\/pdf[^,]{0,100};base64,/i

export default preHook({
  description:
    'Replaces PDF, DOCX, XLSX and PPTX files with their text, even for models that could read the files. ' +
    'Pages without text are read by text recognition; a file without any text is refused.',
  params: closedParams({
    method: optional(words(['default']), 'How to read: the text of the file, or its images if there is no text.', {
      default: 'default',
    }),
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
  if (!Array.isArray(content) || !content.some(isDocument)) return message
  const parts: ContentPart[] = []
  for (const [at, part] of content.entries()) {
    parts.push(isDocument(part) ? await toText(part, ['body', 'messages', index, 'content', at, 'file'], tools) : part)
  }
  return parts.every((part, at) => part === content[at]) ? message : { ...message, content: parts }
}

type DocumentPart = FilePart & { file: { file_data: string } }

/** At least the file is an archive. */
function isDocument(part: ContentPart): part is DocumentPart {
  const data = part.type === 'file' && 'file_data' in part.file ? part.file.file_data : undefined
  if (typeof data !== 'string') return false
  const base64 = data.slice(DATA_URL.exec(data)?.[0].length ?? 0).slice(0, 100)
  return PDF_URL.test(data) || PDF.test(base64) || ARCHIVE.test(base64)
}

async function toText(part: DocumentPart, loc: (string | number)[], tools: PreTools): Promise<ContentPart> {
  const { file, cache_control } = part
  const bytes = Buffer.from(file.file_data.replace(DATA_URL, ''), 'base64')
  const text = await readAt(loc, tools.textOfDocument(bytes))
  if (text === undefined) return part
  const name = typeof file.filename === 'string' ? `${file.filename}\n\n` : ''
  return { type: 'text', text: name + text, ...(cache_control && { cache_control }) }
}

/** An error about a file names the position of the file. */
async function readAt<T>(loc: (string | number)[], reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'validation_error') throw error
    const detail = [{ loc, msg: error.message, type: 'value_error' }]
    throw problem('validation_error', { message: error.message, param: loc.slice(1).join('.'), detail })
  }
}
