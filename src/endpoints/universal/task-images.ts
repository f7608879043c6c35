import type { TargetServices } from '../../calls/routing/targets-of-kind.ts'
import { ImageGenerationRequest } from '../../contract/images.ts'
import { problem } from '../../contract/problems.ts'
import type { Accepted } from '../../translation/tasks/inputs/accept-file.ts'
import type { Feature, Result, Task, TaskFile } from '../../translation/tasks/feature.ts'
import { TaskFailure } from '../../translation/tasks/http/task-failure.ts'
import imageGeneration from '../../translation/tasks/image/generation/feature.ts'
import { SlowWork } from '../../calls/attempts/slow-work.ts'
import type { Call } from '../../calls/call.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { OpenFile } from '../../calls/files/open-file.ts'
import { keepsNothing } from '../../tenants/access/policy.ts'
import { keepResult } from '../../calls/files/files.ts'
import { usageOf } from '../images/cost.ts'
import { deliver } from '../images/delivery.ts'
import type { InputImage, UploadedImage } from '../images/inputs.ts'
import { fillAll, type ImageAttempt } from '../images/order.ts'
import { bytesOf, measure, type OutputImage } from '../images/output-images.ts'
import { canDraw, imageTarget, type ImageTarget, withCodec } from '../images/target.ts'
import { type ImagesRequest, madeOf, prepareImages } from '../images/images.ts'
import { TempFiles } from '../../calls/files/temp-files.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { heldBytes, loaded } from '../../calls/files/temp-file-writer.ts'
import { linkTo } from '../../calls/files/result-links.ts'
import type { WireRequest } from '../../translation/wire/wire.ts'
import type { ChatTarget } from '../../calls/routing/chat-targets.ts'
import { providerNamed } from '../../platform/config/provider-named.ts'
import { checkModelParams } from './model-params.ts'
import type { TaskModel } from './task-model.ts'

// The task `image/generation`. Every model of the image endpoints can do it, through the same code.

/** The files that image models accept. Type and size in pixels are checked when a file is opened. */
export const DRAWN_FROM: Accepted = { types: ['image/*'] }

/** Whether the task is image generation and the provider has image models. */
export function isDrawnBy(feature: Feature, name: string, { config }: Pick<CallServices, 'config'>): boolean {
  const named = providerNamed(name, config.providers)
  if (feature !== imageGeneration || named?.simulated) return false
  const provider = named?.chatOf ? config.providers[named.chatOf] : named
  return provider !== undefined && canDraw(provider)
}

export function drawingTarget(
  { requested: name, model, resolved }: TaskModel,
  caller: Caller,
  services: TargetServices,
): ChatTarget {
  if (resolved) return imageTarget(resolved, 'generate', caller, services)
  const chosen = model ?? providerNamed(name, services.config.providers)?.defaultImageModel
  if (chosen) return imageTarget(`${name}/${chosen}`, 'generate', caller, services)
  const message = `Add a model: image/generation/${name}/<model>. GET /v3/images/models lists them.`
  throw problem('model_not_found', { message, param: 'model' })
}

/** Images that were made are billed, even if the rest of the task fails. */
export async function drawForTask(
  task: Task<unknown>,
  drawer: ChatTarget,
  attempt: ImageAttempt,
): Promise<Result<unknown>> {
  const { call, services } = attempt
  const target = await withCodec(drawer)
  call.time.limit(target.timeouts.totalMs)
  const tempFiles = new TempFiles(services.config.dataDir, call.caller.owner)
  try {
    return await draw(await requestOf(task, target, tempFiles), target, attempt)
  } finally {
    await tempFiles.close()
  }
}

async function draw(input: ImagesRequest, target: ImageTarget, attempt: ImageAttempt) {
  const { call, services } = attempt
  const { input: request, orders } = await prepareImages(input, target, call, services)
  const ordered = { input: request, target, tempFiles: input.tempFiles }
  const slow = new SlowWork<WireRequest>()
  await fillAll(orders, ordered, attempt, slow).finally(() => slow.end(call.signal))
  const made = madeOf(orders)
  const drawn = made.flatMap((one) => one.images)
  const images = await deliver(drawn, ordered, call, services)
  const items = await Promise.all(images.map((image, index) => storeImage(image, index, call, services)))
  const original = { model: target.id, images: items.length, usage: usageOf(made) }
  return { output: { items }, original, units: items.length }
}

type Input = {
  text: string
  resolution?: string | null
  num_images?: number | null
  reference_images?: readonly unknown[] | null
}

async function requestOf(task: Task<unknown>, target: ImageTarget, tempFiles: TempFiles): Promise<ImagesRequest> {
  const { input, params, files } = task
  const { text, resolution, num_images, reference_images } = input as Input
  // They override the input.
  checkModelParams(ImageGenerationRequest, params, { model: '-', prompt: '-' })
  const images: InputImage[] = []
  for (const index of reference_images?.keys() ?? []) {
    const file = files[`reference_images.${index}`]
    if (!file) throw new TaskFailure('bad_request', 'reference_images should be files')
    images.push({ image: await opened(file), loc: ['body', 'input', 'reference_images', index] })
  }
  const mask = files.mask && { image: await opened(files.mask), loc: ['body', 'input', 'mask'] }
  const options = { size: resolution, n: num_images ?? 1, ...params }
  const request = { ...options, model: target.id, prompt: text, response_format: 'b64_json' as const }
  return { mode: images.length > 0 ? 'edit' : 'generate', request, images, mask, tempFiles }
}

/** A file on disk is read when it is sent. */
async function opened(file: TaskFile): Promise<UploadedImage> {
  const { read, size } = file as Partial<OpenFile>
  return read ? { length: size!, head: new Uint8Array(0), read } : heldBytes(await file.bytes())
}

/** An image that could not be fetched from the provider is returned as its URL. */
async function storeImage(
  { base64, url = '' }: OutputImage,
  index: number,
  call: Call,
  { files, links }: Pick<CallServices, 'files' | 'links'>,
) {
  if (!base64) return { image: '', image_resource_url: url }
  const name = `image-${index + 1}.${measure(base64).format ?? 'png'}`
  const { caller, record } = call
  const image = Buffer.from(await loaded(base64)).toString('latin1')
  if (keepsNothing(caller.policy)) return { image, image_resource_url: '' }
  const file = { name, bytes: bytesOf(base64), endUser: record.labels.endUser }
  return { image, image_resource_url: linkTo(await keepResult(file, caller, files), links) }
}
