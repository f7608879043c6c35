import type { Feature, Task, TaskFile } from './feature.ts'

const CHARACTERS_PER_TOKEN = 4
const DEFAULT_VIDEO_SECONDS = 6
// How much a second of sound or film takes up as it is mostly encoded: 128 kbit/s and 1 Mbit/s.
const AUDIO_BYTES_PER_SECOND = 16_000
const VIDEO_BYTES_PER_SECOND = 125_000

type Input = Record<string, unknown>

/** How much a task is, in its own unit, as far as its input tells. Tokens and seconds are estimates. */
export function measuredUnits(feature: Feature, task: Pick<Task<unknown>, 'input' | 'files'>): number {
  const input = task.input as Input
  const files = Object.values(task.files)
  switch (feature.unit) {
    case 'character':
      return charactersIn([input.text, input.texts])
    case 'token':
      return feature.feature === 'web' ? requestedPages(input) : Math.ceil(charactersIn(input) / CHARACTERS_PER_TOKEN)
    case 'page':
      return Math.max(1, sum(files.map((file) => file.pages ?? 1)))
    case 'file':
      return Math.max(1, files.length)
    case 'image':
      return Number(input.num_images ?? 1)
    case 'second':
      return feature.subfeature === 'generation_async' ? videoSeconds(input) : sum(files.map(secondsOf))
    case 'request':
      return 1
  }
}

function charactersIn(value: unknown): number {
  if (typeof value === 'string') return codePoints(value)
  return typeof value === 'object' && value !== null ? sum(Object.values(value).map(charactersIn)) : 0
}

/** A provider's character is a Unicode one, not half of one. */
function codePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

/** What providers of web tasks sell as a token is the reading of a page. */
function requestedPages({ urls }: Input): number {
  return Array.isArray(urls) ? urls.length : 1
}

function videoSeconds({ duration }: Input): number {
  return Number(duration ?? DEFAULT_VIDEO_SECONDS)
}

function secondsOf({ size, type }: TaskFile): number {
  return Math.ceil(size / (type.startsWith('video/') ? VIDEO_BYTES_PER_SECOND : AUDIO_BYTES_PER_SECOND))
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
