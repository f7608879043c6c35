import { kindOfStatus, UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tryParse } from '../../json/try-parse.ts'
import { sentenceOf } from '../answer-problems.ts'
import { cannotTake } from '../cannot-take.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { type Fields, listOf, recordOf, textOf } from '../../../base/schema/record.ts'
import { requestedRatio } from './requested-size.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { type FormPart, partsOf } from '../form-body.ts'
import { base64Item, bytesItem, fieldsIn, finished, formatOf, moderated } from './image-answer.ts'
import { bytesOf, imagesOf, noEdits, noGenerations, refuseMask } from './image-inputs.ts'
import { formRequest, pollRequest } from './image-request.ts'
import { ticketId } from './own-url.ts'
import { paintedMask } from './painted-mask.ts'
import { isDiffusion, type Operation, operationOf } from './stability-operations.ts'

const STABILITY = 'Stability AI'
export const STABILITY_RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '21:9', '9:21', '3:2', '2:3', '5:4', '4:5']
/** The slow operations take a minute. */
const POLL_MS = 2_000
/** How much the image may change, if the caller does not say: the field is required. */
const STRENGTH = 0.7

export const stability: ImageCodec = { inputs: 'bytes', max: 1, paints: () => 'white', encode, decode, problem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  const operation = operationOf(target.model)
  refuseWrongMode(call, operation)
  dropQuality(call, notes)
  const extra = extraFields(call, notes)
  const fields = { ...promptOf(call, operation, notes), ...shapeOf(call, target, operation, notes) }
  const parts = [...partsOf(withExtra(extra, fields)), ...filesOf(call, operation, notes)]
  const url = `${target.baseUrl}/v2beta/stable-image/${operation.path}`
  return { wire: formRequest(url, parts), notes: notes.list }
}

function refuseWrongMode(call: ImageCall, { image, generates, mask }: Operation): void {
  if (call.mode === 'edit' && !image) throw noEdits(STABILITY)
  if (call.mode === 'generate' && !generates) throw noGenerations(STABILITY)
  if (!mask) refuseMask(call, STABILITY)
}

function promptOf({ prompt }: ImageCall, operation: Operation, notes: Notes): Fields {
  if (operation.prompt !== null) return { [operation.prompt ?? 'prompt']: prompt }
  notes.dropped('prompt', 'this operation needs no prompt')
  return {}
}

/** Only generation from text has a choice of shape; an edited image keeps its own. */
function shapeOf(call: ImageCall, { model }: Target, { generates, mode }: Operation, notes: Notes): Fields {
  const isDrawn = call.mode === 'generate'
  const named = isDiffusion(model) ? { model } : {}
  if (isDrawn) return { ...named, aspect_ratio: requestedRatio(call, STABILITY_RATIOS, STABILITY, notes) }
  if (call.size && call.size !== 'auto') notes.dropped('size', 'the image keeps its size')
  if (!generates) return named
  const strength = call.extra.strength ?? STRENGTH
  if (strength !== call.extra.strength) notes.translated('images', `no strength was named: ${STRENGTH} is used`)
  return { ...named, ...(mode && { mode: 'image-to-image' }), strength }
}

function filesOf(call: ImageCall, { image = 'image', second }: Operation, notes: Notes): FormPart[] {
  const names = second ? [image, second] : [image]
  const images = imagesOf(call, STABILITY, names.length)
  if (second && images.length < 2) throw cannotTake(['images'], `${STABILITY} needs an image and a style image here`)
  const files = images.map((one, at): FormPart => [names[at]!, bytesOf(one, 'images', STABILITY)])
  if (!call.mask) return files
  return [...files, ['mask', paintedMask(call.mask, STABILITY, notes)]]
}

function decode(answer: ImageAnswer, _call: ImageCall, target: Target): ImageStep {
  const image = bytesItem(answer)
  if (answer.headers['finish-reason'] === 'CONTENT_FILTERED') throw moderated(undefined)
  if (image) return finished([image], { outputFormat: formatOf(answer.mediaType) })
  const value = fieldsIn(answer)
  if (value.finish_reason === 'CONTENT_FILTERED') throw moderated(undefined)
  if (listOf(value.errors).length > 0) throw toProblem(value, 500)
  const item = base64Item(value.image) ?? base64Item(value.result)
  if (item || value.id === undefined) return finished([item])
  const poll = pollRequest(`${target.baseUrl}/v2beta/results/${ticketId(value.id)}`)
  return { done: false, poll, afterMs: POLL_MS }
}

function problem(status: number, text: string): UpstreamProblem {
  return toProblem(recordOf(tryParse(text)), status)
}

/** `{id, name, errors[]}`: a refusal because of the content has the same status as a refused key. */
function toProblem({ name, errors }: Fields, status: number): UpstreamProblem {
  const code = textOf(name)
  const message = sentenceOf(listOf(errors).map(textOf).filter(Boolean).join(' '), status)
  const kind = /content_moderation|content_filter/.test(code) ? 'content_policy' : kindOfStatus(status)
  return new UpstreamProblem(kind, message, { status, ...(code && { code }) })
}
