/** The operation of `gen_ai.operation.name`, by the beginning of the path. The conventions allow further names. */
const BY_PATH: readonly (readonly [path: string, operation: string])[] = [
  ['/v3/completions', 'text_completion'],
  ['/v3/v1beta/', 'generate_content'],
  ['/v3/embeddings', 'embeddings'],
  ['/v3/v2/embed', 'embeddings'],
  ['/v3/images', 'image_generation'],
  ['/v3/audio/speech', 'speech'],
  ['/v3/audio/', 'transcription'],
  ['/v3/rerank', 'rerank'],
  ['/v3/v2/rerank', 'rerank'],
  ['/v3/moderations', 'moderation'],
]

/** The same for calls of any other path, by their scope. */
const BY_SCOPE: Readonly<Record<string, string>> = {
  universal: 'task',
  tokens: 'count_tokens',
  images: 'image_generation',
}

/** `name` is the endpoint of a request, as in `POST /v3/completions`. */
export function operationOf(name: string, scope: string): string {
  const path = name.slice(name.indexOf(' ') + 1)
  const found = BY_PATH.find(([beginning]) => path.startsWith(beginning))
  if (!found) return BY_SCOPE[scope] ?? 'chat'
  return found[1] === 'generate_content' && /:(?:embed|batchEmbed)/.test(path) ? 'embeddings' : found[1]
}
