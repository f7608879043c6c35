import { recordings as ofImages } from '../../../src/translation/dialects/image-wires/fixtures/image-calls.ts'
import type { Exchange } from './exchange.ts'

/** Who has images in this format. */
const IMAGE_HOSTS: Record<string, string> = {
  bfl: 'bfl',
  bytedance: 'volcengine',
  deepinfra: 'deepinfra',
  fal: 'fal',
  fireworks: 'fireworks',
  'gemini-image': 'google',
  ideogram: 'ideogram',
  leonardo: 'leonardo',
  minimax: 'minimax',
  recraft: 'recraft',
  replicate: 'replicate',
  stability: 'stability',
  together: 'together',
  xai: 'xai',
  'nova-canvas': 'amazon',
  'bedrock-stability': 'amazon',
}

/** The recorded answers of every format of images. */
export const IMAGES: Exchange[] = ofImages().flatMap(({ wire, model, answers }) => {
  const host = IMAGE_HOSTS[wire]
  const drawn = answers.filter(({ reply, bytes, model: other }) => reply !== undefined && bytes === undefined && !other)
  if (!host) return []
  const body = { model: `${host}/${model}`, prompt: 'a fox', size: '1024x1024' }
  return drawn.slice(0, 2).map((one) => ({
    name: `${wire}, ${one.name}`,
    path: '/v3/images/generations',
    body,
    answer: JSON.stringify(one.body),
  }))
})
