import type { WireRequest } from '../../wire/wire.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { exactRatio, requestedPixels, pixelsOf } from './requested-size.ts'
import { detailProblem } from './image-problems.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { fluxStep, waiting } from './flux-ticket.ts'
import { fieldsIn } from './image-answer.ts'
import { base64Of, base64OrUrl, imagesOf, noGenerations, refuseMask } from './image-inputs.ts'
import { jsonRequest, pollRequest } from './image-request.ts'
import { pathSegment } from '../../wire/path-segment.ts'
import { ownUrl, ticketId } from './own-url.ts'
import { paintedMask } from './painted-mask.ts'

// https://docs.bfl.ai: a task is submitted, then polled at the URL in the answer, which may be in another region.

const BFL = 'Black Forest Labs'
const FAMILY_DOMAIN = 'bfl.ai'

type Family = {
  models: RegExp
  size: 'pixels' | 'ratio' | 'own'
  /** The sides are multiples of this many pixels. */
  step?: number
  images: 'input_image' | 'image_prompt' | 'image'
  max: number
  /** The model requires an image. */
  edits?: true
}

/** The first entry that matches is used; the last one matches all. */
const FAMILIES: readonly Family[] = [
  { models: /fill|expand/, size: 'own', images: 'image', max: 1, edits: true },
  { models: /kontext/, size: 'ratio', images: 'input_image', max: 4 },
  { models: /ultra/, size: 'ratio', images: 'image_prompt', max: 1 },
  { models: /^flux-[23]/, size: 'pixels', step: 16, images: 'input_image', max: 8 },
  { models: /(?:)/, size: 'pixels', step: 32, images: 'image_prompt', max: 1 },
]

export const bfl: ImageCodec = { inputs: 'urls', max: 1, paints: () => 'white', encode, decode, problem: detailProblem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  const family = FAMILIES.find(({ models }) => models.test(target.model))!
  if (family.edits && call.mode === 'generate') throw noGenerations(BFL)
  if (!/fill/.test(target.model)) refuseMask(call, BFL)
  dropQuality(call, notes)
  const fields = { prompt: call.prompt, ...sizeOf(call, family, notes), ...inputImagesOf(call, family, notes) }
  const body = withExtra(extraFields(call, notes), fields)
  return { wire: jsonRequest(`${target.baseUrl}/${pathSegment(target.model)}`, body), notes: notes.list }
}

function sizeOf(call: ImageCall, { size, step }: Family, notes: Notes): Fields {
  const requested = pixelsOf(call.size, BFL)
  if (!requested || call.extra.aspect_ratio != null) return {}
  if (step) return { ...requestedPixels(call, step, BFL, notes) }
  if (size === 'own') notes.dropped('size', 'the image keeps its size')
  else notes.translated('size', `this model needs an aspect ratio: ${exactRatio(requested)}`)
  return size === 'own' ? {} : { aspect_ratio: exactRatio(requested) }
}

/** `input_image`, `input_image_2`, … */
function inputImagesOf(call: ImageCall, { images, max }: Family, notes: Notes): Fields {
  const inputs = imagesOf(call, BFL, max)
  const entries = inputs.map((image, at) => [at === 0 ? images : `${images}_${at + 1}`, base64OrUrl(image)])
  const mask = call.mask && base64Of(paintedMask(call.mask, BFL, notes), 'mask', BFL)
  return { ...Object.fromEntries(entries), mask }
}

/** The answer for a running task does not repeat its polling URL. */
function decode(answer: ImageAnswer, _call: ImageCall, target: Target, request?: WireRequest): ImageStep {
  const value = fieldsIn(answer)
  if (value.polling_url !== undefined) return waiting(pollRequest(ticketUrl(value, target)))
  const again = () => `${target.baseUrl}/get_result?id=${ticketId(value.id)}`
  return fluxStep(value, () => pollRequest(request?.method === 'GET' ? request.url : again()))
}

function ticketUrl({ polling_url, id }: Fields, target: Target): string {
  const url = new URL(ownUrl(polling_url, target, FAMILY_DOMAIN))
  if (!url.searchParams.has('id')) url.searchParams.set('id', ticketId(id))
  return url.href
}
