export const V8_OPTIONS: readonly string[]
export const MEMORY_VARIABLES: Readonly<Record<string, string>>
