import type { Target } from '../chat-codec.ts'
import type { ImageCodec } from '../image-codec.ts'
import { images as openai } from '../openai/images.ts'
import { bedrockStability } from './bedrock-stability.ts'
import { bfl } from './bfl.ts'
import { bytedance } from './bytedance.ts'
import { deepinfra } from './deepinfra.ts'
import { fal } from './fal.ts'
import { fireworks } from './fireworks.ts'
import { geminiImage } from './gemini-image.ts'
import { ideogram } from './ideogram.ts'
import { imagen } from './imagen.ts'
import { leonardo } from './leonardo.ts'
import { minimax } from './minimax.ts'
import { novaCanvas } from './nova-canvas.ts'
import { recraft } from './recraft.ts'
import { replicate } from './replicate.ts'
import { stability } from './stability.ts'
import { together } from './together.ts'
import { xai } from './xai.ts'

/** Image wire formats by name. The row of a provider names the format that the provider speaks. */
export const IMAGE_WIRES = {
  'gemini-image': geminiImage,
  imagen,
  vertex: byModel(/^imagen/, imagen, geminiImage),
  'nova-canvas': novaCanvas,
  'bedrock-stability': bedrockStability,
  bedrock: byModel(/(^|\.)stability\./, bedrockStability, novaCanvas),
  bfl,
  bytedance,
  deepinfra,
  fal,
  fireworks,
  ideogram,
  leonardo,
  minimax,
  openai,
  recraft,
  replicate,
  stability,
  together,
  xai,
} satisfies Record<string, ImageCodec>

export type ImageWire = keyof typeof IMAGE_WIRES

/** For providers with two wire formats: one for the models that match, the other for the rest. Both report errors alike. */
function byModel(models: RegExp, some: ImageCodec, rest: ImageCodec): ImageCodec {
  const codec = ({ model }: Target) => (models.test(model) ? some : rest)
  return {
    inputs: some.inputs === rest.inputs ? rest.inputs : 'bytes',
    paints: (target) => codec(target).paints?.(target),
    max: Math.min(some.max, rest.max),
    encode: (call, target) => codec(target).encode(call, target),
    decode: (answer, call, target, request) => codec(target).decode(answer, call, target, request),
    problem: rest.problem,
  }
}
