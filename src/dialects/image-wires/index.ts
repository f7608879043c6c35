import type { ImageCodec } from '../image-codec.ts'
import { images as openai } from '../openai/images.ts'
import { bedrockStability } from './bedrock-stability.ts'
import { bfl } from './bfl.ts'
import { byModel } from './by-model.ts'
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

/** Wires that make images, by the name that a provider's row picks its own with. */
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
