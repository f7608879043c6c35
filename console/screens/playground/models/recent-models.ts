const STORED = 'playground-models'
const MAX_KEPT = 12

/** The models that were asked here last, in this browser; the newest first. */
export function recentModels(): readonly string[] {
  return (localStorage.getItem(STORED) ?? '').split('\n').filter(Boolean)
}

export function rememberModels(models: readonly string[]): void {
  const all = [...new Set([...models, ...recentModels()])].slice(0, MAX_KEPT)
  localStorage.setItem(STORED, all.join('\n'))
}
