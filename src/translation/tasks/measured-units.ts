import type { Feature, Task, TaskFile } from './feature.ts'
import { CHARS_PER_TOKEN } from '../wire/chars-per-token.ts'
import { codePointsIn } from '../wire/code-points.ts'

const DEFAULT_VIDEO_SECONDS = 6
// Typical bytes per second of audio (128 kbit/s) and video (1 Mbit/s).
const AUDIO_BYTES_PER_SECOND = 16_000
const VIDEO_BYTES_PER_SECOND = 125_000

type Input = Record<string, unknown>

/** The amount of a task in its unit, as far as the input shows. Tokens and seconds are estimates. */
export function measuredUnits(feature: Feature, task: Pick<Task<unknown>, 'input' | 'files'>): number {
  const input = task.input as Input
  const files = Object.values(task.files)
  switch (feature.unit) {
    case 'character':
      return charactersIn([input.text, input.texts])
    case 'token':
      return feature.feature === 'web' ? requestedPages(input) : Math.ceil(charactersIn(input) / CHARS_PER_TOKEN)
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
  if (typeof value === 'string') return codePointsIn(value)
  return typeof value === 'object' && value !== null ? sum(Object.values(value).map(charactersIn)) : 0
}

/** For providers of web tasks, a token is one page read. */
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
