import { declined } from '../http/declined.ts'

/** The provider's name of a format. A format that the provider does not have is refused without a request. */
export function audioFormat<Word>(requested: string | null | undefined, formats: Readonly<Record<string, Word>>) {
  const name = (requested ?? 'mp3').toLowerCase()
  if (Object.hasOwn(formats, name)) return { name, word: formats[name]! }
  const names = Object.keys(formats).join(', ')
  throw declined(`audio_format should be one of ${names} for this provider`, 422, 'unsupported_audio_format')
}
