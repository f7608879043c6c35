import { declined } from '../http/declined.ts'

/** The default voice of each kind of a provider; a kind is a model with its own price. */
export type Voices = Readonly<Record<string, string>>

/**
 * The requested voice, or the default voice of the kind. A voice of another kind has another price, so the caller must name
 * that kind.
 */
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
