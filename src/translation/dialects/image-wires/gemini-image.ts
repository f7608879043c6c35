import type { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { Target } from '../chat-codec.ts'
import { problem, problemIn } from '../gemini/problem.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageReply, ImageStep } from '../image-codec.ts'
import { pathSegment } from '../../wire/path-segment.ts'
import { Notes } from '../notes.ts'
import { CountReader } from '../answer/count-reader.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { nearestScale, pixelsOf, requestedRatio } from './requested-size.ts'
import { dropQuality, extraFields, withExtra, withImageConfig } from './extra-fields.ts'
import { base64Item, failed, fieldsIn, finished, formatOf, moderated } from './image-answer.ts'
import { base64Of, bytesOf, refuseMask } from './image-inputs.ts'
import { jsonRequest } from './image-request.ts'
import { keepWritten } from '../../json/written-numbers.ts'

// https://ai.google.dev/gemini-api/docs/image-generation: a chat with a model that answers with images.

const GOOGLE = 'Google'
const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']
const LONG_RATIOS = [...RATIOS, '1:4', '4:1', '1:8', '8:1']
const SCALES = { '1K': 1024, '2K': 2048, '4K': 4096 }
const MORE_SCALES = { '512': 512, ...SCALES }
/** It supports more aspect ratios and one more scale than the others. */
const FLASH_3_1 = /^gemini-3\.1-flash-image/
const SCALABLE = /^gemini-3\.1-flash-image|^gemini-[\d.]+-pro-image/
/** Top-level fields of the request; Google refuses all others. */
const OWN = new Set(['safetySettings', 'systemInstruction', 'tools', 'toolConfig', 'labels', 'cachedContent'])
const REFUSALS = /SAFETY|PROHIBITED|BLOCKLIST|RECITATION|SPII/

export const geminiImage: ImageCodec = { inputs: 'bytes', max: 1, encode, decode, problem }

function encode(original: ImageCall, target: Target) {
  const notes = new Notes()
  const call = withImageConfig(original)
  refuseMask(call, GOOGLE)
  dropQuality(call, notes)
  const images = call.images.map((image) => {
    const { mediaType } = bytesOf(image, 'images', GOOGLE)
    return { inlineData: { mimeType: mediaType, data: base64Of(image, 'images', GOOGLE) } }
  })
  const contents = [{ role: 'user', parts: [...images, { text: call.prompt }] }]
  const body = { contents, ...settings(call, target, notes) }
  const url = `${target.baseUrl}/models/${pathSegment(target.model)}:generateContent`
  return { wire: jsonRequest(url, body), notes: notes.list }
}

function settings(call: ImageCall, target: Target, notes: Notes): Fields {
  const extra = extraFields(call, notes)
  const { aspect_ratio, image_size, seed, temperature, output_format, generationConfig, ...others } = extra
  for (const field of Object.keys(others)) if (!OWN.has(field)) notes.dropped(field, 'this provider has no such field')
  const own = keepWritten(Object.fromEntries(Object.entries(others).filter(([field]) => OWN.has(field))), extra)
  const imageConfig = imageConfigOf(call, target, textOf(output_format), notes)
  const fields = recordOf(generationConfig)
  const config = withExtra(fields, { responseModalities: ['IMAGE'], seed, temperature })
  return { ...own, generationConfig: { ...config, imageConfig: withExtra(recordOf(fields.imageConfig), imageConfig) } }
}

function imageConfigOf(call: ImageCall, { model, baseUrl }: Target, format: string, notes: Notes): Fields {
  const isVertex = baseUrl.endsWith('/publishers/google')
  if (format && !isVertex) notes.dropped('output_format', 'this provider chooses the format')
  const imageOutputOptions = format && isVertex ? { mimeType: `image/${format}` } : undefined
  const scale = /^(512|[124]k)$/i.test(call.size ?? '') ? call.size!.toUpperCase() : undefined
  if (scale && call.extra.image_size === undefined)
    return { imageSize: scale, imageOutputOptions, aspectRatio: call.extra.aspect_ratio }
  const aspectRatio = requestedRatio(call, FLASH_3_1.test(model) ? LONG_RATIOS : RATIOS, GOOGLE, notes)
  return { aspectRatio, imageSize: scaleOf(call, model), imageOutputOptions }
}

function scaleOf({ size, extra }: ImageCall, model: string): string | undefined {
  if (typeof extra.image_size === 'string') return extra.image_size
  const pixels = pixelsOf(size, GOOGLE)
  if (!pixels || !SCALABLE.test(model)) return undefined
  return FLASH_3_1.test(model) ? nearestScale(pixels, MORE_SCALES) : nearestScale(pixels, SCALES)
}

function decode(answer: ImageAnswer): ImageStep {
  const value = fieldsIn(answer)
  const error = problemIn(value)
  if (error) throw error
  const images = recordsIn(value.candidates).flatMap(imagesOf)
  if (images.length === 0) throw withoutImage(value)
  const usage = usageOf(recordOf(value.usageMetadata))
  const items = images.map(({ data }) => base64Item(data))
  return finished(items, { outputFormat: formatOf(images[0]!.mimeType), usage })
}

/** Images that the model drew while it reasoned are not part of the answer. */
function imagesOf({ content }: Fields): Fields[] {
  const parts = recordsIn(recordOf(content).parts).filter(({ thought }) => thought !== true)
  return parts.map(({ inlineData }) => recordOf(inlineData)).filter(({ data }) => textOf(data))
}

function withoutImage({ promptFeedback, candidates }: Fields): UpstreamProblem {
  const { blockReason, blockReasonMessage } = recordOf(promptFeedback)
  if (blockReason) return moderated(textOf(blockReasonMessage) || `the prompt was blocked: ${textOf(blockReason)}`)
  const { finishReason, finishMessage, content } = recordsIn(candidates)[0] ?? {}
  if (REFUSALS.test(textOf(finishReason))) return moderated(textOf(finishMessage) || `withheld: ${finishReason}`)
  const words = recordsIn(recordOf(content).parts).flatMap(({ text, thought }) => (thought ? [] : [textOf(text)]))
  return failed(textOf(finishMessage) || words.join(' ').trim() || 'the provider answered without an image')
}

function usageOf(counts: Fields): ImageReply['usage'] {
  const reader = new CountReader()
  const input_tokens = reader.read(counts.promptTokenCount)
  const candidates = reader.read(counts.candidatesTokenCount)
  const output_tokens = candidates + reader.read(counts.thoughtsTokenCount)
  // Image tokens are not always reported separately; reasoning is always text.
  const drawn = imageTokensIn(counts.candidatesTokensDetails, reader) || candidates
  const seen = imageTokensIn(counts.promptTokensDetails, reader)
  if (input_tokens + output_tokens === 0 || !reader.isSound) return undefined
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    input_tokens_details: split(input_tokens, seen),
    output_tokens_details: split(output_tokens, drawn),
  }
}

function split(all: number, images: number): { text_tokens: number; image_tokens: number } {
  const image_tokens = Math.min(all, images)
  return { text_tokens: all - image_tokens, image_tokens }
}

function imageTokensIn(details: unknown, reader: CountReader): number {
  const images = recordsIn(details).filter(({ modality }) => modality === 'IMAGE')
  return images.reduce((sum, { tokenCount }) => sum + reader.read(tokenCount), 0)
}
