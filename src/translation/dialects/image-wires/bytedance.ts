import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { regionalModel } from '../bytedance-regions.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageReply, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { problem as openaiProblem, problemIn } from '../openai/problem.ts'
import { countOf, readCount, type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { dropQuality, extraFields, withExtra } from './extra-fields.ts'
import { failed, fieldsIn, finished, listedItem, moderated, secondsOf } from './image-answer.ts'
import { dataUrlOf, refuseMask } from './image-inputs.ts'
import { jsonRequest } from './image-request.ts'

// https://docs.byteplus.com/en/docs/ModelArk/1541523: OpenAI's format, with one endpoint for generations and edits.

const BYTEDANCE = 'ByteDance'
const UNSAFE = /Sensitive|RiskDetection|PolicyViolation/

/** A call makes one image, or a series of related images, which is not the same as n images. */
export const bytedance: ImageCodec = { inputs: 'urls', max: 1, encode, decode, problem }

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  refuseMask(call, BYTEDANCE)
  dropQuality(call, notes)
  const images = call.images.map(dataUrlOf)
  const fields = {
    model: regionalModel(target.model, target.baseUrl),
    prompt: call.prompt,
    size: call.size === 'auto' ? undefined : call.size,
    response_format: call.responseFormat,
    image: images.length > 1 ? images : images[0],
  }
  const body = withExtra(extraFields(call, notes), fields)
  return { wire: jsonRequest(`${target.baseUrl}/images/generations`, body), notes: notes.list }
}

/** A failed image is replaced by an error. */
function decode(answer: ImageAnswer): ImageStep {
  const value = fieldsIn(answer)
  const error = problemIn(value)
  if (error) throw refined(error)
  const images = recordsIn(value.data)
  const items = images.map(listedItem)
  const broken = images.find((image) => image.error)
  if (broken && items.every((item) => item === undefined)) throw brokenProblem(recordOf(broken.error))
  const size = textOf(images[0]?.size) || undefined
  return finished(items, { created: secondsOf(value.created), size, usage: usageOf(recordOf(value.usage)) })
}

function brokenProblem({ code, message }: Fields): UpstreamProblem {
  return UNSAFE.test(textOf(code)) ? moderated(message) : failed(message)
}

/** The prompt is not counted. */
function usageOf({ output_tokens, total_tokens }: Fields): ImageReply['usage'] {
  const tokens = readCount(output_tokens)
  if (!tokens) return undefined
  return { input_tokens: 0, output_tokens: tokens, total_tokens: countOf(total_tokens) || tokens }
}

function problem(status: number, text: string): UpstreamProblem {
  return refined(openaiProblem(status, text))
}

function refined(found: UpstreamProblem): UpstreamProblem {
  const { code = '', message, status = 500, param } = found
  if (!UNSAFE.test(code)) return found
  return new UpstreamProblem('content_policy', message, { status, code, ...(param && { param }) })
}
