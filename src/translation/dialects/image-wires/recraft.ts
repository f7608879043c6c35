import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { problemIn } from '../openai/problem.ts'
import { isRecord, recordsIn } from '../../../base/schema/record.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { type FormPart, partsOf } from '../form-body.ts'
import { fieldsIn, finished, listedItem, secondsOf } from './image-answer.ts'
import { bytesOf, imageOf, noGenerations, refuseMask } from './image-inputs.ts'
import { formRequest, jsonRequest } from './image-request.ts'
import { paintedMask } from './painted-mask.ts'
import { reportedProblem } from './image-problems.ts'

// https://www.recraft.ai/docs/api-reference: OpenAI's format for generations, forms for edits.

const RECRAFT = 'Recraft'
/** Tools that appear as models here: they need an image and no prompt. */
const TOOLS: ReadonlySet<string> = new Set(['vectorize', 'removeBackground', 'crispUpscale', 'creativeUpscale'])
/** How much the image may change, if the caller does not say: the field is required. */
const STRENGTH = 0.5

export const recraft: ImageCodec = {
  inputs: 'bytes',
  max: 6,
  paints: () => 'white',
  encode,
  decode,
  problem: reportedProblem,
}

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  dropQuality(call, notes)
  const path = `${target.baseUrl}/images`
  if (TOOLS.has(target.model)) return { wire: toolRequest(`${path}/${target.model}`, call, notes), notes: notes.list }
  const { prompt, n, size, responseFormat: response_format } = call
  const extra = extraFields(call, notes, { knows: ['style'] })
  const fields = withExtra(extra, { model: target.model, prompt, n, response_format })
  if (call.mode === 'edit') return { wire: editRequest(path, fields, call, notes), notes: notes.list }
  const sized = { ...fields, size: size === 'auto' ? undefined : size }
  return { wire: jsonRequest(`${path}/generations`, sized), notes: notes.list }
}

function editRequest(path: string, fields: Record<string, unknown>, call: ImageCall, notes: Notes) {
  if (call.size && call.size !== 'auto') notes.dropped('size', 'the image keeps its size')
  const image: FormPart = ['image', bytesOf(imageOf(call, RECRAFT), 'images', RECRAFT)]
  if (call.mask) {
    const mask: FormPart = ['mask', paintedMask(call.mask, RECRAFT, notes)]
    return formRequest(`${path}/inpaint`, [...partsOf(fields), image, mask])
  }
  if (fields.strength === undefined) notes.translated('images', `no strength was named: ${STRENGTH} is used`)
  return formRequest(`${path}/imageToImage`, [...partsOf({ strength: STRENGTH, ...fields }), image])
}

function toolRequest(url: string, call: ImageCall, notes: Notes) {
  if (call.mode === 'generate') throw noGenerations(RECRAFT)
  refuseMask(call, RECRAFT)
  notes.dropped('prompt', 'this operation needs no prompt')
  const fields = withExtra(extraFields(call, notes), { response_format: call.responseFormat })
  const file: FormPart = ['file', bytesOf(imageOf(call, RECRAFT), 'images', RECRAFT)]
  return formRequest(url, [...partsOf(fields), file])
}

/** Tools answer with one `image`, the rest with a list. */
function decode(answer: ImageAnswer): ImageStep {
  const value = fieldsIn(answer)
  const error = problemIn(value)
  if (error) throw error
  const images = isRecord(value.image) ? [value.image] : recordsIn(value.data)
  return finished(images.map(listedItem), { created: secondsOf(value.created) })
}
