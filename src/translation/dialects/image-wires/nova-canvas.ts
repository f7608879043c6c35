import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { problem as bedrockProblem, problemIn } from '../bedrock/problem.ts'
import type { Target } from '../chat-codec.ts'
import type { ImageAnswer, ImageCall, ImageCodec, ImageStep } from '../image-codec.ts'
import { Notes } from '../notes.ts'
import { type Fields, listOf, recordOf, textOf } from '../../../base/schema/record.ts'
import { requestedPixels } from './requested-size.ts'
import { extraFields, withExtra } from './extra-fields.ts'
import { base64Item, failed, fieldsIn, finished, moderated } from './image-answer.ts'
import { base64Of, imageOf, imagesOf } from './image-inputs.ts'
import { jsonRequest } from './image-request.ts'
import { pathSegment } from '../../wire/path-segment.ts'
import { paintedMask } from './painted-mask.ts'
import { isFine } from './quality-word.ts'
import { keepWritten } from '../../json/written-numbers.ts'

// https://docs.aws.amazon.com/nova/latest/userguide/image-gen-req-resp-structure.html; Titan has the same format.

const AMAZON = 'Amazon'
const SIDE_STEP_PIXELS = 16
const MAX_IMAGES = 5
const BLOCKED = /content (filter|policy|moderation)|blocked|moderated|responsible ai|AUP/i
/** The member that holds the parameters of a task. */
const PARAMS: Readonly<Record<string, string>> = {
  TEXT_IMAGE: 'textToImageParams',
  INPAINTING: 'inPaintingParams',
  OUTPAINTING: 'outPaintingParams',
  IMAGE_VARIATION: 'imageVariationParams',
  BACKGROUND_REMOVAL: 'backgroundRemovalParams',
  COLOR_GUIDED_GENERATION: 'colorGuidedGenerationParams',
  VIRTUAL_TRY_ON: 'virtualTryOnParams',
}
/** Where our fields belong in this wire format, which refuses unknown fields. */
const OF_PARAMS: Readonly<Record<string, string>> = {
  negative_prompt: 'negativeText',
  style: 'style',
  mask_prompt: 'maskPrompt',
  outpainting_mode: 'outPaintingMode',
  similarity_strength: 'similarityStrength',
  colors: 'colors',
}
const OF_CONFIG: Readonly<Record<string, string>> = { seed: 'seed', cfg_scale: 'cfgScale' }

export const novaCanvas: ImageCodec = {
  inputs: 'bytes',
  max: MAX_IMAGES,
  paints: () => 'black',
  encode,
  decode,
  problem: invokeProblem,
}

function encode(call: ImageCall, target: Target) {
  const notes = new Notes()
  const extra = extraFields(call, notes, { knows: ['style'] })
  const taskType = taskOf(call, extra)
  const paramsName = Object.hasOwn(PARAMS, taskType) ? PARAMS[taskType]! : 'textToImageParams'
  const own = { ...recordOf(extra[paramsName]), ...renamed(extra, OF_PARAMS) }
  const params = withExtra(own, paramsOf(taskType, call, notes))
  const isDrawn = taskType !== 'BACKGROUND_REMOVAL'
  const imageGenerationConfig = isDrawn ? configOf(call, extra, notes) : undefined
  noteStrangers(extra, paramsName, notes)
  const body = { taskType, [paramsName]: params, imageGenerationConfig }
  return { wire: jsonRequest(invokeUrl(target), body), notes: notes.list }
}

export function invokeUrl({ baseUrl, model }: Target): string {
  return `${baseUrl}/model/${pathSegment(model)}/invoke`
}

/** The caller may name the task; otherwise the inputs determine it. */
function taskOf({ mode, mask }: ImageCall, { taskType, task_type = taskType, mask_prompt }: Fields): string {
  if (typeof task_type === 'string') return task_type
  if (mode === 'generate') return 'TEXT_IMAGE'
  return mask || mask_prompt ? 'INPAINTING' : 'IMAGE_VARIATION'
}

function paramsOf(task: string, call: ImageCall, notes: Notes): Fields {
  const text = task === 'BACKGROUND_REMOVAL' ? undefined : call.prompt
  if (call.mode === 'generate') return { text }
  if (task === 'IMAGE_VARIATION') return { images: imagesOf(call, AMAZON, MAX_IMAGES).map(base64), text }
  const maskImage = call.mask && base64(paintedMask(call.mask, AMAZON, notes))
  return { image: base64(imageOf(call, AMAZON)), maskImage, text }
}

function base64(image: ImageCall['images'][number]): string {
  return base64Of(image, 'images', AMAZON)
}

function configOf(call: ImageCall, extra: Fields, notes: Notes): Fields {
  const quality =
    call.quality === undefined || call.quality === 'auto' ? undefined : isFine(call) ? 'premium' : 'standard'
  if (quality !== undefined && quality !== call.quality)
    notes.translated('quality', `"${quality}" is this provider's value for "${call.quality}"`)
  const size = requestedPixels(call, SIDE_STEP_PIXELS, AMAZON, notes)
  const own = { ...recordOf(extra.imageGenerationConfig), ...renamed(extra, OF_CONFIG) }
  return withExtra(own, { numberOfImages: call.n, quality, ...size })
}

function renamed(extra: Fields, names: Readonly<Record<string, string>>): Fields {
  const present = Object.keys(names).filter((name) => extra[name] !== undefined)
  return keepWritten(Object.fromEntries(present.map((name) => [names[name]!, extra[name]])), extra)
}

function noteStrangers(extra: Fields, paramsName: string, notes: Notes): void {
  const names = [...Object.keys(OF_PARAMS), ...Object.keys(OF_CONFIG), paramsName, 'imageGenerationConfig']
  for (const field of Object.keys(extra))
    if (!names.includes(field) && field !== 'taskType' && field !== 'task_type')
      notes.dropped(field, 'this provider has no such field')
}

function decode(answer: ImageAnswer): ImageStep {
  const value = fieldsIn(answer)
  const exception = problemIn(value)
  if (exception) throw exception
  const items = listOf(value.images).map(base64Item)
  const message = textOf(value.error) || textOf(value.status)
  if (message && items.length === 0) throw BLOCKED.test(message) ? moderated(message) : failed(message)
  return finished(items)
}

/** A refusal because of the content is a plain 400 that only its message identifies. */
export function invokeProblem(status: number, text: string): UpstreamProblem {
  const found = bedrockProblem(status, text)
  const { kind, message, code } = found
  if (kind !== 'bad_request' || !BLOCKED.test(message)) return found
  return new UpstreamProblem('content_policy', message, { status, ...(code && { code }) })
}
