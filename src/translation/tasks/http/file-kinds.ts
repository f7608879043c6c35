import type { TaskFile } from '../feature.ts'

/** File extensions and their media types. */
const TYPES: Readonly<Record<string, string>> = {
  aac: 'audio/aac',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  opus: 'audio/opus',
  pcm: 'audio/pcm',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  pdf: 'application/pdf',
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  'audio/mp3': 'mp3',
  'audio/wave': 'wav',
  'audio/webm': 'webm',
  'audio/x-flac': 'flac',
  'audio/x-m4a': 'm4a',
  'audio/x-wav': 'wav',
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(TYPES).map(([extension, type]) => [type, extension] as const),
  ...Object.entries(OTHER_NAMES),
])

export function typeOf(extension: string): string {
  return Object.hasOwn(TYPES, extension) ? TYPES[extension]! : 'application/octet-stream'
}

/** Some providers recognize a file only by its extension. */
export function nameWithExtension({ name, type }: Pick<TaskFile, 'name' | 'type'>): string {
  const extension = EXTENSIONS.get(type)
  return extension === undefined || /\.\w{2,5}$/.test(name) ? name : `${name}.${extension}`
}
