import type { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { type Fields, isRecord, listOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { pixelsOf, requestedRatio } from './requested-size.ts'
import { detailProblem, isUnsafe } from './image-problems.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { failed, fieldsIn, finished, formatOf, moderated, nonsense, sizeOf, urlItem } from './image-answer.ts'
import { dataUrlOf, imagesOf } from './image-inputs.ts'
import { jsonRequest, modelPath, pollRequest } from './image-request.ts'
import { ownUrl, ticketId } from './own-url.ts'
import { paintedMask } from './painted-mask.ts'

// https://docs.fal.ai/model-apis/model-endpoints/queue: a position in the queue, its state, and then the result.

const FAL = 'fal'
const FAMILY_DOMAIN = 'fal.run'
const RATIOS = ['21:9', '16:9', '4:3', '3:2', '1:1', '2:3', '3:4', '9:16', '9:21']
const POLL_MS = 500
/** The result is ready, but a short delay avoids a busy loop. */
const READY_MS = 50
const MAX_IMAGES = 10

/** Models that accept an aspect ratio, not pixels. */
const SHAPED = /ultra|kontext|nano-banana|gemini|imagen/
const LISTED = /\/edit\b|\/multi\b/

export const fal: ImageCodec = { inputs: 'urls', max: 4, paints: () => 'white', encode, decode, problem: detailProblem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  dropQuality(call, notes)
  const fields = {
    prompt: call.prompt,
    num_images: call.n,
    ...sizeFields(call, target, notes),
    // If the caller does not want a URL, the image should not be stored there.
    ...(call.responseFormat === 'b64_json' && { sync_mode: true }),
    ...inputImagesOf(call, target, notes),
  }
  const body = withExtra(extraFields(call, notes, { knows: ['style', 'background'] }), fields)
  return { wire: jsonRequest(`${target.baseUrl}/${modelPath(target.model)}`, body), notes: notes.list }
}

function sizeFields(call: ImageCall, { model }: Target, notes: Notes): Fields {
  if (call.extra.image_size != null) return {}
  if (SHAPED.test(model)) return { aspect_ratio: requestedRatio(call, RATIOS, FAL, notes) }
  return { image_size: pixelsOf(call.size, FAL) }
}

function inputImagesOf(call: ImageCall, { model }: Target, notes: Notes): Fields {
  const urls = imagesOf(call, FAL, MAX_IMAGES).map(dataUrlOf)
  if (call.mask) return { image_url: urls[0], mask_url: dataUrlOf(paintedMask(call.mask, FAL, notes)) }
  if (urls.length === 0) return {}
  return urls.length > 1 || LISTED.test(model) ? { image_urls: urls } : { image_url: urls[0] }
}

function decode(answer: ImageAnswer, _call: ImageCall, target: Target): ImageStep {
  const value = fieldsIn(answer)
  const isResult = Array.isArray(value.images) || isRecord(value.image)
  return isResult ? resultOf(value) : ticketOf(value, target)
}

function resultOf({ images, image, has_nsfw_concepts }: Fields): ImageStep {
  const outputImages = isRecord(image) ? [image] : recordsIn(images)
  const marks = listOf(has_nsfw_concepts)
  const shown = outputImages.filter((_, at) => marks[at] !== true)
  if (outputImages.length > 0 && shown.length === 0) throw moderated(undefined)
  const { content_type, width, height } = shown[0] ?? {}
  const more = { outputFormat: formatOf(content_type), size: sizeOf(width, height) }
  return finished(
    shown.map(({ url }) => urlItem(url)),
    more,
  )
}

function ticketOf(value: Fields, target: Target): ImageStep {
  const { status, error, request_id } = value
  if (error) throw refusal(value)
  const isOpen = status === 'IN_QUEUE' || status === 'IN_PROGRESS' || (status === undefined && request_id !== undefined)
  if (isOpen) return { done: false, poll: pollRequest(addressOf(value, 'status', target)), afterMs: POLL_MS }
  if (status === 'COMPLETED')
    return { done: false, poll: pollRequest(addressOf(value, 'response', target)), afterMs: READY_MS }
  throw nonsense('a ticket in an unknown state')
}

function refusal({ error, error_type }: Fields): UpstreamProblem {
  const reason = textOf(error)
  return isUnsafe(`${reason} ${textOf(error_type)}`) ? moderated(reason) : failed(reason)
}

/** Of the two URLs of a ticket, some answers contain only one, and some neither. */
function addressOf(value: Fields, what: 'status' | 'response', target: Target): string {
  const raw = value[`${what}_url`]
  if (raw !== undefined) return ownUrl(raw, target, FAMILY_DOMAIN)
  const result = value.response_url ? ownUrl(value.response_url, target, FAMILY_DOMAIN) : resultUrl(value, target)
  return what === 'status' ? `${result}/status` : result
}

/** URLs of tickets contain only the first two parts of a model's name. */
function resultUrl({ request_id }: Fields, { baseUrl, model }: Target): string {
  const app = model.split('/').slice(0, 2).join('/')
  return `${baseUrl}/${modelPath(app)}/requests/${ticketId(request_id)}`
}
