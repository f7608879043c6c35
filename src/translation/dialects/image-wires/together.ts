import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { problemIn } from '../openai/problem.ts'
import { type Fields, recordsIn } from '../../../base/schema/record.ts'
import { pixelsOf } from './requested-size.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { fieldsIn, finished, listedItem, secondsOf } from './image-answer.ts'
import { dataUrlOf, refuseMask } from './image-inputs.ts'
import { jsonRequest } from './image-request.ts'
import { reportedProblem } from './image-problems.ts'

// https://docs.together.ai/reference/post-images-generations: OpenAI's answer, width and height instead of a size.

const TOGETHER = 'Together AI'
/** Models of other vendors, without settings for steps and guidance. */
const UNTUNED = /gemini|imagen|gpt-image|nano-banana/i
const TUNING = ['steps', 'seed', 'guidance', 'guidance_scale']
/** These accept one image under this name, the others a list. */
const KONTEXT = /kontext/i

export const together: ImageCodec = { inputs: 'urls', max: 4, encode, decode, problem: reportedProblem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  refuseMask(call, TOGETHER)
  dropQuality(call, notes)
  const fields = {
    model: target.model,
    prompt: call.prompt,
    n: call.n,
    response_format: call.responseFormat === 'b64_json' ? 'base64' : call.responseFormat,
    ...pixelsOf(call.size, TOGETHER),
    ...imagesOf(call, target),
  }
  const refuses = UNTUNED.test(target.model) ? TUNING : []
  const body = withExtra(extraFields(call, notes, { refuses }), fields)
  return { wire: jsonRequest(`${target.baseUrl}/images/generations`, body), notes: notes.list }
}

function imagesOf({ images }: ImageCall, { model }: Target): Fields {
  const urls = images.map(dataUrlOf)
  if (urls.length === 0) return {}
  return urls.length === 1 && KONTEXT.test(model) ? { image_url: urls[0] } : { reference_images: urls }
}

function decode(answer: ImageAnswer): ImageStep {
  const value = fieldsIn(answer)
  const error = problemIn(value)
  if (error) throw error
  return finished(recordsIn(value.data).map(listedItem), { created: secondsOf(value.created) })
}
