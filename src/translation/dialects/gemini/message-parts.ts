import type { ContentPart, Message } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import { imageOf, textOfPart } from '../request/messages.ts'
import { cannotTake, needs } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import { textOf } from '../../../base/schema/record.ts'
import { inline, mediaAt } from './media.ts'
import type { GenerationConfig, MediaPart, WirePart } from './wire.ts'

type Part<Type extends ContentPart['type']> = Extract<ContentPart, { type: Type }>

/** OpenAI's names of audio formats, if they differ. */
const AUDIO_TYPES = new Map([
  ['pcm16', 'audio/pcm'],
  ['mpeg', 'audio/mp3'],
])

/** The default if the name does not reveal the type: most images on the web are JPEG. */
const LIKELY_IMAGE_TYPE = 'image/jpeg'

/** Converts content parts to Google's format. */
export class MessageParts {
  readonly #target: Target
  #closely: 'low' | 'high' | undefined

  constructor(target: Target) {
    this.#target = target
  }

  /** The level of detail applies to the whole call; the highest one wins. */
  mediaResolution(): Pick<GenerationConfig, 'mediaResolution'> {
    if (!this.#closely) return {}
    return { mediaResolution: this.#closely === 'high' ? 'MEDIA_RESOLUTION_HIGH' : 'MEDIA_RESOLUTION_LOW' }
  }

  /** Empty texts are refused, so they are dropped. */
  parts({ content }: Message, loc: Loc): WirePart[] {
    if (typeof content === 'string') return content === '' ? [] : [{ text: content }]
    return (content ?? []).flatMap((part, at) => this.#part(part, [...loc, 'content', at]))
  }

  texts(message: Message, loc: Loc): WirePart[] {
    const parts = this.parts(message, loc)
    if (parts.some(({ text }) => text === undefined))
      throw cannotTake([...loc, 'content'], 'Gemini accepts only text as an instruction')
    return parts
  }

  #part(part: ContentPart, loc: Loc): WirePart[] {
    const text = textOfPart(part)
    if (text !== undefined) return text === '' ? [] : [{ text }]
    if (part.type === 'image_url') return [this.#image(part, loc)]
    if (part.type === 'file') return [this.#file(part, loc)]
    if (part.type === 'input_audio') return [{ inlineData: audio(part, [...loc, 'input_audio', 'data']) }]
    throw cannotTake([...loc, 'type'], 'Gemini accepts text, image_url, file and input_audio')
  }

  #image(part: Part<'image_url'>, loc: Loc): MediaPart {
    needs('vision', this.#target.traits, loc, 'Gemini')
    const { url, detail } = imageOf(part)
    if (detail === 'high' || detail === 'original') this.#closely = 'high'
    else if (detail === 'low') this.#closely ??= 'low'
    return mediaAt(url, [...loc, 'image_url', 'url'], LIKELY_IMAGE_TYPE)
  }

  #file({ file }: Part<'file'>, loc: Loc): MediaPart {
    needs('files', this.#target.traits, loc, 'Gemini')
    const { file_id, file_data, filename } = file
    if (file_data === undefined) return this.#uploaded(file_id ?? '', [...loc, 'file', 'file_id'])
    return { inlineData: inline(file_data, [...loc, 'file', 'file_data'], { filename: textOf(filename) }) }
  }

  /** A URL, or the name of a file that was uploaded to Google before. */
  #uploaded(id: string, loc: Loc): MediaPart {
    if (/^files\/[\w-]+$/.test(id)) return { fileData: { fileUri: `${this.#target.baseUrl}/${id}` } }
    return mediaAt(id, loc)
  }
}

function audio({ input_audio: { data, format } }: Part<'input_audio'>, loc: Loc) {
  const type = format ? (AUDIO_TYPES.get(format) ?? `audio/${format}`) : undefined
  return inline(data, loc, { type })
}
