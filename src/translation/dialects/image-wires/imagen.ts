import type { Target } from '../chat-codec.ts'
import { problem, problemIn } from '../gemini/problem.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { pathSegment } from '../../wire/path-segment.ts'
import { Notes } from '../notes.ts'
import { type Fields, recordsIn, textOf } from '../../../base/schema/record.ts'
import { requestedRatio } from './requested-size.ts'
import { dropQuality, extraFields, withExtra, withImageConfig } from './extra-fields.ts'
import { base64Item, fieldsIn, finished, formatOf, moderated } from './image-answer.ts'
import { base64Of, imageOf, noEdits } from './image-inputs.ts'
import { jsonRequest } from './image-request.ts'
import { paintedMask } from './painted-mask.ts'

// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api, as far as it is still served.

const GOOGLE = 'Google'
const RATIOS = ['1:1', '3:4', '4:3', '9:16', '16:9']
/** The only model that accepts images. */
const CAPABLE = /capability/

export const imagen: ImageCodec = { inputs: 'bytes', max: 4, paints: () => 'white', encode, decode, problem }

function encode(original: ImageCall, target: Target) {
  const notes = new Notes()
  const call = withImageConfig(original)
  dropQuality(call, notes)
  const isEdit = call.mode === 'edit'
  if (isEdit && !CAPABLE.test(target.model)) throw noEdits(GOOGLE)
  const referenceImages = isEdit ? references(call, notes) : undefined
  const editMode = call.mask && INSERTION
  const parameters = { editMode, ...parametersOf(call, notes), sampleCount: call.n }
  const body = { instances: [{ prompt: call.prompt, referenceImages }], parameters }
  const url = `${target.baseUrl}/models/${pathSegment(target.model)}:predict`
  return { wire: jsonRequest(url, body), notes: notes.list }
}

const INSERTION = 'EDIT_MODE_INPAINT_INSERTION'

function references(call: ImageCall, notes: Notes): Fields[] {
  const image = base64Of(imageOf(call, GOOGLE), 'images', GOOGLE)
  const raw = reference('REFERENCE_TYPE_RAW', 1, image)
  if (!call.mask) return [raw]
  const mask = base64Of(paintedMask(call.mask, GOOGLE, notes), 'mask', GOOGLE)
  const maskImageConfig = { maskMode: 'MASK_MODE_USER_PROVIDED' }
  return [raw, { ...reference('REFERENCE_TYPE_MASK', 2, mask), maskImageConfig }]
}

function reference(referenceType: string, referenceId: number, bytesBase64Encoded: string): Fields {
  return { referenceType, referenceId, referenceImage: { bytesBase64Encoded } }
}

/** Parameters that are not known here are passed on, because Google may know them. */
function parametersOf(call: ImageCall, notes: Notes): Fields {
  const { aspect_ratio, image_size, negative_prompt, output_format, output_compression, ...others } = extraFields(
    call,
    notes,
    {
      knows: ['output_compression'],
    },
  )
  const mimeType = textOf(output_format) && `image/${textOf(output_format)}`
  const outputOptions = mimeType ? { mimeType, compressionQuality: output_compression } : undefined
  const aspectRatio = requestedRatio(call, RATIOS, GOOGLE, notes)
  return withExtra(others, { aspectRatio, sampleImageSize: image_size, negativePrompt: negative_prompt, outputOptions })
}

function decode(answer: ImageAnswer): ImageStep {
  const value = fieldsIn(answer)
  const error = problemIn(value)
  if (error) throw error
  const predictions = recordsIn(value.predictions)
  const made = predictions.filter(({ bytesBase64Encoded }) => textOf(bytesBase64Encoded))
  const reason = predictions.map(({ raiFilteredReason }) => textOf(raiFilteredReason)).find(Boolean)
  if (made.length === 0 && reason) throw moderated(reason)
  const items = made.map(({ bytesBase64Encoded }) => base64Item(bytesBase64Encoded))
  return finished(items, { outputFormat: formatOf(made[0]?.mimeType) })
}
