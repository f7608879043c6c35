/** The targets that may read a conversation. */
export type TargetFormats = {
  providers: readonly string[]
  /** The wire formats of the targets. */
  dialects: readonly string[]
}
