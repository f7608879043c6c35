import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageInput, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { problemIn } from '../openai/problem.ts'
import { type Fields, recordOf, recordsIn } from '../../../base/schema/record.ts'
import { nearestScale, pixelsOf, requestedRatio } from './requested-size.ts'
import { extraFields, withExtra } from './extra-fields.ts'
import { fieldsIn, finished, listedItem, moderated, secondsOf } from './image-answer.ts'
import { dataUrlOf, refuseMask } from './image-inputs.ts'
import { jsonRequest } from './image-request.ts'
import { qualityWord } from './quality-word.ts'
import { reportedProblem } from './image-problems.ts'

// https://docs.x.ai/docs/guides/image-generations: OpenAI's answer, and a request format of its own.

const XAI = 'xAI'
const RATIOS = [
  ...['1:1', '3:4', '4:3', '9:16', '16:9', '2:3', '3:2'],
  ...['9:19.5', '19.5:9', '9:20', '20:9', '1:2', '2:1'],
]
const SCALES = { '1k': 1024, '2k': 2048 }
const TICKS_PER_USD = 1e10

export const xai: ImageCodec = { inputs: 'urls', max: 10, encode, decode, problem: reportedProblem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  refuseMask(call, XAI)
  const { prompt, n, responseFormat, size } = call
  const pixels = pixelsOf(size, XAI)
  const fields = {
    model: target.model,
    prompt,
    n,
    response_format: responseFormat,
    aspect_ratio: requestedRatio(call, RATIOS, XAI, notes),
    resolution: pixels && nearestScale(pixels, SCALES),
    quality: qualityWord(call, notes),
    ...imagesOf(call.images),
  }
  const body = withExtra(extraFields(call, notes, { knows: ['user'], refuses: ['seed'] }), fields)
  const path = call.mode === 'edit' ? 'edits' : 'generations'
  return { wire: jsonRequest(`${target.baseUrl}/images/${path}`, body), notes: notes.list }
}

function imagesOf(images: readonly ImageInput[]): Fields {
  const outputImages = images.map((image) => ({ url: dataUrlOf(image), type: 'image_url' }))
  return outputImages.length > 1 ? { images: outputImages } : { image: outputImages[0] }
}

function decode(answer: ImageAnswer): ImageStep {
  const value = fieldsIn(answer)
  const error = problemIn(value)
  if (error) throw error
  const images = recordsIn(value.data)
  const shown = images.filter(({ respect_moderation }) => respect_moderation !== false)
  if (images.length > 0 && shown.length === 0) throw moderated(undefined)
  const { cost_in_usd_ticks: ticks } = recordOf(value.usage)
  const cost = typeof ticks === 'number' ? ticks / TICKS_PER_USD : undefined
  return finished(shown.map(listedItem), { created: secondsOf(value.created), cost })
}
