import { declined } from '../http/declined.ts'

/** The voices of a provider by their kind, the usual one of each; a kind is a model, and has a price of its own. */
export type Voices = Readonly<Record<string, string>>

/** The voice that is asked for, or the usual one of the kind. One of another kind has another price: who wants it names the kind. */
export function voiceOf(
  requested: string | null | undefined,
  kind: string,
  voices: Voices,
  isOfKind: (voice: string) => boolean,
): string {
  const fallback = Object.hasOwn(voices, kind) ? voices[kind] : undefined
  if (!fallback) throw declined(`the model should be one of ${Object.keys(voices).join(', ')}`, 422, 'unknown_model')
  if (!requested || isOfKind(requested)) return requested || fallback
  const message = `the voice '${requested}' is not one of '${kind}': name its kind as the model`
  throw declined(message, 422, 'voice_of_other_model')
}
