import type { TargetServices } from '../../calls/routing/targets-of-kind.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { problem } from '../../contract/problems.ts'
import type { ImageCall, ImageCodec } from '../../translation/dialects/image-codec.ts'
import type { Dialect } from '../../translation/dialects/dialect.ts'
import { DIALECTS } from '../../translation/dialects/index.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { ResolvedModel, ModelServices } from '../../calls/routing/names/resolved-model.ts'
import { refuseEnded, refuseForbidden, refuseOtherKinds } from '../../calls/routing/names/refusals.ts'
import { checkedModels } from '../../calls/routing/names/resolve-name.ts'
import { type ChatTarget, toTarget } from '../../calls/routing/chat-targets.ts'
import { isRouterValue } from '../../calls/routing/router/router-value.ts'

/** An image model at a provider, with its codec. */
export type ImageTarget = ChatTarget & { codec: ImageCodec }

const IMAGE_KINDS = ['image'] as const
const ENDPOINTS: Record<ImageCall['mode'], string> = { generate: 'image generations', edit: 'image edits' }

/** The model that the caller names, or the targets and fallbacks of an alias in the order of this call. */
export async function imageTargets(
  model: string,
  mode: ImageCall['mode'],
  caller: Caller,
  services: TargetServices,
): Promise<ImageTarget[]> {
  return await Promise.all(targetsWithoutCodec(model, mode, caller, services).map(withCodec))
}

/** Refuses everything that the model's name alone rules out, before a file is opened. */
export function imageTarget(
  model: string | ResolvedModel,
  mode: ImageCall['mode'],
  caller: Caller,
  services: TargetServices,
): ChatTarget {
  return targetsWithoutCodec(model, mode, caller, services)[0]!
}

function targetsWithoutCodec(
  model: string | ResolvedModel,
  mode: ImageCall['mode'],
  caller: Caller,
  services: TargetServices,
): ChatTarget[] {
  if (typeof model === 'string' && isRouterValue(model)) throw noRouter()
  const isSandbox = caller.kind === 'sandbox'
  const models = checkedModels([model], { caller, kinds: IMAGE_KINDS }, services, (found) => {
    refuseEnded(found, 'image')
    refuseOtherKinds(found, 'image', ENDPOINTS[mode])
    for (const one of found) {
      refuseForbidden(one, caller)
      if (!isSandbox && !canDraw(one.provider)) throw noCodec(one.id, mode)
    }
  })
  // The simulated provider answers for all of them.
  return (isSandbox ? [inSandbox(models[0]!, services)] : models).map((resolved) => toTarget(resolved, services))
}

/** Loads the codec. Codecs for images only are loaded on first use. */
export async function withCodec(target: ChatTarget): Promise<ImageTarget> {
  const { images } = target.provider
  const codec = images
    ? (await import('../../translation/dialects/image-wires/index.ts')).IMAGE_WIRES[images]
    : codecOfDialect(target.provider)!
  return { ...target, codec }
}

/** Whether a provider makes images, with a wire format of its own or that of its dialect. */
export function canDraw(provider: Provider): boolean {
  return provider.images !== undefined || codecOfDialect(provider) !== undefined
}

function codecOfDialect({ dialect }: Provider): ImageCodec | undefined {
  const speech: Dialect | undefined = dialect && DIALECTS[dialect]
  return speech?.images
}

/** A sandbox key gets its images from the simulated provider, whatever model it names. */
function inSandbox({ id }: ResolvedModel, { config, catalog }: ModelServices): ResolvedModel {
  const sandbox = config.providers.sandbox!
  const entry = catalog.find('sandbox', 'image')
  return { id, provider: sandbox, model: 'image', entry, regions: sandbox.regions! }
}

function noRouter() {
  const message = 'The router does not choose image models. Name one: GET /v3/images/models lists them.'
  const detail = [{ loc: ['body', 'model'], msg: message, type: 'value_error' }]
  return problem('validation_error', { message, param: 'model', detail })
}

function noCodec(id: string, mode: ImageCall['mode']) {
  const message = `Model(s) do not support the ${ENDPOINTS[mode]} endpoint: '${id}' (supports: /chat/completions)`
  return problem('unsupported_endpoint', { message, param: 'model' })
}
