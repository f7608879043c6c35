import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { listOf, recordOf, recordsIn } from '../../../base/schema/record.ts'
import { pixelsOf } from './requested-size.ts'
import { detailProblem } from './image-problems.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { type FormPart, partsOf } from '../form-body.ts'
import { fieldsIn, finished, listedItem, secondsOf, urlItem } from './image-answer.ts'
import { bytesOf } from './image-inputs.ts'
import { formRequest, jsonRequest, modelPath } from './image-request.ts'

// https://deepinfra.com/docs: generations use its own format, which reports the cost; edits use OpenAI's forms.

const DEEPINFRA = 'DeepInfra'

export const deepinfra: ImageCodec = { inputs: 'bytes', max: 4, encode, decode, problem: detailProblem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  dropQuality(call, notes)
  const extra = extraFields(call, notes)
  if (call.mode === 'edit') return { wire: editRequest(call, target, extra), notes: notes.list }
  const size = call.extra.aspect_ratio == null ? pixelsOf(call.size, DEEPINFRA) : {}
  const body = withExtra(extra, { prompt: call.prompt, num_images: call.n, ...size })
  const root = target.baseUrl.replace(/\/openai$/, '')
  return { wire: jsonRequest(`${root}/inference/${modelPath(target.model)}`, body), notes: notes.list }
}

/** The same as OpenAI, including the mask. */
function editRequest(call: ImageCall, { baseUrl, model }: Target, extra: Record<string, unknown>) {
  const { prompt, n, size } = call
  const fields = withExtra(extra, { model, prompt, n, size: size === 'auto' ? undefined : size })
  const images = call.images.map((image): FormPart => ['image', bytesOf(image, 'images', DEEPINFRA)])
  const mask: FormPart[] = call.mask ? [['mask', bytesOf(call.mask, 'mask', DEEPINFRA)]] : []
  return formRequest(`${baseUrl}/images/edits`, [...partsOf(fields), ...images, ...mask])
}

function decode(answer: ImageAnswer): ImageStep {
  const { images, data, inference_status, created } = fieldsIn(answer)
  const { cost } = recordOf(inference_status)
  const items = [...listOf(images).map(urlItem), ...recordsIn(data).map(listedItem)]
  return finished(items, { created: secondsOf(created), cost: typeof cost === 'number' ? cost : undefined })
}
