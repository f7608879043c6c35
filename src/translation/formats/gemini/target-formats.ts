/** The targets that may read a conversation. */
export type TargetFormats = {
  /** Some target uses the plain chat format, which may refuse unknown fields. */
  plain: boolean
  providers: readonly string[]
  /** The wire formats of the targets. */
  dialects: readonly string[]
}
