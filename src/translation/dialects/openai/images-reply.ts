import { asBuffer } from '../../../base/bytes/as-buffer.ts'
import { isUtf8 } from 'node:buffer'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tryParse } from '../../json/try-parse.ts'
import { notAnAnswer } from '../answer-problems.ts'
import type { WireEvent } from '../../wire/wire.ts'
import type { ImageAnswer, ImageEvent, ImageItem, ImageReply, ImageStep } from '../image-codec.ts'
import { countOf, type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { addUsage, readUsage } from './images-usage.ts'
import { problemIn, problemOfEvent } from './problem.ts'

const DATA = Buffer.from('data:')
const LINE_END = 0x0a
const MAX_HEAD_CHARS = 100
/** The beginning of server-sent events. What the bytes are counts, and not what their type says. */
const EVENTS = /^\ufeff?\s*(?:data|event|id|retry)?:/
const TYPED_BASE64 = /^data:image\/[\w.+-]+;base64,/i

/** A whole answer, or events if the caller's `stream` was passed on: then only finished images count. */
export function decodeImages({ bytes }: ImageAnswer): ImageStep {
  if (bytes.length === 0) throw notAnAnswer('', 'an image')
  const replies = EVENTS.test(beginningOf(bytes)) ? finishedEvents(bytes) : [readReply(parsed(bytes))]
  const [first] = replies
  if (!first) throw notAnAnswer(beginningOf(bytes), 'an image')
  return { done: true, reply: { ...first, data: replies.flatMap(({ data }) => data), ...sumOf(replies) } }
}

function* dataLines(bytes: Uint8Array): Generator<Uint8Array> {
  const text = asBuffer(bytes)
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf(LINE_END, from)
    const end = found < 0 ? text.length : found
    const line = text.subarray(from, end)
    if (line.subarray(0, DATA.length).equals(DATA)) yield line.subarray(DATA.length)
    from = end + 1
  }
}

function finishedEvents(bytes: Uint8Array): ImageReply[] {
  const replies: ImageReply[] = []
  for (const line of dataLines(bytes)) {
    const event = parsed(line)
    if (isFinished(event)) replies.push(finishedReply(recordOf(event)))
    else if (problemIn(event)) replies.push(readReply(event))
  }
  return replies
}

/** An event of a streamed answer, read as it arrives. */
export function decodeImageEvent(event: WireEvent): ImageEvent | undefined {
  const value = tryParse(event.data)
  const failure = problemIn(value) ?? problemOfEvent(event, value)
  if (failure) throw failure
  const fields = recordOf(value)
  if (isFinished(value)) return { done: true, reply: finishedReply(fields) }
  const [image] = textOf(fields.type).endsWith('.partial_image') ? readItem(fields) : []
  if (image?.b64_json === undefined) return undefined
  const index = countOf(fields.partial_image_index)
  return { done: false, partial: { ...aboutImages(fields, fields.created_at), index, b64_json: image.b64_json } }
}

function isFinished(event: unknown): boolean {
  return textOf(recordOf(event).type).endsWith('.completed')
}

function finishedReply(event: Fields): ImageReply {
  return readReply({ ...event, created: event.created_at, data: [event] })
}

function readReply(value: unknown): ImageReply {
  const error = problemIn(value)
  if (error) throw error
  if (!isRecord(value)) throw new UpstreamProblem('garbage', NO_IMAGE)
  const data = recordsIn(value.data).flatMap(readItem)
  if (data.length === 0) throw new UpstreamProblem('garbage', NO_IMAGE)
  return {
    ...aboutImages(value, value.created),
    data,
    usage: isRecord(value.usage) ? readUsage(value.usage) : undefined,
  }
}

function aboutImages({ output_format, size, quality, background }: Fields, created: unknown) {
  return {
    created: countOf(created) || undefined,
    outputFormat: textOf(output_format) || undefined,
    size: textOf(size) || undefined,
    quality: textOf(quality) || undefined,
    ...(textOf(background) && { background: textOf(background) }),
  }
}

const NO_IMAGE = 'the provider answered with something that contains no image'

/** Some providers send a data URL instead of base64. */
function readItem({ url, b64_json, revised_prompt }: Fields): ImageItem[] {
  const revised = textOf(revised_prompt)
  const more = revised ? { revised_prompt: revised } : {}
  if (textOf(b64_json)) return [{ b64_json: textOf(b64_json).replace(TYPED_BASE64, ''), ...more }]
  return textOf(url) ? [{ url: textOf(url), ...more }] : []
}

/** Each event of a stream reports the usage of its own image. */
function sumOf(replies: readonly ImageReply[]): Pick<ImageReply, 'usage'> {
  const used = replies.flatMap(({ usage }) => usage ?? [])
  return replies.length > 1 && used.length > 0 ? { usage: used.reduce(addUsage) } : {}
}

function parsed(bytes: Uint8Array): unknown {
  return isUtf8(bytes) ? tryParse(asBuffer(bytes).toString('utf8')) : undefined
}

function beginningOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, MAX_HEAD_CHARS)).toString('latin1')
}
