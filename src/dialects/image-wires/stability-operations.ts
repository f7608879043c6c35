import { problem } from '../../contract/problems.ts'

// https://platform.stability.ai/docs/api-reference: every operation has an address of its own, and is named as a model here.

export type Operation = {
  path: string
  /** Where the image goes; without it the operation takes none. */
  image?: string
  /** It draws from words alone as well, or only so. */
  generates?: true
  /** What is said beside an image that it goes on from. */
  mode?: true
  mask?: true
  /** Under which name it reads the prompt; null: it reads none. */
  prompt?: string | null
  /** Where a second image goes. */
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

/** `stable-image-ultra` is what others call `ultra`. */
export function operationOf(model: string): Operation {
  if (isDiffusion(model)) return DIFFUSION
  const name = model.replace(/^stable-image-/, '')
  if (Object.hasOwn(OPERATIONS, name)) return OPERATIONS[name]!
  throw problem('model_not_found')
}

/** These share an address, and are told apart by a field. */
export function isDiffusion(model: string): boolean {
  return /^sd3/.test(model)
}
