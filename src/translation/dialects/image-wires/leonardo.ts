import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { recordOf, recordsIn } from '../../../base/schema/record.ts'
import { requestedPixels } from './requested-size.ts'
import { detailProblem } from './image-problems.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { failed, fieldsIn, finished, nonsense, urlItem } from './image-answer.ts'
import { noEdits } from './image-inputs.ts'
import { jsonRequest, pollRequest } from './image-request.ts'
import { ticketId } from './own-url.ts'

// https://docs.leonardo.ai/reference/creategeneration. Initial images would have to be uploaded there first, in several
// steps.

const LEONARDO = 'Leonardo.Ai'
const SIDE_STEP_PIXELS = 8
const POLL_MS = 2_000

export const leonardo: ImageCodec = { inputs: 'bytes', max: 4, encode, decode, problem: detailProblem }

function encode(call: ImageCall, target: Target) {
  if (call.mode === 'edit') throw noEdits(LEONARDO)
  const notes = new Notes()
  dropQuality(call, notes)
  const fields = {
    prompt: call.prompt,
    modelId: target.model,
    num_images: call.n,
    ...requestedPixels(call, SIDE_STEP_PIXELS, LEONARDO, notes),
  }
  const body = withExtra(extraFields(call, notes, { refuses: ['output_format'] }), fields)
  return { wire: jsonRequest(`${target.baseUrl}/generations`, body), notes: notes.list }
}

function decode(answer: ImageAnswer, _call: ImageCall, target: Target): ImageStep {
  const { sdGenerationJob, generations_by_pk } = fieldsIn(answer)
  const { generationId } = recordOf(sdGenerationJob)
  if (generationId !== undefined) return waiting(generationId, target)
  const { status, id, generated_images } = recordOf(generations_by_pk)
  if (status === 'COMPLETE') return finished(recordsIn(generated_images).map(({ url }) => urlItem(url)))
  if (status === 'PENDING') return waiting(id, target)
  if (status === 'FAILED') throw failed(undefined)
  throw nonsense('a generation in an unknown state')
}

function waiting(id: unknown, { baseUrl }: Target): ImageStep {
  return { done: false, poll: pollRequest(`${baseUrl}/generations/${ticketId(id)}`), afterMs: POLL_MS }
}
