import { kindOfStatus, UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tryParse } from '../../json/try-parse.ts'
import { sentenceOf } from '../answer-problems.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { type Fields, listOf, recordOf, textOf } from '../../../base/schema/record.ts'
import { requestedRatio } from './requested-size.ts'
import { extraFields, withExtra } from './extra-fields.ts'
import { failed, fieldsIn, finished, moderated, nonsense, urlItem } from './image-answer.ts'
import { dataUrlOf, imagesOf } from './image-inputs.ts'
import { jsonRequest, modelPath, pollRequest } from './image-request.ts'
import { ownUrl } from './own-url.ts'
import { paintedMask } from './painted-mask.ts'
import { isUnsafe } from './image-problems.ts'

// https://replicate.com/docs/reference/http: the inputs depend on the model.

const REPLICATE = 'Replicate'
const FAMILY_DOMAIN = 'replicate.com'
const RATIOS = ['1:1', '16:9', '9:16', '21:9', '9:21', '3:2', '2:3', '4:3', '3:4', '5:4', '4:5']
/** Most images are finished within this time, which saves polling. */
const WAIT_SECONDS = 30
const POLL_MS = 1_000
const MAX_IMAGES = 8

/** How a model reads its images: under numbered names, or as a list. */
const NUMBERED = /kontext|flux-2/
const LISTED = /nano-banana|seedream|gemini|gpt-image/

/** The field for the number of images differs between models, if there is one: each image is a call of its own. */
export const replicate: ImageCodec = { inputs: 'urls', max: 1, paints: () => 'white', encode, decode, problem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  const quality = call.quality === 'auto' ? undefined : call.quality
  const fields = {
    prompt: call.prompt,
    ...(!isShaped(call.extra) && { aspect_ratio: requestedRatio(call, RATIOS, REPLICATE, notes) }),
    quality,
    ...inputImagesOf(call, target, notes),
  }
  const input = withExtra(extraFields(call, notes, { knows: ['style', 'background', 'moderation'] }), fields)
  const { path, version } = addressOf(target.model)
  const body = { ...(version && { version }), input }
  const wire = jsonRequest(`${target.baseUrl}${path}`, body, { prefer: `wait=${WAIT_SECONDS}` })
  return { wire, notes: notes.list }
}

/** The caller already uses the model's own field for the shape. */
function isShaped(extra: ImageCall['extra']): boolean {
  return ['width', 'height', 'size', 'resolution'].some((field) => extra[field] != null)
}

/** `owner/name`, `owner/name:version`, or a version alone. */
function addressOf(model: string): { path: string; version?: string } {
  const [, version] = /^(?:[^:]*:)?([0-9a-f]{64})$/.exec(model) ?? []
  return version ? { path: '/predictions', version } : { path: `/models/${modelPath(model)}/predictions` }
}

function inputImagesOf(call: ImageCall, { model }: Target, notes: Notes): Fields {
  const isMany = NUMBERED.test(model) || LISTED.test(model)
  const urls = imagesOf(call, REPLICATE, isMany ? MAX_IMAGES : 1).map(dataUrlOf)
  const mask = call.mask && dataUrlOf(paintedMask(call.mask, REPLICATE, notes))
  if (urls.length === 0) return {}
  if (LISTED.test(model)) return { image_input: urls, mask }
  if (!NUMBERED.test(model)) return { image: urls[0], mask }
  return Object.fromEntries(urls.map((url, at) => [at === 0 ? 'input_image' : `input_image_${at + 1}`, url]))
}

function decode(answer: ImageAnswer, _call: ImageCall, target: Target): ImageStep {
  const { status, output, error, urls } = fieldsIn(answer)
  if (status === 'succeeded') return finished((Array.isArray(output) ? output : [output]).map(urlItem))
  if (status === 'starting' || status === 'processing') {
    const poll = pollRequest(ownUrl(recordOf(urls).get, target, FAMILY_DOMAIN))
    return { done: false, poll, afterMs: POLL_MS }
  }
  const reason = textOf(error) || listOf(error).map(textOf).join(' ')
  if (status === 'failed') throw isUnsafe(reason) ? moderated(reason) : failed(reason)
  if (status === 'canceled' || status === 'aborted') throw failed(reason || `the provider says: ${status}`)
  throw nonsense('a prediction in an unknown state')
}

/** `{title, detail, status}`. */
function problem(status: number, text: string): UpstreamProblem {
  const { title, detail } = recordOf(tryParse(text))
  const message = sentenceOf(textOf(detail) || title, status)
  const kind = kindOfStatus(status)
  return new UpstreamProblem(kind === 'bad_request' && isUnsafe(message) ? 'content_policy' : kind, message, { status })
}
