import { ErrorBody } from '../../../contract/errors.ts'
import { problem } from '../../../contract/problems.ts'
import { route } from '../../define-route.ts'

// OpenAI's clients have these methods. No provider behind the gateway does what they ask for.

const common = {
  access: 'key',
  scope: 'universal',
  description: 'Videos are made from a prompt and an image: POST /v3/videos.',
  replies: { 400: { description: 'Always.', schema: ErrorBody } },
  handle: () => {
    throw problem('unsupported_endpoint', {
      message: 'Videos cannot be remixed, edited or extended here, and have no characters. POST /v3/videos makes one.',
    })
  },
} as const

export const remix = route({
  ...common,
  method: 'POST',
  path: '/v3/videos/{video_id}/remix',
  noSuch: 'video',
  summary: 'Remix a video (not supported)',
})
export const edits = route({
  ...common,
  method: 'POST',
  path: '/v3/videos/edits',
  summary: 'Edit a video (not supported)',
})
export const extensions = route({
  ...common,
  method: 'POST',
  path: '/v3/videos/extensions',
  summary: 'Extend a video (not supported)',
})
export const characters = route({
  ...common,
  method: 'POST',
  path: '/v3/videos/characters',
  summary: 'Create a character (not supported)',
})
export const character = route({
  ...common,
  method: 'GET',
  path: '/v3/videos/characters/{character_id}',
  noSuch: 'character',
  summary: 'Get a character (not supported)',
})
