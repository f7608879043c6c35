import { asBuffer } from '../../../base/bytes/as-buffer.ts'
import { isUtf8 } from 'node:buffer'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tryParse } from '../../json/try-parse.ts'
import { notAnAnswer } from '../answer-problems.ts'
import type { ImageAnswer, ImageItem, ImageReply, ImageStep } from '../image-codec.ts'
import { countOf, type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { addUsage, readUsage } from './images-usage.ts'
import { problemIn } from './problem.ts'

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
    const { type, created_at } = recordOf(event)
    const isFinished = textOf(type).endsWith('.completed')
    if (isFinished) replies.push(readReply({ ...recordOf(event), created: created_at, data: [event] }))
    else if (problemIn(event)) replies.push(readReply(event))
  }
  return replies
}

function readReply(value: unknown): ImageReply {
  const error = problemIn(value)
  if (error) throw error
  if (!isRecord(value)) throw new UpstreamProblem('garbage', NO_IMAGE)
  const data = recordsIn(value.data).flatMap(readItem)
  if (data.length === 0) throw new UpstreamProblem('garbage', NO_IMAGE)
  return {
    created: countOf(value.created) || undefined,
    data,
    outputFormat: textOf(value.output_format) || undefined,
    size: textOf(value.size) || undefined,
    quality: textOf(value.quality) || undefined,
    usage: isRecord(value.usage) ? readUsage(value.usage) : undefined,
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
