/** The types by which recordings are known that have this ending; films are taken for their sound. */
const TYPES = {
  aac: ['audio/aac'],
  aiff: ['audio/aiff', 'audio/x-aiff'],
  amr: ['audio/amr'],
  flac: ['audio/flac', 'audio/x-flac'],
  m4a: ['audio/mp4', 'audio/x-m4a'],
  mov: ['video/quicktime'],
  mp3: ['audio/mpeg', 'audio/mp3'],
  mp4: ['video/mp4', 'audio/mp4'],
  ogg: ['audio/ogg', 'application/ogg'],
  opus: ['audio/opus'],
  wav: ['audio/wav', 'audio/x-wav', 'audio/wave'],
  webm: ['audio/webm', 'video/webm'],
} as const

export function soundTypes(...endings: (keyof typeof TYPES)[]): string[] {
  return [...new Set(endings.flatMap((ending) => TYPES[ending]))]
}
