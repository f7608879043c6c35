import type { ChatRequest, ContentPart, FilePart, Message } from '../../contract/chat.ts'
import type { Loc } from '../../base/schema/issue-messages.ts'
import { Problem, problem } from '../../contract/problems.ts'
import { readFileData } from '../../translation/dialects/data-url.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import type { CallFacts } from '../call.ts'
import type { ChatInput, TextsOfFiles } from './chat-input.ts'
import type { AskedChat } from './native-codec.ts'
import type { CallServices } from '../services/call-services.ts'
import { speaksResponses } from './responses/speaks-responses.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'
import { knownAbilities } from '../routing/router/candidate.ts'
import { textOfFile } from '../file-inputs/text-of-file.ts'

// A model that does not accept files gets their text instead. A file is read once per call, however many targets are asked,
// and only when a target needs it.

const MAX_FILES = 100

export const FILE_NOTE: Note = {
  field: 'messages.content.file',
  action: 'translated',
  reason: 'this model does not accept files; it was sent their text',
}

/** `passed`: what guardrails leave of a text, if some apply. */
type Reading = { call: CallFacts; services: CallServices; passed?: ((text: string) => Promise<string>) | undefined }

/** Most inputs stay as they are: they have no file, or all targets accept files. */
export function withFileTexts(input: ChatInput, targets: readonly ChatTarget[], reading: Reading): ChatInput {
  if (!hasFiles(input.request) || !targets.some(takesNoFiles)) return input
  return { ...input, files: new FileTexts(input, reading) }
}

function hasFiles({ messages }: ChatRequest): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some(isFile))
}

/** Only if the catalog says so: a model that sees images often reads documents too, even if no source says so. */
export function takesNoFiles({ entry, provider }: ChatTarget): boolean {
  return knownAbilities(entry, provider).lacks.includes('files')
}

class FileTexts implements TextsOfFiles {
  readonly #input: ChatInput
  readonly #reading: Reading
  /** Texts by the file's data; null if the file has no text that could be read. */
  readonly #texts = new Map<string, string | null>()

  constructor(input: ChatInput, reading: Reading) {
    this.#input = input
    this.#reading = reading
  }

  readyFor(target: ChatTarget): Promise<void> | undefined {
    return takesNoFiles(target) ? this.#readAll() : undefined
  }

  fit<Input extends AskedChat>(input: Input, target: ChatTarget): Input {
    const { request, native } = input
    if (this.#texts.size === 0 || !takesNoFiles(target)) return input
    if (native?.untranslatable?.length || speaksResponses(target, input)) return input
    const messages = request.messages.map((message) => this.#fitMessage(message))
    const isSame = messages.every((message, index) => message === request.messages[index])
    return isSame
      ? input
      : {
          ...input,
          request: { ...request, messages },
          native: native && { ...native, isStale: true },
          source: undefined,
        }
  }

  async #readAll(): Promise<void> {
    for (const { data, loc } of filesOf(this.#input.request)) {
      if (this.#texts.has(data)) continue
      if (this.#texts.size >= MAX_FILES) throw tooMany()
      const text = await at(loc, this.#textOf(data))
      this.#texts.set(data, text === undefined ? null : await this.#passed(text))
    }
  }

  async #passed(text: string): Promise<string> {
    const { passed } = this.#reading
    return passed ? await passed(text) : text
  }

  async #textOf(data: string): Promise<string | undefined> {
    const { call, services } = this.#reading
    const { base64 } = readFileData(data)
    const file = this.#input.attachments?.find(base64)
    const bytes = file ? await file.bytes() : Buffer.from(base64, 'base64')
    return await textOfFile(bytes, { signal: call.signal, owner: call.caller.owner, services })
  }

  #fitMessage(message: Message): Message {
    const { content } = message
    if (!Array.isArray(content) || !content.some(isFile)) return message
    const parts = content.map((part) => (isFile(part) ? this.#fitPart(part) : part))
    return parts.some((part, index) => part !== content[index]) ? { ...message, content: parts } : message
  }

  #fitPart(part: FilePart): ContentPart {
    const { file, cache_control } = part
    const text = this.#texts.get(file.file_data ?? '')
    if (text == null) return part
    const name = typeof file.filename === 'string' ? `${file.filename}\n\n` : ''
    return { type: 'text', text: name + text, ...(cache_control && { cache_control }) }
  }
}

function isFile(part: ContentPart): part is FilePart {
  return part.type === 'file'
}

function filesOf({ messages }: ChatRequest): { data: string; loc: Loc }[] {
  return messages.flatMap(({ content }, index) => {
    if (!Array.isArray(content)) return []
    return content.flatMap((part, partIndex) => {
      const data = isFile(part) ? part.file.file_data : undefined
      return data ? [{ data, loc: ['body', 'messages', index, 'content', partIndex, 'file'] }] : []
    })
  })
}

/** Adds the location of the file to a problem with it. */
async function at<T>(loc: Loc, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'validation_error') throw error
    const message = `This model does not accept files, and the text of this file cannot be read: ${error.message}`
    const detail = [{ loc, msg: message, type: 'value_error' }]
    throw problem('validation_error', { message, param: loc.slice(1).join('.'), detail })
  }
}

function tooMany() {
  return problem('too_large', {
    message: `The gateway reads the text of at most ${MAX_FILES} files for one request. Send fewer files.`,
  })
}
