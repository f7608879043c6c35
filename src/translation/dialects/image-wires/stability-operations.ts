import { problem } from '../../../contract/problems.ts'

// https://platform.stability.ai/docs/api-reference: every operation has a URL of its own, and is a model here.

export type Operation = {
  path: string
  /** The field for the image; without it the operation accepts none. */
  image?: string
  /** It can generate from text alone. */
  generates?: true
  /** It needs a `mode` if it starts from an image. */
  mode?: true
  mask?: true
  /** The field for the prompt; null if it has none. */
  prompt?: string | null
  /** The field for a second image. */
  second?: string
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  ultra: { path: 'generate/ultra', generates: true, image: 'image' },
  core: { path: 'generate/core', generates: true },
  inpaint: { path: 'edit/inpaint', image: 'image', mask: true },
  erase: { path: 'edit/erase', image: 'image', mask: true, prompt: null },
  'search-and-replace': { path: 'edit/search-and-replace', image: 'image' },
  'search-and-recolor': { path: 'edit/search-and-recolor', image: 'image' },
  'remove-background': { path: 'edit/remove-background', image: 'image', prompt: null },
  outpaint: { path: 'edit/outpaint', image: 'image' },
  'replace-background-and-relight': {
    path: 'edit/replace-background-and-relight',
    image: 'subject_image',
    prompt: 'background_prompt',
  },
  fast: { path: 'upscale/fast', image: 'image', prompt: null },
  conservative: { path: 'upscale/conservative', image: 'image' },
  creative: { path: 'upscale/creative', image: 'image' },
  sketch: { path: 'control/sketch', image: 'image' },
  structure: { path: 'control/structure', image: 'image' },
  style: { path: 'control/style', image: 'image' },
  'style-transfer': { path: 'control/style-transfer', image: 'init_image', second: 'style_image' },
}
const DIFFUSION: Operation = { path: 'generate/sd3', generates: true, image: 'image', mode: true }

/** Others call `ultra` `stable-image-ultra`. */
export function operationOf(model: string): Operation {
  if (isDiffusion(model)) return DIFFUSION
  const name = model.replace(/^stable-image-/, '')
  if (Object.hasOwn(OPERATIONS, name)) return OPERATIONS[name]!
  throw problem('model_not_found')
}

/** These models share a URL and are distinguished by a field. */
export function isDiffusion(model: string): boolean {
  return /^sd3/.test(model)
}
