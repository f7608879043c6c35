import { problem as unknownModel } from '../../../contract/problems.ts'
import { kindOfStatus, UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'
import { nearestRatio, pixelsOf, requestedRatio } from './requested-size.ts'
import { detailProblem } from './image-problems.ts'
import { extraFields, withExtra } from './extra-fields.ts'
import { type FormPart, partsOf } from '../form-body.ts'
import { fieldsIn, finished, moderated, secondsOf, urlItem } from './image-answer.ts'
import { bytesOf, imageOf, noEdits } from './image-inputs.ts'
import { formRequest, jsonRequest } from './image-request.ts'
import { paintedMask } from './painted-mask.ts'
import { isFine } from './quality-word.ts'

// https://developer.ideogram.ai: version 3 accepts forms, version 4 a text and a size from a fixed list.

const IDEOGRAM = 'Ideogram'
const RATIOS = [
  ...['1x1', '1x2', '2x1', '1x3', '3x1', '2x3', '3x2', '3x4', '4x3', '4x5', '5x4'],
  ...['9x16', '16x9', '10x16', '16x10'],
]
const RESOLUTIONS = [
  ...['2048x2048', '1440x2880', '2880x1440', '1664x2496', '2496x1664', '1792x2240', '2240x1792'],
  ...['1440x2560', '2560x1440', '1728x2304', '2304x1728'],
]
const SPEEDS = new Set(['FLASH', 'TURBO', 'DEFAULT', 'QUALITY'])

export const ideogram: ImageCodec = { inputs: 'bytes', max: 8, paints: () => 'black', encode, decode, problem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  const generation = generationOf(target.model)
  const { style, ...extra } = extraFields(call, notes, { knows: ['style'], refuses: ['output_format'] })
  const shared = withExtra(extra, { rendering_speed: speedOf(call, notes), style_type: style, num_images: call.n })
  const base = `${target.baseUrl}/v1/ideogram-v${generation}`
  if (generation === '4') return { wire: fourth(`${base}/generate`, call, shared, notes), notes: notes.list }
  const ratio = requestedRatio(call, RATIOS, IDEOGRAM, notes)?.replace(':', 'x')
  const fields = { ...shared, prompt: call.prompt, aspect_ratio: ratio }
  if (call.mode === 'generate') return { wire: jsonRequest(`${base}/generate`, fields), notes: notes.list }
  const parts = [...partsOf(fields), ...filesOf(call, notes)]
  return { wire: formRequest(`${base}/${call.mask ? 'edit' : 'remix'}`, parts), notes: notes.list }
}

/** `ideogram-v3`, `v3`, `ideogram-4.0`, … */
function generationOf(model: string): '3' | '4' {
  const [, generation] = /^(?:ideogram-)?v?([34])(?:[.-]0)?$/i.exec(model) ?? []
  if (generation === undefined) throw unknownModel('model_not_found')
  return generation as '3' | '4'
}

function fourth(url: string, call: ImageCall, shared: Fields, notes: Notes) {
  if (call.mode === 'edit') throw noEdits(IDEOGRAM)
  const pixels = pixelsOf(call.size, IDEOGRAM)
  const resolution = pixels && nearestRatio(pixels, RESOLUTIONS)
  if (resolution && resolution !== call.size) notes.translated('size', `the nearest size of this model: ${resolution}`)
  const text = shared.json_prompt ? {} : { text_prompt: call.prompt }
  return jsonRequest(url, withExtra(shared, { ...text, resolution }))
}

/** Higher quality is slower here. */
function speedOf(call: ImageCall, notes: Notes): string | undefined {
  const { quality } = call
  if (!quality || quality === 'auto') return undefined
  const word = quality.toUpperCase()
  const speed = SPEEDS.has(word) ? word : isFine(call) ? 'QUALITY' : quality === 'low' ? 'TURBO' : 'DEFAULT'
  notes.translated('quality', `this provider calls it rendering_speed: ${speed}`)
  return speed
}

/** With a mask a part is redrawn, without one the whole image. */
function filesOf(call: ImageCall, notes: Notes): FormPart[] {
  const image: FormPart = ['image', bytesOf(imageOf(call, IDEOGRAM), 'images', IDEOGRAM)]
  return call.mask ? [image, ['mask', paintedMask(call.mask, IDEOGRAM, notes)]] : [image]
}

/** An unsafe image has no URL. */
function decode(answer: ImageAnswer): ImageStep {
  const { created, data } = fieldsIn(answer)
  const images = recordsIn(data)
  const shown = images.filter(({ url, is_image_safe }) => textOf(url) && is_image_safe !== false)
  if (images.length > 0 && shown.length === 0) throw moderated(undefined)
  const items = shown.map(({ url, prompt }) => {
    const item = urlItem(url)
    return item && { ...item, ...(textOf(prompt) && { revised_prompt: textOf(prompt) }) }
  })
  const size = textOf(shown[0]?.resolution) || undefined
  return finished(items, { created: secondsOf(created), size })
}

/** It has a status of its own for refused prompts. */
function problem(status: number, text: string): UpstreamProblem {
  const { message, code, param } = detailProblem(status, text)
  const kind = status === 422 ? 'content_policy' : kindOfStatus(status)
  return new UpstreamProblem(kind, message, { status, ...(code && { code }), ...(param && { param }) })
}
