import { problemIn } from '../bedrock/problem.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { type Fields, listOf, textOf } from '../../../base/schema/record.ts'
import { requestedRatio } from './requested-size.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { base64Item, fieldsIn, finished, moderated } from './image-answer.ts'
import { base64Of, imageOf, noEdits, refuseMask } from './image-inputs.ts'
import { jsonRequest } from './image-request.ts'
import { invokeProblem, invokeUrl } from './nova-canvas.ts'
import { paintedMask } from './painted-mask.ts'
import { STABILITY_RATIOS } from './stability.ts'

// Stability's models on Amazon Bedrock: Stability's fields, as JSON.

const STABILITY = 'Stability AI'
const MASKED = /inpaint|erase/
/** These models generate from text, and from an image if `mode` says so. */
const DIFFUSION = /\bsd3/
const WORDS_ONLY = /stable-image-(core|ultra)/

export const bedrockStability: ImageCodec = {
  inputs: 'bytes',
  max: 1,
  paints: () => 'white',
  encode,
  decode,
  problem: invokeProblem,
}

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  dropQuality(call, notes)
  if (call.mode === 'edit' && WORDS_ONLY.test(target.model)) throw noEdits(STABILITY)
  if (!MASKED.test(target.model)) refuseMask(call, STABILITY)
  const drawn = call.mode === 'edit' ? changed(call, notes) : { aspect_ratio: ratio(call, notes) }
  const mode = call.mode === 'edit' ? 'image-to-image' : 'text-to-image'
  const body = { prompt: call.prompt, ...(DIFFUSION.test(target.model) && { mode }), ...drawn }
  const wire = jsonRequest(invokeUrl(target), withExtra(extraFields(call, notes), body))
  return { wire, notes: notes.list }
}

function ratio(call: ImageCall, notes: Notes): string | undefined {
  return requestedRatio(call, STABILITY_RATIOS, STABILITY, notes)
}

function changed(call: ImageCall, notes: Notes): Fields {
  if (call.size && call.size !== 'auto') notes.dropped('size', 'the image keeps its size')
  const mask = call.mask && base64Of(paintedMask(call.mask, STABILITY, notes), 'mask', STABILITY)
  return { image: base64Of(imageOf(call, STABILITY), 'images', STABILITY), mask }
}

/** A withheld image has a reason, but it may be present all the same, blurred. */
function decode(answer: ImageAnswer): ImageStep {
  const value = fieldsIn(answer)
  const exception = problemIn(value)
  if (exception) throw exception
  const reasons = listOf(value.finish_reasons).map(textOf)
  const shown = listOf(value.images).filter((_, at) => !reasons[at] || reasons[at] === 'SUCCESS')
  const reason = reasons.find((one) => one && one !== 'SUCCESS')
  if (shown.length === 0 && reason) throw moderated(reason)
  return finished(shown.map(base64Item))
}
