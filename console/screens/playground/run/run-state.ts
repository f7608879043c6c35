/** What is known of an answer, however it was asked for. */
export type RunFacts = {
  state: 'running' | 'done' | 'stopped' | 'failed'
  error?: Error
  cost?: number | null
  tokens?: { input: number; output: number }
  firstMs?: number
  ms?: number
  request?: string | null
}
