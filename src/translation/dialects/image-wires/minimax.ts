import { kindOfStatus, UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tryParse } from '../../json/try-parse.ts'
import { sentenceOf } from '../answer-problems.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { MINIMAX_KINDS } from '../minimax-kinds.ts'
import { Notes } from '../notes.ts'
import { countOf, type Fields, listOf, recordOf, textOf } from '../../../base/schema/record.ts'
import { pixelsOf, requestedRatio } from './requested-size.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { base64Item, fieldsIn, finished, moderated, urlItem } from './image-answer.ts'
import { dataUrlOf, imageOf, refuseMask } from './image-inputs.ts'
import { jsonRequest } from './image-request.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

// https://platform.minimax.io/docs/api-reference/image-generation-t2i. Errors come with status 200 and a number.

const MINIMAX = 'MiniMax'
const RATIOS = ['1:1', '16:9', '4:3', '3:2', '2:3', '3:4', '9:16', '21:9']
/** Sizes in pixels have to be within these limits. */
const SIDE = { least: 512, max: 2048, step: 8 }

export const minimax: ImageCodec = { inputs: 'urls', max: 9, encode, decode, problem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  refuseMask(call, MINIMAX)
  dropQuality(call, notes)
  const fields = {
    model: target.model,
    prompt: call.prompt,
    n: call.n,
    response_format: call.responseFormat === 'b64_json' ? 'base64' : call.responseFormat,
    ...sizeFields(call, notes),
    ...subjectOf(call, notes),
  }
  const body = withExtra(extraFields(call, notes, { knows: ['style'], refuses: ['output_format'] }), fields)
  return { wire: jsonRequest(`${target.baseUrl}/image_generation`, body), notes: notes.list }
}

function sizeFields(call: ImageCall, notes: Notes): Fields {
  const pixels = pixelsOf(call.size, MINIMAX)
  if (!pixels || call.extra.aspect_ratio != null) return {}
  const isExact = [pixels.width, pixels.height].every((side) => {
    return side >= SIDE.least && side <= SIDE.max && side % SIDE.step === 0
  })
  return isExact ? pixels : { aspect_ratio: requestedRatio(call, RATIOS, MINIMAX, notes) }
}

/** MiniMax does not edit an image: it draws the subject of the image again. */
function subjectOf(call: ImageCall, notes: Notes): Fields {
  if (call.mode === 'generate') return {}
  notes.translated('images', 'this provider draws the character of the image again')
  return { subject_reference: [{ type: 'character', image_file: dataUrlOf(imageOf(call, MINIMAX)) }] }
}

function decode(answer: ImageAnswer): ImageStep {
  const value = fieldsIn(answer)
  const failure = minimaxProblemIn(value)
  if (failure) throw failure
  const { image_urls, image_base64 } = recordOf(value.data)
  const items = [...listOf(image_urls).map(urlItem), ...listOf(image_base64).map(base64Item)]
  const heldBack = countOf(toNumber(recordOf(value.metadata).failed_count))
  if (items.length === 0 && heldBack > 0) throw moderated(undefined)
  return finished(items)
}

/** Reads an answer with status 200. */
export function minimaxProblemIn({ base_resp }: Fields): UpstreamProblem | undefined {
  const { status_code, status_msg } = recordOf(base_resp)
  return typeof status_code === 'number' && status_code !== 0 ? toProblem(status_code, status_msg, 200) : undefined
}

function problem(status: number, text: string): UpstreamProblem {
  const { base_resp, error, message } = recordOf(tryParse(text))
  const { status_code, status_msg } = recordOf(base_resp)
  if (typeof status_code === 'number' && status_code !== 0) return toProblem(status_code, status_msg, status)
  const sentence = textOf(recordOf(error).message) || textOf(error) || textOf(message)
  return new UpstreamProblem(kindOfStatus(status), sentenceOf(sentence, status), { status })
}

function toProblem(number: number, text: unknown, status: number): UpstreamProblem {
  const kind = MINIMAX_KINDS[number] ?? (status === 200 ? 'server_error' : kindOfStatus(status))
  return new UpstreamProblem(kind, sentenceOf(text, status), { status, code: String(number) })
}
