import type { WireRequest } from '../../wire/wire.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { pixelsOf, requestedRatio } from './requested-size.ts'
import { detailProblem } from './image-problems.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { fluxStep, waiting } from './flux-ticket.ts'
import { bytesItem, fieldsIn, finished, formatOf } from './image-answer.ts'
import { dataUrlOf, imageOf, noEdits, refuseMask } from './image-inputs.ts'
import { jsonRequest, modelPath } from './image-request.ts'
import { ticketId } from './own-url.ts'

// https://docs.fireworks.ai/api-reference: FLUX.1 and older models answer with the image itself, Kontext with a ticket.

const FIREWORKS = 'Fireworks AI'
const RATIOS = ['1:1', '21:9', '16:9', '4:3', '3:2', '5:4', '4:5', '2:3', '3:4', '9:16', '9:21']
const KONTEXT = /kontext/
const FLUX = /flux/
/** The only format that all of these models send. */
const IMAGE = { accept: 'image/jpeg' }

export const fireworks: ImageCodec = { inputs: 'urls', max: 1, encode, decode, problem: detailProblem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  refuseMask(call, FIREWORKS)
  dropQuality(call, notes)
  const wire = KONTEXT.test(target.model) ? ticketRequest(call, target, notes) : imageRequest(call, target, notes)
  return { wire, notes: notes.list }
}

function ticketRequest(call: ImageCall, target: Target, notes: Notes): WireRequest {
  const input_image = call.mode === 'edit' ? dataUrlOf(imageOf(call, FIREWORKS)) : undefined
  const shape = { aspect_ratio: requestedRatio(call, RATIOS, FIREWORKS, notes) }
  const fields = { prompt: call.prompt, ...shape, input_image }
  return jsonRequest(workflow(target), withExtra(extraFields(call, notes), fields))
}

function imageRequest(call: ImageCall, target: Target, notes: Notes): WireRequest {
  if (call.mode === 'edit') throw noEdits(FIREWORKS)
  const isFlux = FLUX.test(target.model)
  const { output_format, ...extra } = extraFields(call, notes)
  if (output_format && !/^jpe?g$/.test(textOf(output_format))) notes.dropped('output_format', 'this model sends JPEG')
  const size = isFlux
    ? { aspect_ratio: requestedRatio(call, RATIOS, FIREWORKS, notes) }
    : pixelsOf(call.size, FIREWORKS)
  const older = `${target.baseUrl}/image_generation/${modelPath(target.model)}`
  const url = isFlux ? `${workflow(target)}/text_to_image` : older
  return jsonRequest(url, withExtra(extra, { prompt: call.prompt, ...size }), IMAGE)
}

function workflow({ baseUrl, model }: Target): string {
  return `${baseUrl}/workflows/${modelPath(model)}`
}

function decode(answer: ImageAnswer, _call: ImageCall, target: Target): ImageStep {
  const image = bytesItem(answer)
  if (image) return finished([image], { outputFormat: formatOf(answer.mediaType) })
  const value = fieldsIn(answer)
  if (value.request_id !== undefined && value.status === undefined) return waiting(poll(value.request_id, target))
  return fluxStep(value, () => poll(value.id ?? value.request_id, target))
}

/** Polling is a POST with the id of the ticket in the body. */
function poll(id: unknown, target: Target): WireRequest {
  const body: Fields = { id: ticketId(id) }
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return { method: 'POST', url: `${workflow(target)}/get_result`, headers, body: JSON.stringify(body) }
}
