import { chatFaults } from '../contract/chat-rules.ts'
import { ImageGenerationRequest } from '../contract/images.ts'
import { problem } from '../contract/problems.ts'
import { validator } from '../contract/validator.ts'
import type { Accepted } from '../features/calls/accept-file.ts'
import type { Feature, Result, Task, TaskFile } from '../features/feature.ts'
import { TaskFailure } from '../features/calls/task-failure.ts'
import imageGeneration from '../features/image/generation/feature.ts'
import type { Chance } from './attempt.ts'
import { type Call, limitCall } from './call.ts'
import type { Caller } from './caller.ts'
import type { OpenFile } from './file-references.ts'
import { keepResult } from './files.ts'
import { GOVERNED_NAMES } from './governed-names.ts'
import { settleImages, usageOf } from './image-account.ts'
import { deliver } from './image-delivery.ts'
import type { GivenImage, UploadedImage } from './image-inputs.ts'
import { fill } from './image-order.ts'
import { bytesOf, measure, type Picture } from './image-pictures.ts'
import { canDraw, imagePlace, type ImageTarget, withFace } from './image-target.ts'
import { type AskedImages, madeOf, prepareImages } from './images.ts'
import { ImageShelf } from './image-shelf.ts'
import type { Outside } from './outside.ts'
import { heldBytes, loaded } from './shelf-sink.ts'
import { linkTo } from './result-links.ts'
import type { ChatTarget } from './route.ts'
import { providerNamed } from './routing/provider-named.ts'
import { refused } from './task-schemas.ts'

// The task that makes pictures, done by any model that the image endpoints can ask: one way to each of their wires.

/** Who draws without being told with what. */
const USUAL_MODELS: Readonly<Record<string, string>> = {
  amazon: 'amazon.nova-canvas-v1:0',
  bfl: 'flux-2-pro',
  bytedance: 'seedream-4-5-251128',
  fal: 'fal-ai/flux/dev',
  google: 'gemini-2.5-flash-image',
  ideogram: 'ideogram-v3',
  minimax: 'image-01',
  recraft: 'recraftv3',
  replicate: 'black-forest-labs/flux-schnell',
  stability: 'sd3.5-large',
  vertex: 'imagen-4.0-generate-001',
  xai: 'grok-imagine-image',
}

/** Those that need no model to be named, each with the one that it draws with then; for lists. */
export function usualDrawers(feature: Feature): ReadonlyMap<string, string> {
  return new Map(feature === imageGeneration ? Object.entries(USUAL_MODELS) : [])
}

/** Which files they take: what it is and how many pixels it has is seen when it is opened. */
export const DRAWN_FROM: Accepted = { types: ['image/*'] }

/** Whether the task is making pictures, and the provider one of those who do. */
export function isDrawnBy(feature: Feature, name: string, { config }: Outside): boolean {
  if (feature !== imageGeneration || name === 'sandbox') return false
  const named = providerNamed(name, config.providers)
  const provider = named?.chatOf ? config.providers[named.chatOf] : named
  return provider !== undefined && canDraw(provider)
}

export function drawingTarget(name: string, model: string | null, caller: Caller, outside: Outside): ChatTarget {
  const usual = USUAL_MODELS[providerNamed(name, outside.config.providers)?.id ?? '']
  const chosen = model ?? usual
  if (chosen) return imagePlace(`${name}/${chosen}`, 'generate', caller, outside)
  const message = `Name a model as well: image/generation/${name}/<model>. GET /v3/images/models lists them.`
  throw problem('model_not_found', { message, param: 'model' })
}

/** What was made is paid for, also where the rest failed. */
export async function drawForTask(
  task: Task<unknown>,
  drawer: ChatTarget,
  chance: Chance,
  call: Call,
  outside: Outside,
): Promise<Result<unknown>> {
  const target = await withFace(drawer)
  limitCall(call, target.limits.totalMs)
  const shelf = new ImageShelf(outside.config.dataDir, call.caller.owner)
  try {
    return await draw(await askedOf(task, target, shelf), target, chance, call, outside)
  } finally {
    await shelf.close()
  }
}

async function draw(given: AskedImages, target: ImageTarget, chance: Chance, call: Call, outside: Outside) {
  const { asked, orders } = await prepareImages(given, target, call, outside)
  const ordered = { asked, target, shelf: given.shelf }
  try {
    const ends = await Promise.allSettled(orders.map((one) => fill(one, ordered, chance, call, outside)))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  } finally {
    settleImages(call, madeOf(orders), asked, target.entry)
  }
  const made = madeOf(orders)
  const drawn = made.flatMap((one) => one.pictures)
  const pictures = await deliver(drawn, asked, given.shelf, call, outside)
  const items = await Promise.all(pictures.map((picture, index) => kept(picture, index, call, outside)))
  const original = { model: target.id, images: items.length, usage: usageOf(made) }
  return { output: { items }, original, units: items.length }
}

type Input = {
  text: string
  resolution?: string | null
  num_images?: number | null
  reference_images?: readonly unknown[] | null
}

async function askedOf(task: Task<unknown>, target: ImageTarget, shelf: ImageShelf): Promise<AskedImages> {
  const { input, params, files } = task
  const { text, resolution, num_images, reference_images } = input as Input
  checkSettings(params)
  const images: GivenImage[] = []
  for (const index of reference_images?.keys() ?? []) {
    const file = files[`reference_images.${index}`]
    if (!file) throw new TaskFailure('bad_request', 'reference_images should be files')
    images.push({ image: await opened(file), loc: ['body', 'input', 'reference_images', index] })
  }
  const mask = files.mask && { image: await opened(files.mask), loc: ['body', 'input', 'mask'] }
  const wishes = { size: resolution, n: num_images ?? 1, ...params }
  const request = { ...wishes, model: target.id, prompt: text, response_format: 'b64_json' as const }
  return { mode: images.length > 0 ? 'edit' : 'generate', request, images, mask, shelf }
}

/** They stand beside the input and take the place of it: what the image endpoints refuse is refused here as well. */
function checkSettings(params: Task<unknown>['params']): void {
  const schema = validator(ImageGenerationRequest)
  const request = { ...params, model: '-', prompt: '-' }
  const loc = ['body', 'provider_params']
  if (!schema.check(request)) throw refused(schema.faults(request, loc))
  const headers = chatFaults({ extra_headers: request.extra_headers })
  const placed = headers.map((fault) => ({ ...fault, loc: [...loc, ...fault.loc.slice(1)] }))
  const faults = [...placed, ...GOVERNED_NAMES.faults(params, loc)]
  if (faults.length > 0) throw refused(faults)
}

/** One that lies on the disk is read when it is sent. */
async function opened(file: TaskFile): Promise<UploadedImage> {
  const { read, size } = file as Partial<OpenFile>
  return read ? { length: size!, head: new Uint8Array(0), read } : heldBytes(await file.bytes())
}

/** One that could not be fetched from where the provider put it is given as its address. */
async function kept({ base64, url = '' }: Picture, index: number, { caller }: Call, { files, links }: Outside) {
  if (!base64) return { image: '', image_resource_url: url }
  const name = `image-${index + 1}.${measure(base64).format ?? 'png'}`
  const image_resource_url = linkTo(await keepResult({ name, bytes: bytesOf(base64) }, caller.owner, files), links)
  return { image: Buffer.from(await loaded(base64)).toString('latin1'), image_resource_url }
}
