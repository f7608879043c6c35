export const V8_OPTIONS: readonly string[]
